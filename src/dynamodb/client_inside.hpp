// SPDX-License-Identifier: Apache-2.0
//
// What does a client keep between its calls? The plan's memory, connections, keys, and how far its
// clock is off.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/endpoint.hpp"
#include "perdure/dynamodb/signature.hpp"
#include "perdure/dynamodb/skew.hpp"
#include "perdure/http/client.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Safe for any number of threads; constant but for what is so by itself.
struct Client::Inside {
    explicit Inside(ClientOptions chosen);

    // The failure of a call that was not begun.
    [[nodiscard]] Failure refused(Failure failure) const;
    // When a call that begins now ends, whatever it consists of.
    [[nodiscard]] Deadline ends_by(const CallOptions& call) const;

    ClientOptions options;
    Endpoint endpoint{};
    std::string host{};  // as it is signed
    std::string head{};  // the request line and the fields that never change
    std::shared_ptr<Credentials> credentials{};
    std::optional<Signer> signer{};
    ClockSkew skew{};
    std::optional<http::Client> http{};
    std::shared_ptr<http::Route> route{};
    std::optional<Caller> caller{};
    std::string most_attempts{};  // "; max=4", for the header of each attempt
    std::string first_attempt{};  // "attempt=1; max=4", which most calls end with
    std::optional<Failure> problem{};

private:
    Result<void> furnish();
    Result<Settings> settings() const;
    Result<void> connect(const Settings& found);
    [[nodiscard]] Plan plan_of(const Settings& found) const;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

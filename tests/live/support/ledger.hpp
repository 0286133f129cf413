// SPDX-License-Identifier: Apache-2.0
//
// What callers were told about many calls, to be held against what the server did.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "live/support/counting_server.hpp"
#include "perdure/chaos/proxy.hpp"
#include "perdure/http/request.hpp"
#include "perdure/http/response.hpp"

namespace perdure::live {

// The calls of a ledger take turns.
enum class CallKind : std::uint8_t { read, put, keyed_post, once_post };

// note() from any thread, once for each number; the rest when all have ended.
class Ledger {
public:
    explicit Ledger(int calls) : lines_(static_cast<std::size_t>(calls)) {}

    [[nodiscard]] int calls() const noexcept { return static_cast<int>(lines_.size()); }
    [[nodiscard]] static CallKind kind_of(int number) noexcept {
        return static_cast<CallKind>(number % 4);
    }
    // Carries its number in X-Request-Id.
    [[nodiscard]] static http::Request request(int number);
    void note(int number, const Result<http::Response>& result);

    // How the calls ended; `applied` counts as unknown.
    struct Ends {
        int done = 0;
        int none = 0;
        int unknown = 0;
        int other_answer = 0;  // somebody else's
    };
    [[nodiscard]] Ends ends() const;
    [[nodiscard]] Ends ends(CallKind kind) const;
    // What the server did otherwise than the caller was told, a line each.
    [[nodiscard]] std::vector<std::string> lies(CountingServer& server) const;
    // Unknown outcomes of requests that the proxy has not touched.
    [[nodiscard]] int unexplained(const std::vector<chaos::Record>& records) const;
    void print(std::ostream& out) const;

private:
    enum class End : std::uint8_t { open, done, none, unknown, other_answer };
    struct Line {
        End end = End::open;
        std::string failure{};
    };
    [[nodiscard]] std::string lie(int number, const CountingServer& server) const;

    std::vector<Line> lines_;
};

}  // namespace perdure::live

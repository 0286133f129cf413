// SPDX-License-Identifier: Apache-2.0
//
// What does a request of no particular service say, and what do its answers mean? The request as it
// was given, a few fields of ours, and the table of statuses.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client_inside.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Belongs to one call. What it is given outlives it.
class PlainTalk final : public Conversation {
public:
    // With a route of a redirect, the target is the whole path: no endpoint's own path before it.
    PlainTalk(Client::Inside& client, const Request& request, Response* last_answer,
              Route* redirected, Tell tell);

    Route& route(const Attempt& attempt) override;
    Result<void> write(std::string& out, const Attempt& attempt, Duration left) override;
    [[nodiscard]] std::string_view large_body() const noexcept override;
    [[nodiscard]] Answering answering() const noexcept override { return answering_; }
    [[nodiscard]] GzipBody gzip_body(int status) const noexcept override;
    Result<void> judge(Response& response, const Attempt& attempt) override;
    void ended(const Attempt& attempt, Failure* failure, TimePoint now) override;

    // Where the answer came from, for redirects.
    [[nodiscard]] const Route& last_route() const noexcept { return *last_; }
    // The idempotency key of this call; empty: none was made.
    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    // Null: there is one.
    [[nodiscard]] Places* places() noexcept { return fixed_ ? nullptr : &journey_; }

private:
    [[nodiscard]] bool is_refusal(int status) const noexcept;
    const std::string& url_of(const Attempt& attempt);
    // The one its connection was made for, whatever the endpoints say by now.
    Route& route_of(const Attempt& attempt) const;

    Client::Inside& client_;
    const Request& request_;
    Response* const last_answer_;
    Route* const fixed_;  // null: by the endpoints
    const bool redirected_;
    const Tell tell_;
    Journey journey_;
    Route* last_ = nullptr;
    // Of each attempt, once the endpoints decide; held as long as the call.
    std::vector<std::pair<int, std::shared_ptr<Route>>> routes_;
    std::string key_;  // one for all attempts
    const Answering answering_;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure

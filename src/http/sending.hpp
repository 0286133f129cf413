// SPDX-License-Identifier: Apache-2.0
//
// How is a plain request sent? One exchange, and one more for each redirect that is followed, all
// within one deadline.
#pragma once

#include <memory>
#include <optional>

#include "exchange.hpp"
#include "plain_talk.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Used by one thread at a time. Client, request and options outlive it.
class Sending {
public:
    Sending(Client::Inside& client, const Request& request, const SendOptions& options,
            net::Waker& waker, TimePoint now);

    bool turn(TimePoint now, net::Wants& wants);
    void cancel(TimePoint now);
    [[nodiscard]] Result<Response> take();
    [[nodiscard]] Diagnostics* record() const noexcept {
        return exchange_ ? exchange_->record() : nullptr;
    }
    template <class Visit>
    void each_connection(Visit&& visit) {
        if (exchange_) exchange_->each_connection(visit);
    }

private:
    void begin(const Request& request, Route* fixed, TimePoint now);
    bool follow(const Response& response, TimePoint now);
    Result<Response> keep_body(Response redirect);

    Client::Inside& client_;
    const SendOptions& options_;
    net::Waker& waker_;
    Operation operation_;
    int redirects_left_;
    Effect before_ = Effect::none;      // of requests that were answered by a redirect
    const Request* request_ = nullptr;  // the present one
    std::unique_ptr<Request> redirected_;
    std::shared_ptr<Route> route_;     // of the last redirect; outlives its exchange
    bool elsewhere_ = false;           // a redirect has left the origin that was asked first
    std::unique_ptr<Url> body_stays_;  // where a redirect would have taken the body; null: nowhere
    std::optional<PlainTalk> talk_;
    std::optional<Exchange> exchange_;
    std::unique_ptr<Failure> refused_;  // before anything was tried
};

}  // namespace http
}  // namespace v0
}  // namespace perdure

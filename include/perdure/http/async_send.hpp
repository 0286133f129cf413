// SPDX-License-Identifier: Apache-2.0
//
// How do I send from a program that lives in Asio? With its completion tokens: callbacks, futures,
// its own coroutines, and its cancellation.
//
//     asio::io_context context;
//     net::AsioReactor reactor{context};
//     http::Client users{"https://users.internal", {.environment = {.executor = &reactor}}};
//     http::async_send(users, reactor, http::Request::get("/profiles/7"),
//                      [](Result<http::Response> profile) { … });
//     context.run();
//
// The only header here that includes Asio; those who do not include it need not have it.
#pragma once

#include "perdure/cxx20.hpp"

#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/dispatch.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "perdure/http/client.hpp"
#include "perdure/net/asio_reactor.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace detail {

// From the start of a call to its handler. Deletes itself.
template <class Finish>
class Completing {
    using Where = asio::associated_executor_t<Finish, asio::io_context::executor_type>;

public:
    Completing(net::AsioReactor& reactor, Finish finish)
        : where_{asio::get_associated_executor(finish, reactor.context().get_executor())},
          work_{asio::make_work_guard(where_)},
          finish_{std::move(finish)} {}

    static void begin(Client& client, std::unique_ptr<Completing> self, Request request,
                      SendOptions options) {
        auto slot = asio::get_associated_cancellation_slot(self->finish_);
        if (slot.is_connected() && !options.stop.stop_possible()) {
            auto stop = std::make_shared<std::stop_source>();
            options.stop = stop->get_token();
            slot.assign([stop](asio::cancellation_type) { stop->request_stop(); });
        }
        self->call_.emplace(client.start(std::move(request), std::move(options)));
        Completing* const running = self.release();
        if (running->call_->start({&Completing::ended, running})) running->complete();
    }

private:
    static void ended(void* who) { static_cast<Completing*>(who)->complete(); }
    // Posted, never inside the call that started it: a handler may start the next.
    void complete() {
        const std::unique_ptr<Completing> self{this};
        auto slot = asio::get_associated_cancellation_slot(finish_);
        if (slot.is_connected()) slot.clear();
        asio::post(where_,
                   [finish = std::move(finish_), result = call_->take(),
                    work = std::move(work_)]() mutable { std::move(finish)(std::move(result)); });
    }

    Where where_;
    asio::executor_work_guard<Where> work_;
    Finish finish_;
    std::optional<Call<Result<Response>>> call_;
};

}  // namespace detail

// Completes with void(Result<Response>). The client's environment should name the same reactor, else
// the request runs on the process's own and only the handler here.
template <class Token>
auto async_send(Client& client, net::AsioReactor& reactor, Request request, SendOptions options,
                Token&& token) {
    return asio::async_initiate<Token, void(Result<Response>)>(
        [](auto handler, Client* to, net::AsioReactor* on, Request what, SendOptions how) {
            using Completing = detail::Completing<decltype(handler)>;
            auto completing = std::make_unique<Completing>(*on, std::move(handler));
            Completing::begin(*to, std::move(completing), std::move(what), std::move(how));
        },
        token, &client, &reactor, std::move(request), std::move(options));
}
template <class Token>
auto async_send(Client& client, net::AsioReactor& reactor, Request request, Token&& token) {
    return async_send(client, reactor, std::move(request), SendOptions{},
                      std::forward<Token>(token));
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

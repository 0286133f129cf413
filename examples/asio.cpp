// SPDX-License-Identifier: Apache-2.0
//
// How does a program that lives in Asio send requests? With its own completion tokens, on its own
// io_context. For docs/reference/reactor.md.
#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/use_awaitable.hpp>
#include <cstdio>
#include <string>
#include <utility>

#include "loopback.hpp"
#include "perdure/http/async_send.hpp"

using namespace perdure;

namespace {

// [callback]
void print_profile(http::Client& users, net::AsioReactor& reactor, int& printed) {
    http::async_send(users, reactor, http::Request::get("/profiles/7"),
                     [&printed](const Result<http::Response>& profile) {
                         if (profile && std::puts(profile->body.c_str()) >= 0) ++printed;
                     });
}
// [/callback]

#ifdef ASIO_HAS_CO_AWAIT  // not with clang, unless it is told so
// [awaitable]
asio::awaitable<void> print_two(http::Client& users, net::AsioReactor& reactor, int& printed) {
    for (const char* const target : {"/profiles/7", "/profiles/8"}) {
        auto call =
            http::async_send(users, reactor, http::Request::get(target), asio::use_awaitable);
        const Result<http::Response> profile = co_await std::move(call);
        if (profile && std::puts(profile->body.c_str()) >= 0) ++printed;
    }
}

void print_two_later(http::Client& users, net::AsioReactor& reactor, int& printed) {
    asio::co_spawn(reactor.context(), print_two(users, reactor, printed), asio::detached);
}
// [/awaitable]
#else
void print_two_later(http::Client& users, net::AsioReactor& reactor, int& printed) {
    print_profile(users, reactor, printed);
    print_profile(users, reactor, printed);
}
#endif

// [cancel]
// Asio's cancellation stops the call, and cuts it off on the wire.
void give_up(http::Client& silent, net::AsioReactor& reactor, Stop& why) {
    asio::cancellation_signal enough;
    http::async_send(
        silent, reactor, http::Request::get("/"),
        asio::bind_cancellation_slot(enough.slot(), [&why](const Result<http::Response>& answer) {
            if (!answer) why = answer.error().stop;
        }));
    reactor.context().poll();  // the request is on its way
    enough.emit(asio::cancellation_type::terminal);
    reactor.context().run();
}
// [/cancel]

}  // namespace

int main() {
    const auto server = loopback::server({loopback::answer(200, "Ada")});
    int printed = 0;
    // [run]
    asio::io_context context;
    net::AsioReactor reactor{context};
    http::Client users{loopback::url_of(*server),
                       {.plan = {.name = "users", .deadline = 2s},
                        .proxy_from = http::ProxyFrom::nowhere,
                        .environment = {.executor = &reactor}}};
    print_profile(users, reactor, printed);
    print_two_later(users, reactor, printed);
    context.run();  // by one thread; returns when nothing is under way
    // [/run]

    const auto black_hole = loopback::server({{.fault = chaos::Fault::black_hole}});
    http::Client silent{loopback::url_of(*black_hole),
                        {.plan = {.name = "silent", .deadline = 5s},
                         .proxy_from = http::ProxyFrom::nowhere,
                         .environment = {.executor = &reactor}}};
    Stop why = Stop::permanent;
    context.restart();
    give_up(silent, reactor, why);
    return printed == 3 && why == Stop::cancelled ? 0 : 1;
}

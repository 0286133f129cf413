// SPDX-License-Identifier: Apache-2.0
//
// How do Perdure's coroutines run inside a program that lives in Asio? On its io_context.
//
//     asio::io_context context;
//     perdure::net::AsioReactor reactor{context};
//     perdure::http::Client users{"https://users.internal", {.environment = {.executor = &reactor}}};
//     context.run();
#pragma once

#include <memory>

#include "perdure/net/reactor.hpp"

namespace asio {
class io_context;  // NOLINT(readability-identifier-naming): Asio's name
}  // namespace asio

namespace perdure {
inline namespace v0 {
namespace net {

// As any executor. Outlives every call and every client made with it.
class AsioReactor final : public Reactor {
public:
    // With a context and a thread of its own; the destructor stops and joins it. Throws
    // std::system_error when the system has no thread left.
    AsioReactor();
    // On a context that one thread runs; nobody else's run() is started or stopped.
    explicit AsioReactor(asio::io_context& context);
    ~AsioReactor() override;

    [[nodiscard]] Clock& clock() noexcept override;
    [[nodiscard]] bool here() const noexcept override;
    void post(Job& job) noexcept override;
    void arm(Alarm& alarm, TimePoint when) noexcept override;
    void disarm(Alarm& alarm) noexcept override;
    [[nodiscard]] std::unique_ptr<Watch> watch(int fd) override;

    // For those who complete Asio's handlers.
    [[nodiscard]] asio::io_context& context() noexcept;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace net
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// Who wakes a coroutine that waits for a socket? An executor that can also watch descriptors.
//
//     auto watch = reactor.watch(socket.fd());     // once for each connection, kept with it
//     watch->wait(Ready::read, job);               // the job runs on the executor's thread
#pragma once

#include "perdure/cxx20.hpp"

#include <memory>

#include "perdure/net/wants.hpp"
#include "perdure/time/executor.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// One descriptor, known to a reactor as long as this lives; must die before the descriptor is closed.
// wait() and cancel() on the executor's thread only; dying anywhere, while nobody waits.
class Watch {
public:
    Watch() = default;
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    virtual ~Watch();
    // One wait at a time. The job runs once, when the descriptor has become ready or is in trouble.
    // Edge by edge: read or write until it would block before waiting for the same again.
    virtual void wait(Ready for_what, Job& then) = 0;
    // The job will not run any more.
    virtual void cancel() noexcept = 0;
};

class Reactor : public Executor {
public:
    // Null when the system refuses: no descriptors left.
    [[nodiscard]] virtual std::unique_ptr<Watch> watch(int fd) = 0;
};

// The process's own, on Asio with one thread, started when first asked for; never destroyed.
Reactor& default_reactor();

}  // namespace net
}  // namespace v0
}  // namespace perdure

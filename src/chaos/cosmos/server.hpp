// SPDX-License-Identifier: Apache-2.0
//
// Who listens, and who answers? One thread: a door for each region, one for the global endpoint, one
// for whoever controls it all.
//
//     const std::lock_guard lock{server.mutex};
//     server.account.limit = 400;
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>

#include "chaos/cosmos/account.hpp"
#include "perdure/net/door.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

class Connection;

inline constexpr std::size_t control_door = global - 1;

struct Listener {
    net::Door door;
    std::size_t where = global;  // a region's number, global or control_door
    TimePoint again{};           // when it is tried again
};

// Every public function may be called from any thread.
class Server {
public:
    // What is said to whoever controls the gateway; on the server's thread, without the lock.
    using Control = std::function<Answer(const Asked&)>;

    Server(const GatewayOptions& options, Clock& clock, std::vector<Listener> listeners,
           net::Socket waker);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    [[nodiscard]] Result<void> start(Control control);
    void wake() const noexcept;
    // Returns when the doors are as the account's regions say. Not under the lock.
    void put_in_force();
    [[nodiscard]] std::uint16_t port_of(std::size_t where) const noexcept;

    mutable std::mutex mutex;
    Account account;
    Clock& clock;

private:
    friend class Connection;

    void run();
    void wait();
    void hear();
    void mind_doors(TimePoint now);
    void accept(Listener& listener, TimePoint now);
    [[nodiscard]] RegionState state_of(std::size_t where) const noexcept;
    [[nodiscard]] const std::string& date();

    std::vector<Listener> listeners_;
    net::Socket waker_;  // an eventfd
    Control control_;
    std::condition_variable in_force_;
    std::uint64_t wanted_ = 0, reached_ = 0;
    std::atomic<bool> stopping_{false};

    // The thread's own.
    std::vector<std::unique_ptr<Connection>> connections_;
    std::vector<pollfd> polled_;
    std::string date_;
    std::int64_t date_second_ = 0;
    std::jthread thread_;
};

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

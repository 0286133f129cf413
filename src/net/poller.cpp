// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/poller.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace net {

namespace {

// Without a descriptor to be woken by.
constexpr Duration look_again = 5ms;

struct Bell {
    ~Bell() {
        if (fd >= 0) ::close(fd);
    }
    int fd = -1;
};

constinit thread_local int pollers_here = 0;

int bell_of_this_thread() noexcept {
    thread_local Bell bell;
    if (bell.fd < 0) bell.fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return bell.fd;
}

timespec timespec_of(Duration wait) noexcept {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
    return {.tv_sec = seconds.count(), .tv_nsec = (wait - seconds).count()};
}

short events_of(Ready ready) noexcept {
    short events = 0;
    if (ready != Ready::write) events |= POLLIN;
    if (ready != Ready::read) events |= POLLOUT;
    return events;
}

}  // namespace

Poller::Poller(const std::stop_token& stop) : bell_{bell_of_this_thread()} {
    ++pollers_here;
    if (stop.stop_possible()) on_stop_.emplace(stop, OnStop{this});
}

Poller::~Poller() {
    // A call made inside another one's turn has taken in the other's news as well.
    if (--pollers_here > 0) wake();
}

void Poller::wake() noexcept {
    constexpr std::uint64_t one = 1;
    // A full counter means that it rings already.
    if (bell_ >= 0) [[maybe_unused]]
        const auto written = ::write(bell_, &one, sizeof one);
}

void Poller::wait(const Wants& wants, TimePoint now) {
    std::array<pollfd, Wants::most + 1> polled;
    nfds_t count = 0;
    for (const Want& want : wants.sockets())
        polled[count++] = {.fd = want.fd, .events = events_of(want.for_what), .revents = 0};
    const nfds_t bell = count;
    const bool woken = on_stop_ || wants.woken_by_others();
    if (woken && bell_ >= 0) polled[count++] = {.fd = bell_, .events = POLLIN, .revents = 0};

    Duration wait = wants.until() == TimePoint::max() ? never : wants.until() - now;
    if (woken && bell_ < 0) wait = std::min(wait, look_again);
    const timespec left = timespec_of(std::max(wait, Duration::zero()));
    const int ready = ::ppoll(polled.data(), count, wait == never ? nullptr : &left, nullptr);
    if (ready > 0 && count > bell && polled[bell].revents != 0) {
        std::uint64_t rung = 0;
        [[maybe_unused]] const auto read = ::read(bell_, &rung, sizeof rung);
    }
}

}  // namespace net
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "edge_watch.hpp"

#include <unistd.h>

namespace perdure {
inline namespace v0 {
namespace net {

Watch::~Watch() = default;

EdgeWatches::EdgeWatches(Executor& executor) noexcept
    : executor_{executor}, epoll_{::epoll_create1(EPOLL_CLOEXEC)} {}

EdgeWatches::~EdgeWatches() {
    if (epoll_ >= 0) ::close(epoll_);
}

std::unique_ptr<Watch> EdgeWatches::watch(int fd) {
    auto watched = std::make_unique<Watched>(*this);
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.ptr = watched.get();
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) return nullptr;
    return std::make_unique<EdgeWatch>(epoll_, fd, watched.release());
}

void EdgeWatches::look() const {
    std::array<epoll_event, most_at_once> events;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    int count = most_at_once;
    while (count == most_at_once) {
        count = ::epoll_wait(epoll_, events.data(), most_at_once, 0);
        for (int i = 0; i < count; ++i) {
            const epoll_event& event = events[static_cast<std::size_t>(i)];
            static_cast<Watched*>(event.data.ptr)->happened(event.events);
        }
    }
}

}  // namespace net
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "perdure/scrape/endpoint.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "perdure/net/door.hpp"
#include "perdure/net/failures.hpp"
#include "perdure/time/start_thread.hpp"
#include "perdure/try.hpp"
#include "visit.hpp"

namespace perdure {
inline namespace v0 {

namespace {

constexpr Duration try_again_in = 10ms;  // without a descriptor for who waits at the door
constexpr Duration longest_wait = 1h;    // "never" is too far for the kernel

}  // namespace

struct Endpoint::Inside {
    Inside(EndpointOptions chosen, Render its_render, Clock& its_clock, net::Door its_door,
           net::Socket its_bell)
        : options{std::move(chosen)},
          render{std::move(its_render)},
          clock{its_clock},
          door{std::move(its_door)},
          bell{std::move(its_bell)} {}

    void run();
    void wait();
    void accept(TimePoint now);

    const EndpointOptions options;
    const Render render;
    Clock& clock;
    net::Door door;
    net::Socket bell;  // an eventfd
    std::atomic<bool> stopping{false};

    // The thread's own.
    std::list<Visit> visits;
    std::vector<pollfd> polled;
    TimePoint door_again{};
    std::jthread thread;
};

void Endpoint::Inside::wait() {
    const TimePoint now = clock.now();
    TimePoint until = TimePoint::max();
    const bool full = visits.size() >= options.connections;
    const bool listens = !full && now >= door_again;
    polled.clear();
    polled.push_back({.fd = bell.fd(), .events = POLLIN, .revents = 0});
    polled.push_back({.fd = listens ? door.fd() : -1, .events = POLLIN, .revents = 0});
    if (!full && !listens) until = door_again;
    for (const Visit& visit : visits) {
        polled.push_back({.fd = visit.fd(), .events = visit.events(), .revents = 0});
        until = std::min(until, visit.until());
    }
    const Duration left = std::clamp<Duration>(until - now, 0ns, longest_wait);
    const timespec time{.tv_sec = left / 1s, .tv_nsec = (left % 1s).count()};
    (void)::ppoll(polled.data(), polled.size(), &time, nullptr);
}

void Endpoint::Inside::accept(TimePoint now) {
    while (visits.size() < options.connections) {
        net::Socket client;
        const net::Door::Met met = door.accept(client);
        if (met == net::Door::Met::no_room) door_again = now + try_again_in;
        if (met != net::Door::Met::client) return;
        visits.emplace_back(std::move(client), options, now);
    }
}

void Endpoint::Inside::run() {
    // Handlers of others do not belong here.
    sigset_t all;
    sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, nullptr);
    while (!stopping.load()) {
        wait();
        const TimePoint now = clock.now();
        try {
            if (now >= door_again) accept(now);
            for (Visit& visit : visits) visit.turn(render, now);
        } catch (...) {  // out of memory: those who ask are what can be done without
            visits.clear();
        }
        visits.remove_if([](const Visit& visit) { return visit.over(); });
    }
}

Endpoint::Endpoint(std::unique_ptr<Inside> inside) noexcept : inside_{std::move(inside)} {}

Result<std::unique_ptr<Endpoint>> Endpoint::start(EndpointOptions options, Render render,
                                                  Clock& clock) {
    auto address = net::address_from(options.listen, "listen");
    if (!address) return address.take_failure();
    if (options.reach == Reach::loopback_only && !address->loopback())
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "not-loopback",
                     .message = "listen: " + options.listen +
                                " can be reached from other machines; use 127.0.0.1 or [::1], or "
                                "say Reach::anywhere"});
    options.connections = std::max<std::size_t>(options.connections, 1);
    auto door = net::Door::open(*address);
    if (!door) return door.take_failure();
    net::Socket bell{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    if (!bell) return fail(net::failure_of(errno, net::Doing::opening));
    auto inside = std::make_unique<Inside>(std::move(options), std::move(render), clock,
                                           std::move(*door), std::move(bell));
    PERDURE_TRY_VALUE(inside->thread, start_thread([&its = *inside] { its.run(); }));
    return std::unique_ptr<Endpoint>{new Endpoint{std::move(inside)}};
}

Endpoint::~Endpoint() {
    inside_->stopping = true;
    const std::uint64_t one = 1;
    (void)!::write(inside_->bell.fd(), &one, sizeof one);
    inside_->thread.join();
}

std::uint16_t Endpoint::port() const noexcept { return inside_->door.address().port(); }

std::string Endpoint::url() const {
    return "http://" + inside_->door.address().to_string() + "/metrics";
}

}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "perdure/chaos/proxy.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "chaos/book.hpp"
#include "chaos/door.hpp"
#include "chaos/link.hpp"
#include "perdure/net/failures.hpp"
#include "perdure/time/start_thread.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

namespace {

// A door that cannot take anybody in, or cannot be opened again yet, is tried so often.
constexpr Duration try_again_in = 10ms;
constexpr int most_accepted_at_once = 64;

Fail invalid(std::string message) {
    return fail(
        {.cause = Cause::invalid, .origin = Origin::application, .message = std::move(message)});
}

// A proxy to itself would forward its own requests for ever. A free port can be just the one that the
// server, not there at the moment, is expected on; then it is not for us.
Result<Door> open_door(const net::Address& listen, const net::Address& to) {
    auto door = Door::open(listen);
    if (!door || door->address() != to) return door;
    if (listen.port() != 0) return invalid("to: " + to.to_string() + " is where it listens itself");
    return Door::open(listen);
}

Result<void> check(const Plan& plan) {
    std::string all;
    for (const std::string& problem : validate(plan)) all += (all.empty() ? "" : "\n") + problem;
    if (!all.empty()) return invalid(std::move(all));
    return {};
}

}  // namespace

struct Proxy::Inside {
    Inside(Plan plan, Door its_door, net::Socket its_waker, const net::Address& to,
           ProxyOptions its_options, Clock& its_clock)
        : options{std::move(its_options)},
          clock{its_clock},
          started{clock.now()},
          book{options.records},
          door{std::move(its_door)},
          waker{std::move(its_waker)},
          around{.book = book, .to = to, .id_header = options.id_header} {
        adopt(std::move(plan), started);
    }

    void run();
    void wake() const noexcept;
    void hear();
    void adopt(Plan plan, TimePoint now);
    void mind_door(TimePoint now);
    void accept(TimePoint now);
    void wait();
    void turn(TimePoint now);
    void sweep(TimePoint now);

    const ProxyOptions options;
    Clock& clock;
    const TimePoint started;
    Book book;
    Door door;
    net::Socket waker;  // an eventfd

    // What others want of the thread.
    std::mutex mutex;
    std::condition_variable in_force;
    std::optional<Plan> wanted;
    std::uint64_t plans_wanted = 0, plans_adopted = 0;
    std::atomic<bool> stopping = false;

    // Its own.
    struct Watched {
        std::unique_ptr<Link> link;
        std::size_t first = 0, count = 0;  // in `polled`
    };
    Surroundings around;
    std::vector<Watched> links;
    std::vector<pollfd> polled;
    TimePoint door_again{};
    std::jthread thread;
};

void Proxy::Inside::wake() const noexcept {
    const std::uint64_t one = 1;
    (void)!::write(waker.fd(), &one, sizeof one);
}

void Proxy::Inside::adopt(Plan plan, TimePoint now) {
    around.judge = std::make_unique<Judge>(std::move(plan), book);
    const Rule* rule = around.judge->closed_door();
    around.closed_until = rule ? after(now, rule->closed_for) : TimePoint{};
}

void Proxy::Inside::hear() {
    std::uint64_t ignored = 0;
    (void)!::read(waker.fd(), &ignored, sizeof ignored);
    const std::lock_guard lock{mutex};
    if (!wanted) return;
    adopt(*std::exchange(wanted, std::nullopt), clock.now());
    mind_door(clock.now());
    plans_adopted = plans_wanted;
    in_force.notify_all();
}

void Proxy::Inside::mind_door(TimePoint now) {
    if (around.closed_until > now) return door.close();
    if (door.is_open() || now < door_again) return;
    if (!door.reopen()) door_again = now + try_again_in;
}

void Proxy::Inside::accept(TimePoint now) {
    for (int i = 0; i < most_accepted_at_once && links.size() < options.connections; ++i) {
        net::Socket client;
        const Door::Met met = door.is_open() ? door.accept(client) : Door::Met::nobody;
        if (met == Door::Met::no_room) door_again = now + try_again_in;
        if (met != Door::Met::client) return;
        const bool http = around.judge->plan()->protocol == Protocol::http;
        auto link = (http ? http_link : tcp_link)(around, std::move(client), now);
        book.count(&Counters::connections);
        book.count(&Counters::open_connections);
        link->begin();
        link->turn(now);
        links.push_back({.link = std::move(link)});
        mind_door(now);
    }
}

void Proxy::Inside::wait() {
    const TimePoint now = clock.now();
    TimePoint until = around.closed_until > now ? around.closed_until : TimePoint::max();
    polled.clear();
    polled.push_back({.fd = waker.fd(), .events = POLLIN, .revents = 0});
    const bool listens = door.is_open() && now >= door_again && links.size() < options.connections;
    polled.push_back({.fd = listens ? door.fd() : -1, .events = POLLIN, .revents = 0});
    if (!listens && now < door_again) until = std::min(until, door_again);
    for (Watched& one : links) {
        one.first = polled.size();
        one.link->watch(polled);
        one.count = polled.size() - one.first;
        until = std::min(until, one.link->due());
    }
    // In pieces of an hour, since "never" is too far for the kernel.
    const Duration left = std::clamp<Duration>(until - now, 0s, 1h);
    const timespec time{.tv_sec = left / 1s, .tv_nsec = (left % 1s).count()};
    if (::ppoll(polled.data(), polled.size(), &time, nullptr) < 0)
        for (pollfd& one : polled) one.revents = 0;
}

void Proxy::Inside::turn(TimePoint now) {
    for (const Watched& one : links) {
        const auto first = polled.begin() + static_cast<std::ptrdiff_t>(one.first);
        const auto last = first + static_cast<std::ptrdiff_t>(one.count);
        const bool ready = std::any_of(first, last, [](const pollfd& fd) { return fd.revents; });
        if (ready || one.link->due() <= now) one.link->turn(now);
    }
}

void Proxy::Inside::sweep(TimePoint now) {
    std::erase_if(links, [&](const Watched& one) {
        if (one.link->over()) one.link->close_account(now);
        return one.link->over();
    });
}

void Proxy::Inside::run() {
    while (!stopping.load()) {
        mind_door(clock.now());
        wait();
        if (polled[0].revents != 0) hear();
        const TimePoint now = clock.now();
        turn(now);
        if (polled[1].revents != 0) accept(now);
        sweep(now);
    }
}

Proxy::Proxy(std::unique_ptr<Inside> inside) noexcept : inside_{std::move(inside)} {}

Result<std::unique_ptr<Proxy>> Proxy::start(Plan plan, ProxyOptions options, Clock& clock) {
    if (auto good = check(plan); !good) return fail(good.error());
    if (options.to.empty()) return invalid("to: where to? write 127.0.0.1:9000");
    const auto listen = address_from(options.listen, "listen");
    if (!listen) return fail(listen.error());
    const auto to = address_from(options.to, "to");
    if (!to) return fail(to.error());
    if (options.allow == Listening::loopback_only && !listen->loopback())
        return invalid("listen: " + options.listen +
                       " can be reached from other machines; use 127.0.0.1 or [::1], or say that "
                       "it may listen anywhere");
    auto door = open_door(*listen, *to);
    if (!door) return fail(door.error());
    net::Socket waker{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    if (!waker) return fail(net::failure_of(errno, net::Doing::opening));
    auto inside = std::make_unique<Inside>(std::move(plan), std::move(*door), std::move(waker), *to,
                                           std::move(options), clock);
    inside->mind_door(inside->started);
    PERDURE_TRY_VALUE(inside->thread, start_thread([&its = *inside] { its.run(); }));
    return std::unique_ptr<Proxy>{new Proxy{std::move(inside)}};
}

Proxy::~Proxy() {
    inside_->stopping = true;
    inside_->wake();
    inside_->thread.join();
}

Result<void> Proxy::change(Plan plan) {
    if (auto good = check(plan); !good) return good;
    std::unique_lock lock{inside_->mutex};
    inside_->wanted = std::move(plan);
    const std::uint64_t mine = ++inside_->plans_wanted;
    inside_->wake();
    inside_->in_force.wait(lock, [&] { return inside_->plans_adopted >= mine; });
    return {};
}

std::uint16_t Proxy::port() const noexcept { return inside_->door.address().port(); }
std::string Proxy::address() const { return inside_->door.address().to_string(); }
Counters Proxy::counters() const { return inside_->book.counters(); }
std::string Proxy::counters_json() const { return to_json(counters()); }
std::vector<Record> Proxy::records() const { return inside_->book.records(); }
std::vector<Record> Proxy::take_records() { return inside_->book.take_records(); }
TimePoint Proxy::started() const noexcept { return inside_->started; }

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

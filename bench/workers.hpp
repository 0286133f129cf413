// SPDX-License-Identifier: Apache-2.0
//
// How do many workers put load on one client? Each does the same, again and again, over connections
// that stay open: in a thread of its own, or in a coroutine on the one thread of a reactor.
//
//     struct Service {
//         int workers = 16;
//         std::unique_ptr<Client> client(net::Reactor* reactor) const;    // null: for threads
//         std::variant<Getting, Putting> script(int worker) const;
//     };
//     struct Getting {
//         auto send(Client& client);     // one call; or
//         auto start(Client& client);    // the same, to be awaited
//         void check(const auto& answer) const;
//     };
//     measure(*make_load_client("coroutine", Service{16}), {.workers = 16, .calls = 20'000});
#pragma once

#include <cstdint>
#include <latch>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "perdure/call/task.hpp"
#include "perdure/net/asio_reactor.hpp"
#include "perdure/time/clock.hpp"

namespace bench {

// Ends the program: a benchmark of failures says nothing.
[[noreturn]] void give_up(std::string_view why);

// How long each call took. Used by one thread.
struct Times {
    std::vector<std::int64_t> nanoseconds{};
    // Microseconds; sorts.
    [[nodiscard]] double quantile(double share);
};

// The first run also connects. Used by one thread.
class LoadClient {
public:
    LoadClient() = default;
    LoadClient(const LoadClient&) = delete;
    LoadClient& operator=(const LoadClient&) = delete;
    virtual ~LoadClient();
    virtual Times run(std::uint64_t calls) = 0;
};

struct Amount {
    int workers = 1;
    std::uint64_t calls = 1000;
};
// Runs it and prints what it took, as JSON.
void measure(LoadClient& client, const Amount& amount);

// What falls to one of the workers.
std::uint64_t share(std::uint64_t calls, int workers, int worker);

// A thread for each worker, all of them with one client.
template <class Service>
class Blocking final : public LoadClient {
public:
    explicit Blocking(Service service)
        : service_{std::move(service)}, client_{service_.client(nullptr)} {}

    Times run(std::uint64_t calls) override {
        std::vector<Times> times(static_cast<std::size_t>(service_.workers));
        if (service_.workers == 1) {
            work(0, calls, times[0]);
        } else {
            std::vector<std::thread> threads;
            for (int i = 0; i < service_.workers; ++i)
                threads.emplace_back([this, i, calls, &times] {
                    work(i, share(calls, service_.workers, i), times[static_cast<std::size_t>(i)]);
                });
            for (auto& thread : threads) thread.join();
        }
        for (std::size_t i = 1; i < times.size(); ++i)
            times[0].nanoseconds.insert(times[0].nanoseconds.end(), times[i].nanoseconds.begin(),
                                        times[i].nanoseconds.end());
        return std::move(times[0]);
    }

private:
    void work(int worker, std::uint64_t calls, Times& times) {
        times.nanoseconds.reserve(calls);
        auto script = service_.script(worker);
        std::visit([&](auto& chosen) { repeat(chosen, calls, times); }, script);
    }
    void repeat(auto& script, std::uint64_t calls, Times& times) {
        for (std::uint64_t i = 0; i < calls; ++i) {
            const perdure::TimePoint began = clock_.now();
            script.check(script.send(*client_));
            times.nanoseconds.push_back((clock_.now() - began).count());
        }
    }

    Service service_;
    perdure::Clock& clock_ = perdure::system_clock();
    decltype(service_.client(nullptr)) client_;
};

template <class Service>
class Coroutine final : public LoadClient {
public:
    explicit Coroutine(Service service)
        : service_{std::move(service)}, client_{service_.client(&reactor_)} {}

    Times run(std::uint64_t calls) override {
        Crowd crowd{*this, calls};
        crowd.times.nanoseconds.reserve(calls);
        reactor_.post(crowd);
        crowd.ended.wait();
        return std::move(crowd.times);
    }

private:
    struct Crowd : perdure::Job {
        Crowd(Coroutine& whose, std::uint64_t calls)
            : Job{&Crowd::begin}, self{whose}, left{calls}, ended{whose.service_.workers + 1} {}
        static void begin(Job& job) {
            auto& crowd = static_cast<Crowd&>(job);
            for (int i = 0; i < crowd.self.service_.workers; ++i)
                std::visit(
                    [&](auto chosen) { crowd.tasks.push_back(repeat(crowd, std::move(chosen))); },
                    crowd.self.service_.script(i));
            for (auto& task : crowd.tasks)
                if (task.start({&Crowd::one_ended, &crowd})) one_ended(&crowd);
            crowd.ended.count_down();
        }
        static void one_ended(void* who) { static_cast<Crowd*>(who)->ended.count_down(); }

        Coroutine& self;
        std::uint64_t left;
        std::vector<perdure::Task<>> tasks{};
        Times times{};
        std::latch ended;
    };

    template <class Script>
    static perdure::Task<> repeat(Crowd& crowd, Script script) {
        while (crowd.left > 0) {
            --crowd.left;
            const perdure::TimePoint began = crowd.self.clock_.now();
            auto call = script.start(*crowd.self.client_);
            const auto answer = co_await call;
            script.check(answer);
            crowd.times.nanoseconds.push_back((crowd.self.clock_.now() - began).count());
        }
    }

    Service service_;
    perdure::Clock& clock_ = perdure::system_clock();
    perdure::net::AsioReactor reactor_;
    decltype(service_.client(nullptr)) client_;
};

// "blocking" or "coroutine".
template <class Service>
std::unique_ptr<LoadClient> make_load_client(std::string_view way, Service service) {
    if (way == "coroutine") return std::make_unique<Coroutine<Service>>(std::move(service));
    return std::make_unique<Blocking<Service>>(std::move(service));
}

}  // namespace bench

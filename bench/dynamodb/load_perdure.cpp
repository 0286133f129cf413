// SPDX-License-Identifier: Apache-2.0
//
// Perdure as it comes: a client with the default plan, so deadline, attempt timeout, budget, checksum
// and signature are all in use.
#include <latch>
#include <thread>

#include "load.hpp"
#include "perdure/call/task.hpp"
#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/net/asio_reactor.hpp"

namespace bench {
namespace {

using namespace perdure;

dynamodb::ClientOptions options_for(const Load& load, net::Reactor* reactor) {
    dynamodb::ClientOptions options;
    options.region = "us-east-1";
    options.endpoint = load.endpoint;
    options.credentials = dynamodb::fixed_credentials({"AKIDEXAMPLEEXAMPLE00", "not-a-secret"});
    options.pool.max_connections = load.workers;
    options.environment.executor = reactor;
    return options;
}

// Whose answer is it?
void check(const Result<dynamodb::Got>& answer, const dynamodb::Item& key) {
    if (!answer) give_up(to_string(answer.error()));
    if (!answer->item || answer->item->size() != 10) give_up("not the item expected");
    if (*answer->item->find("pk") != *key.find("pk")) give_up("the item of somebody else");
}
void check(const Result<dynamodb::Written>& answer, const dynamodb::Item&) {
    if (!answer) give_up(to_string(answer.error()));
}

// What one worker sends, and how it looks at the answers.
template <class Request>
struct Script {
    Request request;
    dynamodb::Item key;
};

Script<dynamodb::GetItem> getting(int worker) {
    return {dynamodb::GetItem{std::string{table}, key_of(worker)}, key_of(worker)};
}
Script<dynamodb::PutItem> putting(const Load& load, int worker) {
    return {dynamodb::PutItem{std::string{table}, item_of(load, worker)}, key_of(worker)};
}

std::uint64_t share(std::uint64_t calls, int workers, int worker) {
    const auto all = static_cast<std::uint64_t>(workers);
    return calls / all + (static_cast<std::uint64_t>(worker) < calls % all ? 1 : 0);
}

class Blocking final : public LoadClient {
public:
    explicit Blocking(const Load& load) : load_{load}, client_{options_for(load, nullptr)} {}

    Times run(std::uint64_t calls) override {
        std::vector<Times> times(static_cast<std::size_t>(load_.workers));
        if (load_.workers == 1) {
            work(0, calls, times[0]);
        } else {
            std::vector<std::thread> threads;
            for (int i = 0; i < load_.workers; ++i)
                threads.emplace_back([this, i, calls, &times] {
                    work(i, share(calls, load_.workers, i), times[static_cast<std::size_t>(i)]);
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
        if (load_.operation == What::get) repeat(getting(worker), calls, times);
        else repeat(putting(load_, worker), calls, times);
    }
    template <class Request>
    void repeat(const Script<Request>& script, std::uint64_t calls, Times& times) {
        for (std::uint64_t i = 0; i < calls; ++i) {
            const TimePoint began = clock_.now();
            check(client_.send(script.request), script.key);
            times.nanoseconds.push_back((clock_.now() - began).count());
        }
    }

    const Load& load_;
    Clock& clock_ = system_clock();
    dynamodb::Client client_;
};

class Coroutine final : public LoadClient {
public:
    explicit Coroutine(const Load& load) : load_{load}, client_{options_for(load, &reactor_)} {}

    Times run(std::uint64_t calls) override {
        Crowd crowd{*this, calls};
        crowd.times.nanoseconds.reserve(calls);
        reactor_.post(crowd);
        crowd.ended.wait();
        return std::move(crowd.times);
    }

private:
    struct Crowd : Job {
        Crowd(Coroutine& whose, std::uint64_t calls)
            : Job{&Crowd::begin}, self{whose}, left{calls}, ended{whose.load_.workers + 1} {}
        static void begin(Job& job) {
            auto& crowd = static_cast<Crowd&>(job);
            const Load& load = crowd.self.load_;
            for (int i = 0; i < load.workers; ++i)
                crowd.tasks.push_back(load.operation == What::get
                                          ? repeat(crowd, getting(i))
                                          : repeat(crowd, putting(load, i)));
            for (auto& task : crowd.tasks)
                if (task.start({&Crowd::one_ended, &crowd})) one_ended(&crowd);
            crowd.ended.count_down();
        }
        static void one_ended(void* who) { static_cast<Crowd*>(who)->ended.count_down(); }

        Coroutine& self;
        std::uint64_t left;
        std::vector<Task<>> tasks{};
        Times times{};
        std::latch ended;
    };

    template <class Request>
    static Task<> repeat(Crowd& crowd, Script<Request> script) {
        while (crowd.left > 0) {
            --crowd.left;
            const TimePoint began = crowd.self.clock_.now();
            auto call = crowd.self.client_.start(script.request);
            const auto answer = co_await std::move(call);
            check(answer, script.key);
            crowd.times.nanoseconds.push_back((crowd.self.clock_.now() - began).count());
        }
    }

    const Load& load_;
    Clock& clock_ = system_clock();
    net::AsioReactor reactor_;
    dynamodb::Client client_;
};

}  // namespace

std::unique_ptr<LoadClient> make_blocking(const Load& load) {
    return std::make_unique<Blocking>(load);
}
std::unique_ptr<LoadClient> make_coroutine(const Load& load) {
    return std::make_unique<Coroutine>(load);
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "perdure/sim/contention.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "perdure/call/progress.hpp"
#include "perdure/sim/stream.hpp"

namespace perdure {
inline namespace v0 {
namespace sim {

namespace {

enum class At : std::uint8_t { client, read, version, write, answer };

struct RaceEvent {
    Duration time{};
    std::uint64_t order = 0;  // of two at one time, the one planned first
    int client = 0;
    At at = At::client;
    friend bool operator>(const RaceEvent& a, const RaceEvent& b) noexcept {
        return std::tie(a.time, a.order) > std::tie(b.time, b.order);
    }
};

struct Client {
    Client(Memory& memory, const Operation& operation, std::uint64_t seed, int index)
        : random{Dice{seed}.of(Purpose::jitter, static_cast<std::uint64_t>(index))},
          progress{memory, operation, {.now = TimePoint{}, .random = &random}} {}

    StreamRandom random;
    Progress progress;
    int attempt = 0;
    std::uint64_t legs = 0;
    std::uint64_t version = 0;
    enum class Won : std::uint8_t { no, yes } won = Won::no;
};

class Race {
public:
    Race(const Contest& contest, std::uint64_t seed)
        : contest_{contest}, dice_{seed}, memory_{contest.plan, Keeps::counts} {
        for (int i = 0; i < contest.clients; ++i) {
            clients_.emplace_back(memory_, operation_, seed, i);
            plan(Duration::zero(), i, At::client);
        }
    }

    Contended run() {
        while (!agenda_.empty()) {
            const RaceEvent event = agenda_.top();
            agenda_.pop();
            happen(event);
        }
        return result_;
    }

private:
    void plan(Duration time, int client, At at) { agenda_.push({time, planned_++, client, at}); }

    void send(const RaceEvent& from, At to) {
        const Stream dice =
            dice_.of(to == At::version || to == At::answer ? Purpose::back : Purpose::there,
                     static_cast<std::uint64_t>(from.client), of(from).legs++);
        plan(from.time + contest_.leg.draw(dice), from.client, to);
    }

    void happen(const RaceEvent& event) {
        switch (event.at) {
            case At::client: return ask(event);
            case At::read: of(event).version = version_; return send(event, At::version);
            case At::version: return send(event, At::write);
            case At::write: return write(event);
            case At::answer: return answer(event);
        }
    }

    void write(const RaceEvent& event) {
        ++result_.calls;
        Client& client = of(event);
        client.won = client.version == version_ ? Client::Won::yes : Client::Won::no;
        if (client.won == Client::Won::yes) ++version_;
        send(event, At::answer);
    }

    void answer(const RaceEvent& event) {
        Client& client = of(event);
        const TimePoint now{event.time};
        if (client.won == Client::Won::yes) client.progress.succeeded(client.attempt, now);
        else client.progress.failed(client.attempt, {.cause = Cause::contended}, Effect::none, now);
        ask(event);
    }

    void ask(const RaceEvent& event) {
        Client& client = of(event);
        const Step step = client.progress.next(TimePoint{event.time});
        if (step.kind == StepKind::attempt) {
            client.attempt = step.number;
            send(event, At::read);
        } else if (step.kind == StepKind::wait) {
            plan(step.until.time_since_epoch(), event.client, At::client);
        } else {
            result_.time = std::max(result_.time, event.time);
        }
    }

    Client& of(const RaceEvent& event) { return clients_[static_cast<std::size_t>(event.client)]; }

    const Contest& contest_;
    const Dice dice_;
    Memory memory_;
    const Operation operation_{.name = "update", .safety = Safety::guarded};
    std::deque<Client> clients_;  // a Progress stays where it was made
    std::priority_queue<RaceEvent, std::vector<RaceEvent>, std::greater<>> agenda_;
    std::uint64_t planned_ = 0;
    std::uint64_t version_ = 0;  // of the row
    Contended result_;
};

}  // namespace

Contended contend(const Contest& contest, std::uint64_t seed) { return Race{contest, seed}.run(); }

Plan contention_plan(const Backoff& backoff) {
    Plan plan;
    plan.name = "contention";
    plan.deadline = 24h * 365;
    plan.attempt_timeout = plan.deadline;
    plan.rule = {.attempts = 0, .backoff = backoff, .cost = 0};
    plan.budget.kind = BudgetKind::none;
    return plan;
}

}  // namespace sim
}  // namespace v0
}  // namespace perdure

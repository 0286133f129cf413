// SPDX-License-Identifier: Apache-2.0
//
// One attempt on its way: a connection from the pool or a new one, the request, the service, the
// answer. Phases are noted as the HTTP transport notes them, and the codes are its codes.
#include <algorithm>
#include <utility>

#include "doctor_stage_world.hpp"

namespace stage {

using namespace std::chrono_literals;
using perdure::Cause;
using perdure::Effect;
using perdure::Failure;
using perdure::Origin;
using perdure::Phase;
using perdure::Phases;
using perdure::Remedy;
using perdure::Sent;

namespace {

constexpr std::array overdue{"pool-full",    "dns-timeout",        "connect-timeout", "tls-timeout",
                             "send-timeout", "first-byte-timeout", "body-timeout"};

std::string request_id(Dice& dice) {
    std::string text = "req-";
    const std::uint64_t bits = dice.bits();
    for (int i = 0; i < 12; ++i) text += "0123456789abcdef"[(bits >> (4 * i)) & 15U];
    return text;
}

Failure status(Dice& dice, Cause cause, int code) {
    return {.cause = cause,
            .status = code,
            .code = std::to_string(code),
            .request_id = request_id(dice)};
}

Failure reset() {
    return {.cause = Cause::unavailable, .origin = Origin::network, .code = "ECONNRESET"};
}

}  // namespace

int World::place_of(const Call& call, int step) const {
    const auto& doors = processes_[static_cast<std::size_t>(call.instance)]
                            .doors[static_cast<std::size_t>(call.dependency)];
    const int places = static_cast<int>(doors.size());
    std::vector<int> order;
    for (const bool marked : {false, true})
        for (int i = 0; i < places; ++i) {
            const int place = (call.home + i) % places;
            if ((doors[static_cast<std::size_t>(place)].marked_until > now_) == marked)
                order.push_back(place);
        }
    return order[static_cast<std::size_t>(step % places)];
}

World::Door& World::door(const Call& call) {
    return processes_[static_cast<std::size_t>(call.instance)].doors[static_cast<std::size_t>(
        call.dependency)][static_cast<std::size_t>(call.trial->endpoint)];
}

Call* World::find(std::uint64_t id, int number) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return nullptr;
    Call& call = *found->second;
    return call.trial && call.trial->number == number ? &call : nullptr;
}

void World::attempt(Call& call, const perdure::Step& step) {
    const Dependency& whom = dependency(call.dependency);
    Trial& trial = call.trial.emplace();
    trial.number = step.number;
    trial.endpoint = place_of(call, step.endpoint);
    trial.started = now_;
    trial.until = step.until.time_since_epoch() - origin;
    ++call.attempts;
    call.diagnostics.note_place(trial.number,
                                whom.endpoints[static_cast<std::size_t>(trial.endpoint)].address);

    Door& to = door(call);
    std::erase_if(to.idle,
                  [&](const Connection& c) { return c.idle_since + whom.idle_for < now_; });
    if (!to.idle.empty()) {
        trial.reused = true;
        trial.uses = to.idle.back().uses + 1;
        to.idle.pop_back();
    } else {
        trial.uses = 1;
        dial(call, trial);
    }
    Duration whole{};
    for (const Duration phase : trial.set_up) {
        if (phase == perdure::never) return;  // its time will run out
        whole += phase;
    }
    trial.ready = now_ + whole;
    at(trial.ready, [this, id = call.id, number = trial.number] { send(id, number); });
}

// Draws how long it takes to have a connection; `never` where nothing will come back.
void World::dial(Call& call, Trial& trial) {
    const Dependency& whom = dependency(call.dependency);
    const Duration there = whom.endpoints[static_cast<std::size_t>(trial.endpoint)].round_trip;
    const auto noticed = [&](Duration took) { return seen(call.instance, now_ + took) - now_; };
    auto& [pool, dns, connect, tls] = trial.set_up;
    pool = dice_.around(4us, 0.5);
    Door& to = door(call);
    if (to.name_until <= now_) {
        dns = dice_.around(900us, 0.7);
        const Fault* slow = fault(Kind::slow_dns, call.instance, call.dependency, every);
        if (strikes(slow, &trial)) dns += dice_.around(slow->median, slow->sigma);
        dns = noticed(dns);
        if (now_ + dns < trial.until) to.name_until = now_ + dns + whom.names_last;
    }
    const Fault* silent = fault(Kind::silent, call.instance, call.dependency, trial.endpoint);
    if (strikes(silent, &trial)) {
        connect = perdure::never;
        return;
    }
    const Fault* full = fault(Kind::descriptors, call.instance, call.dependency, every);
    const Fault* gone = fault(Kind::refused, call.instance, call.dependency, trial.endpoint);
    if (strikes(full, &trial)) {
        trial.breaks = {.cause = Cause::exhausted, .origin = Origin::network, .code = "EMFILE"};
        connect = noticed(dice_.around(20us, 0.3));
        return;
    }
    connect = noticed(dice_.around(there, 0.2) + retransmissions(call, trial, 1s, 2));
    if (strikes(gone, &trial))
        trial.breaks = {.cause = Cause::unavailable,
                        .effect = Effect::none,
                        .origin = Origin::network,
                        .code = "ECONNREFUSED"};
    else tls = noticed(dice_.around(2 * there + 1ms, 0.3) + retransmissions(call, trial, 200ms, 4));
}

// What lost packets cost on one exchange of so many.
Duration World::retransmissions(const Call& call, Trial& trial, Duration first, int packets) {
    const Fault* loss = fault(Kind::loss, call.instance, call.dependency, trial.endpoint);
    Duration late{};
    for (; loss && packets > 0; --packets)
        for (Duration pause = first; pause < 60s && strikes(loss, nullptr); pause *= 2)
            late += pause;
    // What is small beside the work itself is not seen by anybody.
    if (loss && loss->of_story && late > 2 * dependency(call.dependency).median)
        trial.touched = true;
    return late;
}

void World::send(std::uint64_t id, int number) {
    Call* call = find(id, number);
    if (!call) return;
    Trial& trial = *call->trial;
    if (trial.breaks) return fail(*call, *trial.breaks);
    const Dependency& whom = dependency(call->dependency);
    call->progress->connected(number, point(now_));
    const Duration timeout = processes_[static_cast<std::size_t>(call->instance)]
                                 .memories[static_cast<std::size_t>(call->dependency)]
                                 ->attempt_timeout();
    trial.until =
        std::min(now_ + timeout, call->progress->deadline().at().time_since_epoch() - origin);
    Duration sending = dice_.around(60us, 0.5);
    const Fault* disk = fault(Kind::slow_disk, call->instance, call->dependency, every);
    if (strikes(disk, &trial)) sending += dice_.around(disk->median, disk->sigma);
    trial.sent = now_ + sending;
    const Duration half = whom.endpoints[static_cast<std::size_t>(trial.endpoint)].round_trip / 2;
    at(trial.sent + half, [this, id, number, to = call->dependency, place = trial.endpoint] {
        serve(id, number, to, place);
    });
    pump(*call);
}

// A request that has been given up meanwhile is served all the same: the service does not know.
void World::serve(std::uint64_t id, int number, int to, int place) {
    Call* call = find(id, number);
    if (!call) return static_cast<void>(queue(to, place));
    Trial& trial = *call->trial;
    const Dependency& whom = dependency(call->dependency);
    Duration takes{};
    Answer answer = decide_answer(*call, trial, takes);
    if (takes == perdure::never) return;
    const Duration half = whom.endpoints[static_cast<std::size_t>(trial.endpoint)].round_trip / 2;
    const Duration back = now_ + takes + half + retransmissions(*call, trial, 200ms, 2);
    at(seen(call->instance, back), [this, id, number, answer = std::move(answer)]() mutable {
        deliver(id, number, std::move(answer));
    });
}

World::Answer World::decide_answer(Call& call, Trial& trial, Duration& takes) {
    const Dependency& whom = dependency(call.dependency);
    takes = 300us;
    if (const Fault* loss = fault(Kind::loss, call.instance, call.dependency, trial.endpoint);
        loss && dice_.chance(loss->share / 5)) {
        trial.touched |= loss->of_story;
        return {reset()};
    }
    for (const Kind dead : {Kind::silent, Kind::refused})
        if (strikes(fault(dead, call.instance, call.dependency, trial.endpoint), &trial)) {
            takes = dead == Kind::silent ? perdure::never : 300us;
            return {reset()};
        }
    if (dice_.chance(script_.noise.failing / 5)) {
        takes = perdure::never;  // the answer is lost
        return {};
    }
    if (auto failure = throttle(call, trial)) return {std::move(failure)};
    if (auto failure = refuse(call, trial)) return {std::move(failure)};
    const auto waits = queue(call.dependency, trial.endpoint);
    if (!waits || *waits > whom.median) trial.touched = true;
    if (!waits) return {status(dice_, Cause::overloaded, 503)};
    const OperationKind& kind = whom.operations[static_cast<std::size_t>(call.kind)];
    double slower = kind.heavier;
    if (const Fault* slow = fault(Kind::slow_server, every, call.dependency, trial.endpoint))
        slower *= slow->factor;
    if (dice_.chance(script_.noise.slow)) slower *= dice_.even(3, 15);
    takes = *waits + of_seconds(seconds(dice_.around(whom.median, whom.sigma)) * slower);
    return {{}, dice_.around(150us, 0.6)};
}

// One partition serves so many calls per second, with a little in reserve.
std::optional<Failure> World::throttle(Call& call, Trial& trial) {
    const Dependency& whom = dependency(call.dependency);
    if (whom.partition_rate <= 0) return {};
    const auto partition = static_cast<std::size_t>(call.subject % whom.partitions);
    Bucket& bucket = buckets_[static_cast<std::size_t>(call.dependency)][partition];
    const double most = std::max(10.0, 2 * whom.partition_rate);
    const double now = seconds(now_);
    if (bucket.at < 0) bucket = {most, now};
    bucket.tokens = std::min(most, bucket.tokens + (now - bucket.at) * whom.partition_rate);
    bucket.at = now;
    if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return {};
    }
    trial.touched = true;
    Failure failure = status(dice_, Cause::throttled, 429);
    failure.retry_after = of_seconds(dice_.even(1, 3) / whom.partition_rate + 0.005);
    return failure;
}

std::optional<Failure> World::refuse(Call& call, Trial& trial) {
    const Fault* broken = fault(Kind::erroring, call.instance, call.dependency, trial.endpoint);
    if (strikes(broken, &trial)) return status(dice_, Cause::unavailable, 503);
    if (trial.number == 1 && dice_.chance(script_.noise.refusing))
        return dice_.chance(0.7) ? status(dice_, Cause::not_found, 404)
                                 : status(dice_, Cause::conflict, 409);
    if (!dice_.chance(script_.noise.failing)) return {};
    switch (dice_.below(4)) {
        case 0: return status(dice_, Cause::unavailable, 503);
        case 1: return status(dice_, Cause::internal, 500);
        case 2: return status(dice_, Cause::throttled, 429);
        default: return reset();
    }
}

// How long the request waits for its turn; nothing when it is sent away.
std::optional<Duration> World::queue(int to, int place) {
    const Dependency& whom = dependency(to);
    if (whom.capacity <= 0) return Duration{};
    const Fault* hands = fault(Kind::short_of_hands, every, to, every);
    const double pace = whom.capacity * (hands ? hands->factor : 1);
    double& free_at =
        services_[static_cast<std::size_t>(to)][static_cast<std::size_t>(place)].free_at;
    const double now = seconds(now_);
    // Many hands: a few requests at once do not wait for each other, only more than can be done does.
    const double start = std::max(now - 10 / pace, free_at);
    const double waits = std::max(0.0, start - now);
    if (whom.longest_queue > Duration{} && waits > seconds(whom.longest_queue)) return {};
    free_at = start + 1 / pace;
    return of_seconds(waits);
}

void World::deliver(std::uint64_t id, int number, Answer answer) {
    Call* call = find(id, number);
    if (!call) return;
    Trial& trial = *call->trial;
    trial.answered = now_;
    if (answer.failure) return fail(*call, *std::move(answer.failure));
    const Fault* disk = fault(Kind::slow_disk, call->instance, call->dependency, every);
    if (strikes(disk, &trial)) answer.body += dice_.around(disk->median, disk->sigma);
    at(seen(call->instance, now_ + answer.body), [this, id, number] { succeed(id, number); });
}

void World::succeed(std::uint64_t id, int number) {
    Call* call = find(id, number);
    if (!call) return;
    const Trial& trial = *call->trial;
    call->diagnostics.note_phases(number, phases_of(trial));
    Door& to = door(*call);
    to.failures = 0;
    if (trial.uses < dependency(call->dependency).uses) to.idle.push_back({now_, trial.uses});
    call->touched |= trial.touched;
    call->trial.reset();
    call->progress->succeeded(number, point(now_));
    pump(*call);
}

void World::fail(Call& call, Failure failure) {
    const Trial trial = *call.trial;
    const Dependency& whom = dependency(call.dependency);
    Door& to = door(call);
    const bool theirs = failure.cause == Cause::timed_out || failure.cause == Cause::unavailable;
    to.failures = theirs ? to.failures + 1 : 0;
    if (to.failures >= 3 && whom.mark_for > Duration{}) {
        to.marked_until = now_ + whom.mark_for;
        to.failures = 0;
    }
    // An answer leaves the connection as it was; anything else ends it.
    if (failure.status != 0 && trial.uses < whom.uses) to.idle.push_back({now_, trial.uses});
    if (theirs && whom.moves_on && whom.endpoints.size() > 1)
        failure.remedies |= Remedy::next_endpoint;
    call.diagnostics.note_phases(trial.number, phases_of(trial));
    call.touched |= trial.touched;
    call.trial.reset();
    call.progress->failed(trial.number, std::move(failure), Effect::none, point(now_));
    pump(call);
}

void World::time_out(Call& call) {
    Trial& trial = *call.trial;
    const Phases phases = phases_of(trial);
    const bool ours = phases.reached == Phase::pool;
    const Fault* tight = fault(Kind::tight_timeout, call.instance, call.dependency, every);
    if (phases.reached >= Phase::send) static_cast<void>(strikes(tight, &trial));
    fail(call, {.cause = ours ? Cause::exhausted : Cause::timed_out,
                .effect = phases.reached < Phase::send ? Effect::none : Effect::unknown,
                .origin = ours ? Origin::application : Origin::network,
                .code = overdue[static_cast<std::size_t>(phases.reached)]});
}

void World::leave(Call& call) {
    if (!call.trial) return;
    call.diagnostics.note_phases(call.trial->number, phases_of(*call.trial));
    call.touched |= call.trial->touched;
    call.trial.reset();
}

// How far it has got by now, and where the time went.
Phases World::phases_of(const Trial& trial) const {
    Phases phases{.reused = trial.reused};
    Duration from = trial.started;
    const std::size_t last = trial.breaks ? 3 : trial.set_up.size();
    for (std::size_t i = 0; i < last; ++i) {
        phases.reached = static_cast<Phase>(i);
        const bool ended = trial.set_up[i] != perdure::never && from + trial.set_up[i] <= now_;
        phases.took[i] = ended ? trial.set_up[i] : now_ - from;
        if (!ended) return phases;
        from += trial.set_up[i];
    }
    if (trial.sent == perdure::never) return phases;
    const auto enter = [&](Phase phase, Sent sent, Duration begins, Duration ends) {
        if (begins > now_) return;
        phases.reached = phase;
        phases.sent = sent;
        phases[phase] = std::min(ends, now_) - begins;
    };
    enter(Phase::send, Sent::partly, trial.ready, trial.sent);
    enter(Phase::first_byte, Sent::all, trial.sent, trial.answered);
    enter(Phase::body, Sent::response_begun, trial.answered, perdure::never);
    return phases;
}

}  // namespace stage

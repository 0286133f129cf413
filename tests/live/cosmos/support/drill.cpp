// SPDX-License-Identifier: Apache-2.0
#include "live/cosmos/support/drill.hpp"

#include <algorithm>
#include <cstdio>
#include <stop_token>
#include <thread>

#include "perdure/cosmos/ensure.hpp"
#include "perdure/cosmos/requests.hpp"
#include "perdure/cosmos/wire/document.hpp"

namespace perdure::live {

namespace {

using namespace cosmos;

constexpr int crew_size = 16;
constexpr int keys_each = 8;
constexpr Duration deadline = 2s;
constexpr Duration settling = 2s;
// The crew goes no faster than the account answers.
constexpr Duration pace = 20ms;

const ContainerName place{"drill", "items"};

std::unique_ptr<chaos::CosmosGateway> make_gateway() {
    chaos::GatewayOptions options;
    options.regions = {{"East US", 50ms}, {"West US", 50ms}, {"North Europe", 50ms}};
    options.partitions = 2;
    options.marker = "op";
    options.records = 1;
    auto started = chaos::CosmosGateway::start(options);
    return std::move(started.value());
}

ClientOptions options_for(const chaos::CosmosGateway& gateway) {
    ClientOptions options{.endpoint = gateway.endpoint(),
                          .key = std::string{chaos::emulator_key},
                          .preferred = {"East US", "West US", "North Europe"}};
    options.regions.probe_every = 200ms;
    options.regions.refresh_apart = 500ms;
    return options;
}

void add(Ends& ends, const Failure* failure, Duration took) {
    if (!failure) ++ends.done;
    else if (failure->effect == Effect::none) ++ends.none;
    else ++ends.unknown;
    // The processor may be busy with something else for a moment.
    if (took > deadline + 500ms) ++ends.late;
    ends.longest = std::max(ends.longest, took);
}

long milliseconds(Duration time) {
    return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

}  // namespace

double Ends::share() const noexcept {
    return all() == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all());
}

// Only its owner writes it, so its versions follow each other.
struct Drill::Key {
    std::string name{};
    std::int64_t least = 0;    // the newest version that this client knows of
    std::int64_t version = 0;  // the last that was sent
};

Drill::Drill(Duration time) : time_{time}, gateway_{make_gateway()} {
    client_ = std::make_unique<Client>(options_for(*gateway_));
    ensure_database(*client_, CreateDatabase{place.database}).value();
    ensure_container(*client_, CreateContainer{place, {"/pk"}}).value();
    gateway_->plan({{.resource = "docs", .delay = pace}});
}

Drill::~Drill() = default;

void Drill::play(const std::vector<DrillEvent>& events) {
    Clock& clock = system_clock();
    const Duration each = time_ / static_cast<std::int64_t>(events.size());
    std::vector<std::jthread> crew;
    for (const DrillEvent& event : events) {
        {
            const std::lock_guard held{mutex_};
            event.happens(*gateway_);
            phases_.push_back({.name = event.name, .began = clock.now()});
        }
        for (int i = 0; crew.size() < crew_size; ++i)
            crew.emplace_back([this, i](const std::stop_token& stop) { work(i, stop); });
        clock.sleep_until(clock.now() + each, {});
    }
}

void Drill::work(int number, const std::stop_token& stop) {
    std::vector<Key> keys(keys_each);
    for (int i = 0; i < keys_each; ++i)
        keys[static_cast<std::size_t>(i)].name =
            "t" + std::to_string(number) + "-" + std::to_string(i);
    for (std::size_t turn = 0; !stop.stop_requested(); ++turn) {
        Key& key = keys[turn / 3 % keys.size()];
        if (turn % 3 == 0) write(key);
        else read(key);
    }
}

void Drill::read(Key& key) {
    const TimePoint began = system_clock().now();
    const auto found = client_->send(FindItem{place, key.name, PartitionKey{key.name}},
                                     {.deadline = Deadline::in(deadline, began)});
    note(began, &Phase::reads, &Phase::settled_reads, found ? nullptr : &found.error());
    if (!found) return;
    const std::int64_t version =
        *found ? Document{(*found)->json}.integer_at("/v").value_or(-1) : 0;
    if (version < key.least) {
        const std::lock_guard held{mutex_};
        stale_.push_back(phases_.back().name + ": " + key.name + " has version " +
                         std::to_string(version) + " after " + std::to_string(key.least));
    }
    key.least = std::max(key.least, version);
}

void Drill::write(Key& key) {
    const std::string version = std::to_string(++key.version);
    const std::string op = key.name + ":" + version;
    const std::string json = R"({"id":")" + key.name + R"(","pk":")" + key.name + R"(","v":)" +
                             version + R"(,"op":")" + op + R"("})";
    const TimePoint began = system_clock().now();
    const auto done = client_->send(UpsertItem{place, json, PartitionKey{key.name}},
                                    {.deadline = Deadline::in(deadline, began)});
    note(began, &Phase::writes, &Phase::settled_writes, done ? nullptr : &done.error());
    if (done) key.least = key.version;
    const std::lock_guard held{mutex_};
    told_.push_back({op, done ? Effect::applied : done.error().effect});
}

void Drill::note(TimePoint began, Ends Phase::* all, Ends Phase::* settled,
                 const Failure* failure) {
    const Duration took = system_clock().now() - began;
    const std::lock_guard held{mutex_};
    auto phase = phases_.rbegin();
    while (phase != std::prev(phases_.rend()) && phase->began > began) ++phase;
    add((*phase).*all, failure, took);
    // What the next event met on its way is in the first moments of that one.
    const bool met_the_next = phase != phases_.rbegin();
    if (began >= phase->began + settling && !met_the_next) add((*phase).*settled, failure, took);
    if (failure)
        ++failures_[phase->name + ": " + std::string{to_string(failure->cause)} + " " +
                    failure->code + ", " + std::string{to_string(failure->stop)}];
}

Ends Drill::settled_reads() const {
    Ends sum;
    for (const Phase& phase : phases_) {
        sum.done += phase.settled_reads.done;
        sum.none += phase.settled_reads.none;
        sum.unknown += phase.settled_reads.unknown;
        sum.late += phase.settled_reads.late;
    }
    return sum;
}

std::vector<std::string> Drill::lies() const {
    std::map<std::string, int> applied;
    for (const chaos::AppliedWrite& one : gateway_->writes()) ++applied[one.marker];
    std::vector<std::string> found;
    for (const Told& told : told_) {
        const auto times = applied[R"(")" + told.op + R"(")"];
        if (times > 1) found.push_back(told.op + " was applied twice");
        if (told.effect == Effect::applied && times == 0)
            found.push_back(told.op + " was reported done and is missing");
        if (told.effect == Effect::none && times != 0)
            found.push_back(told.op + " was reported not done and is there");
    }
    return found;
}

void Drill::print() const {
    std::printf("%-32s %28s %22s %34s\n", "", "reads done/all (after 2 s)", "longest ms",
                "writes done/not/unknown (longest)");
    for (const Phase& phase : phases_)
        std::printf(
            "%-32s %8lld/%lld (%lld/%lld) %14ld %14lld/%lld/%lld (%ld)\n", phase.name.c_str(),
            static_cast<long long>(phase.reads.done), static_cast<long long>(phase.reads.all()),
            static_cast<long long>(phase.settled_reads.done),
            static_cast<long long>(phase.settled_reads.all()), milliseconds(phase.reads.longest),
            static_cast<long long>(phase.writes.done), static_cast<long long>(phase.writes.none),
            static_cast<long long>(phase.writes.unknown), milliseconds(phase.writes.longest));
    for (const auto& [why, times] : failures_) std::printf("  %6d  %s\n", times, why.c_str());
}

}  // namespace perdure::live

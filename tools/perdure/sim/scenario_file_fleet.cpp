// SPDX-License-Identifier: Apache-2.0
//
// [clients], [network], [service], [[change]] and the keys at the top of a file.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "sim/scenario_file_parts.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {

using sim::Change;
using sim::Scenario;
using sim::Service;

constexpr Between share{.least = 0, .most = 1};

std::string with_four_digits(double number) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.4g", number);
    return text.data();
}

// One number, or points of a line: [["0s", 0], ["480s", 1200]].
void read_rate(Reader& reader, std::vector<sim::RatePoint>& into) {
    const Node* node = reader.find("rate");
    if (!node) return;
    const auto refuse = [&](const Node& at) {
        reader.complain(at, "rate",
                        "is calls per second of the whole fleet, from 0 to 1e9: 800, or points "
                        "between which it changes evenly: [[\"0s\", 0], [\"480s\", 1200]]");
    };
    if (node->kind == Node::Kind::number && node->number >= 0 && node->number <= 1e9) {
        into = {{Duration::zero(), node->number}};
        return;
    }
    if (node->kind != Node::Kind::list || node->items.empty()) return refuse(*node);
    into.clear();
    for (const Node& point : node->items) {
        if (point.items.size() != 2 || point.items[1].kind != Node::Kind::number ||
            !(point.items[1].number >= 0 && point.items[1].number <= 1e9))
            return refuse(point);
        std::string why_not;
        const auto at = duration_in(point.items[0], why_not);
        if (!at) return reader.complain(point.items[0], "rate", why_not);
        into.push_back({*at, point.items[1].number});
    }
}

void read_clients(const Node& table, sim::Clients& clients, Problems& problems) {
    Reader reader{table, "clients", problems};
    reader.whole("count", clients.count, {.least = 1, .most = 1e7});
    reader.choice("arrivals", clients.arrivals,
                  {{"open", sim::Arrivals::open},
                   {"closed", sim::Arrivals::closed},
                   {"once", sim::Arrivals::once},
                   {"periodic", sim::Arrivals::periodic}});
    read_rate(reader, clients.rate);
    reader.distribution("think", clients.think);
    reader.duration("within", clients.within);
    reader.duration("period", clients.period);
    reader.choice("offsets", clients.offsets,
                  {{"in_step", sim::Offsets::in_step},
                   {"hashed", sim::Offsets::hashed},
                   {"even", sim::Offsets::even},
                   {"fresh", sim::Offsets::fresh}});
    reader.close();
}

void read_network(const Node& table, sim::Network& network, Problems& problems) {
    Reader reader{table, "network", problems};
    reader.distribution("there", network.there);
    reader.distribution("back", network.back);
    reader.number("loss", network.loss, share);
    reader.close();
}

void read_queue(Reader& from, sim::Queue& queue) {
    const Node* table = from.table("queue");
    if (!table) return;
    Reader reader{*table, from.path("queue"), from.problems()};
    reader.choice("order", queue.order, {{"fifo", sim::Order::fifo}, {"lifo", sim::Order::lifo}});
    reader.whole("limit", queue.limit, {.least = 0, .word = "unlimited", .worth = sim::unlimited});
    reader.duration("longest_wait", queue.longest_wait, "never");
    reader.choice("expired", queue.expired,
                  {{"served", sim::Expired::served}, {"dropped", sim::Expired::dropped}});
    reader.duration("margin", queue.margin);
    reader.close();
}

void read_cause(Reader& reader, std::string_view key, Cause& into) {
    reader.choice(key, into,
                  {{"throttled", Cause::throttled},
                   {"overloaded", Cause::overloaded},
                   {"unavailable", Cause::unavailable},
                   {"timed_out", Cause::timed_out},
                   {"internal", Cause::internal},
                   {"contended", Cause::contended}});
}

void read_failing(Reader& from, sim::Failing& failing) {
    const Node* node = from.find("failing");
    if (!node) return;
    if (node->kind == Node::Kind::number) return from.number("failing", failing.share, share);
    const Node* table = from.table("failing");
    if (!table) return;
    Reader reader{*table, from.path("failing"), from.problems()};
    reader.number("share", failing.share, share);
    read_cause(reader, "cause", failing.cause);
    reader.choice(
        "when", failing.when,
        {{"at_once", sim::FailsWhen::at_once}, {"after_work", sim::FailsWhen::after_work}});
    reader.close();
}

struct ReadService {
    Service service{};
    Place place{};  // of its name
    std::vector<std::string> calls{};
};

ReadService read_service(const Node& table, const Policies& policies, const RowPolicies& row,
                         Problems& problems) {
    ReadService read;
    Service& service = read.service;
    Reader reader{table, "service", problems};
    reader.text("name", service.name);
    const Node* name = reader.find("name");
    read.place = name ? name->place : table.place;
    reader.whole("replicas", service.replicas, {.least = 1, .most = 1e6});
    reader.whole("workers", service.workers,
                 {.least = 1, .word = "unlimited", .worth = sim::unlimited});
    reader.distribution("work", service.work);
    read_queue(reader, service.queue);
    read_failing(reader, service.failing);
    read_cause(reader, "rejects_as", service.rejects_as);
    reader.duration("rejection_cost", service.rejection_cost);
    reader.distribution("retry_after", service.retry_after);
    reader.whole("shards", service.shards, {.least = 1, .most = 1e6});
    reader.distribution("connect", service.connect);
    reader.texts("calls", read.calls);
    std::string policy = "none";
    reader.text("policy", policy);
    // What the row names is looked up with the row; here only what this table names can be wrong.
    const bool of_row = !row.inner.empty() || policy == "same";
    if (!row.inner.empty()) policy = row.inner;
    if (policy == "same") policy = row.clients;
    const Node* node = reader.find("policy");
    if (const auto found = policies.find(policy)) service.plan = found->plan;
    else if (node && !of_row)
        reader.complain(*node, "policy",
                        "is \"" + policy + "\"; it is `same` or one of " +
                            any_of(policies.names()) + did_you_mean(policy, policies.names()));
    reader.close();
    return read;
}

void connect(std::vector<ReadService>& read, Scenario& scenario, Problems& problems) {
    scenario.services.clear();
    for (const ReadService& one : read) {
        const std::string& name = one.service.name;
        if (std::ranges::find(scenario.services, name, &Service::name) != scenario.services.end())
            problems.push_back({one.place, "`service.name` is \"" + name +
                                               "\", and so is another's; give each its own"});
        scenario.services.push_back(one.service);
    }
    for (std::size_t i = 0; i < read.size(); ++i)
        for (const std::string& name : read[i].calls) {
            const auto called = std::ranges::find(scenario.services, name, &Service::name);
            if (called == scenario.services.end())
                problems.push_back({read[i].place, "service `" + read[i].service.name +
                                                       "` calls `" + name +
                                                       "`, and there is no service of that name"});
            else
                scenario.services[i].calls.push_back(
                    static_cast<int>(called - scenario.services.begin()));
        }
}

// Exactly one of the keys says what changes.
void read_what(Reader& reader, const Node& table, Change& change) {
    double slower = 0;
    int shards = 0, said = 0;
    const auto note = [&](std::string_view key, Change::What what) {
        if (!table.find(key)) return;
        change.what = what;
        ++said;
    };
    note("speed", Change::What::speed);
    note("slower", Change::What::speed);
    note("failing", Change::What::failing);
    note("shards_down", Change::What::shards_down);
    note("loss", Change::What::loss);
    note("deploy", Change::What::deploy);
    note("down", Change::What::down);
    reader.number("speed", change.value, {.least = 1e-6, .most = 1e6});
    reader.number("slower", slower, {.least = 1e-6, .most = 1e6});
    reader.number("failing", change.value, share);
    reader.whole("shards_down", shards, {.least = 0, .most = 1e6});
    reader.number("loss", change.value, share);
    reader.find("deploy");
    reader.find("down");
    if (slower > 0) change.value = 1 / slower;
    if (table.find("shards_down")) change.value = shards;
    if (said != 1)
        reader.complain(table, "…",
                        "says one thing that changes: `speed` (0.2 is five times as "
                        "slow), `slower`, `failing`, `shards_down`, `loss`, "
                        "`deploy = true` or `down = true`");
}

Change read_change(const Node& table, const Scenario& scenario, Problems& problems) {
    Reader reader{table, "change", problems};
    Change change;
    reader.duration("from", change.from);
    reader.duration("to", change.to, "never");
    std::string service;
    reader.text("service", service);
    std::string ignored;
    reader.text("name", ignored);
    read_what(reader, table, change);
    const auto found = std::ranges::find(scenario.services, service, &Service::name);
    if (!service.empty() && found == scenario.services.end()) {
        std::vector<std::string> names;
        for (const Service& one : scenario.services) names.push_back(one.name);
        reader.complain(*reader.find("service"), "service",
                        "is \"" + service + "\"; there is " + any_of(names) +
                            did_you_mean(service, names));
    } else if (!service.empty()) {
        change.service = static_cast<int>(found - scenario.services.begin());
    }
    if (change.from >= scenario.duration) {
        const Node* from = reader.find("from");
        reader.complain(from ? *from : table, "from",
                        "is not before the end of the run: `duration` is " +
                            in_words(scenario.duration));
    }
    reader.close();
    return change;
}

std::string text_of(const Change& change) {
    switch (change.what) {
        case Change::What::speed:
            return change.value < 1 && change.value > 0.5
                       ? "work takes × " + with_four_digits(1 / change.value)
                       : "capacity × " + with_four_digits(change.value);
        case Change::What::failing:
            return with_four_digits(change.value * 100) + " % of attempts fail";
        case Change::What::shards_down: return with_four_digits(change.value) + " shards down";
        case Change::What::loss:
            return with_four_digits(change.value * 100) + " % lost in the network";
        case Change::What::deploy: return "deploy";
        case Change::What::down: return "down";
    }
    return {};
}

// By their names.
void read_places(Reader& top, Scenario& scenario) {
    std::vector<std::string> names, known;
    top.texts("places", names);
    for (const Service& one : scenario.services) known.push_back(one.name);
    for (const std::string& name : names) {
        const auto found = std::ranges::find(known, name);
        if (found == known.end())
            top.complain(*top.find("places"), "places",
                         "names \"" + name + "\"; there is " + any_of(known) +
                             did_you_mean(name, known));
        else scenario.places.push_back(static_cast<int>(found - known.begin()));
    }
    top.choice("moves", scenario.moves,
               {{"learned", sim::Moves::learned}, {"in_turn", sim::Moves::in_turn}});
}

}  // namespace

Scenario read_fleet(Reader& top, const Policies& policies, const RowPolicies& row,
                    Problems& problems) {
    Scenario scenario;
    top.duration("duration", scenario.duration);
    top.duration("warm_up", scenario.warm_up);
    top.duration("drain", scenario.drain);
    top.choice("cancel", scenario.cancel,
               {{"nothing", sim::Cancel::nothing},
                {"queued", sim::Cancel::queued},
                {"running_too", sim::Cancel::running_too}});
    top.choice("deadlines", scenario.deadlines,
               {{"own", Scenario::Deadlines::own}, {"passed_on", Scenario::Deadlines::passed_on}});
    top.duration("deadline_margin", scenario.deadline_margin);
    if (const Node* table = top.table("clients")) read_clients(*table, scenario.clients, problems);
    if (const Node* table = top.table("network")) read_network(*table, scenario.network, problems);
    std::vector<ReadService> services;
    for (const Node* table : top.tables("service"))
        services.push_back(read_service(*table, policies, row, problems));
    if (!services.empty()) connect(services, scenario, problems);
    read_places(top, scenario);
    for (const Node* table : top.tables("change"))
        scenario.changes.push_back(read_change(*table, scenario, problems));
    return scenario;
}

std::vector<Trigger> triggers_of(const Scenario& scenario) {
    std::vector<Trigger> triggers;
    for (const Change& change : scenario.changes) {
        const auto index = static_cast<std::size_t>(change.service);
        const bool named = scenario.services.size() > 1 && index < scenario.services.size() &&
                           change.what != Change::What::loss;
        // A deployment is a moment.
        triggers.push_back({change.from,
                            change.what == Change::What::deploy ? change.from : change.to,
                            (named ? scenario.services[index].name + ": " : "") + text_of(change)});
    }
    return triggers;
}

}  // namespace tool

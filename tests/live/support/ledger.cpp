// SPDX-License-Identifier: Apache-2.0
#include "live/support/ledger.hpp"

#include <array>
#include <iomanip>
#include <ostream>
#include <set>

namespace perdure::live {
namespace {

constexpr std::array<const char*, 4> kind_names{"GET", "PUT", "POST with a key", "POST once"};

std::string id_of(int number) { return "call-" + std::to_string(number); }

}  // namespace

http::Request Ledger::request(int number) {
    const std::string id = id_of(number);
    switch (kind_of(number)) {
        case CallKind::read: return http::Request::get("/").header("x-request-id", id);
        case CallKind::put: return http::Request::put("/").header("x-request-id", id).body("put");
        case CallKind::keyed_post:
            return http::Request::post("/")
                .header("x-request-id", id)
                .body("pay")
                .idempotency_key();
        case CallKind::once_post: break;
    }
    return http::Request::post("/").header("x-request-id", id).body("pay");
}

void Ledger::note(int number, const Result<http::Response>& result) {
    Line& line = lines_.at(static_cast<std::size_t>(number));
    if (result) {
        line.end = result->body == id_of(number) ? End::done : End::other_answer;
        return;
    }
    line.end = result.error().effect == Effect::none ? End::none : End::unknown;
    line.failure = to_string(result.error());
}

Ledger::Ends Ledger::ends(CallKind kind) const {
    Ends ends;
    for (int number = static_cast<int>(kind); number < calls(); number += 4) {
        switch (lines_[static_cast<std::size_t>(number)].end) {
            case End::done: ++ends.done; break;
            case End::none: ++ends.none; break;
            case End::unknown: ++ends.unknown; break;
            case End::open:
            case End::other_answer: ++ends.other_answer; break;
        }
    }
    return ends;
}

Ledger::Ends Ledger::ends() const {
    Ends all;
    for (int kind = 0; kind < 4; ++kind) {
        const Ends some = ends(static_cast<CallKind>(kind));
        all.done += some.done;
        all.none += some.none;
        all.unknown += some.unknown;
        all.other_answer += some.other_answer;
    }
    return all;
}

std::vector<std::string> Ledger::lies(CountingServer& server) const {
    server.settle();
    std::vector<std::string> all;
    for (int number = 0; number < calls(); ++number)
        if (std::string told = lie(number, server); !told.empty()) all.push_back(std::move(told));
    return all;
}

// Reads and PUTs may be repeated: what counts is that they were done. A key makes of many arrivals one
// effect. Nothing makes two arrivals of a POST without a key good.
std::string Ledger::lie(int number, const CountingServer& server) const {
    const Line& line = lines_[static_cast<std::size_t>(number)];
    const CallKind kind = kind_of(number);
    const int effects = server.effects(id_of(number));
    const int arrivals = server.arrivals(id_of(number));
    const bool guarded = kind == CallKind::keyed_post || kind == CallKind::once_post;
    bool true_word = line.end != End::open && line.end != End::other_answer;
    if (line.end == End::done) true_word = guarded ? effects == 1 : effects >= 1;
    // A read has none, however often it arrived.
    if (line.end == End::none) true_word = kind == CallKind::read || arrivals == 0;
    if (guarded && effects > 1) true_word = false;
    if (kind == CallKind::once_post && arrivals > 1) true_word = false;
    if (true_word) return {};
    return id_of(number) + ", " + kind_names[static_cast<std::size_t>(kind)] + ": arrived " +
           std::to_string(arrivals) + " times, done " + std::to_string(effects) +
           " times; told: " + (line.end == End::done ? "done" : line.failure);
}

int Ledger::unexplained(const std::vector<chaos::Record>& records) const {
    std::set<std::string> touched;
    for (const chaos::Record& record : records)
        if (record.fault) touched.insert(record.id);
    int count = 0;
    for (int number = 0; number < calls(); ++number)
        if (lines_[static_cast<std::size_t>(number)].end == End::unknown &&
            !touched.contains(id_of(number)))
            ++count;
    return count;
}

void Ledger::print(std::ostream& out) const {
    out << "  told                done    none  unknown\n";
    for (std::size_t kind = 0; kind < kind_names.size(); ++kind) {
        const Ends some = ends(static_cast<CallKind>(kind));
        out << "  " << std::left << std::setw(16) << kind_names[kind] << std::right << std::setw(8)
            << some.done << std::setw(8) << some.none << std::setw(9) << some.unknown << '\n';
    }
}

}  // namespace perdure::live

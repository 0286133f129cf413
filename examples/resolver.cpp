// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a transfer whose COMMIT got no answer? Two fates, on virtual time. For
// docs/guide/write-that-must-not-run-twice.md.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "perdure/perdure.hpp"
#include "perdure/testing/virtual_clock.hpp"

using namespace perdure;

namespace {

enum class Fate { answer_lost, then_unreachable };

// A database with one table. Its COMMIT works; what is lost is the answer.
class Bank {
public:
    Bank(Clock& clock, Fate fate) : clock_{clock}, fate_{fate} {}

    Result<int> transfer(const std::string& id, int cents) {
        ++commits_;
        rows_[id] = {cents, clock_.now() + 120ms};  // the server is still busy with it
        if (fate_ == Fate::then_unreachable) reachable_ = false;
        return fail({.cause = Cause::unavailable,
                     .origin = Origin::network,
                     .code = "08006",
                     .message = "connection lost during COMMIT"});
    }

    struct Row {
        int cents = 0;
        TimePoint visible{};
    };
    Result<const Row*> find(const std::string& id) const {
        if (!reachable_) return fail({.cause = Cause::unavailable, .code = "08001"});
        const auto row = rows_.find(id);
        return row == rows_.end() ? nullptr : &row->second;
    }
    [[nodiscard]] int commits() const { return commits_; }
    [[nodiscard]] TimePoint now() const { return clock_.now(); }

private:
    Clock& clock_;
    Fate fate_;
    bool reachable_ = true;
    int commits_ = 0;
    std::map<std::string, Row> rows_;
};

// [resolver]
// `no` would say: it did not happen, and it no longer can. While the server may still be busy with
// the old transaction, that is not known, and the answer is `pending`.
Result<Landed<int>> has_landed(const Bank& bank, const std::string& id) {
    PERDURE_TRY_VALUE(const Bank::Row* row, bank.find(id));  // cannot ask: a failure like any other
    if (!row) return Landed<int>::no();
    if (bank.now() < row->visible) return Landed<int>::pending(50ms);
    return Landed<int>::yes(row->cents);
}
// [/resolver]

// [transfer]
Result<int> transfer(Caller& caller, Bank& bank, const std::string& id, int cents) {
    return caller.run(
        {.name = "transfer", .safety = Safety::once},
        [&](const Attempt&) { return bank.transfer(id, cents); },
        [&](const Attempt&) { return has_landed(bank, id); });
}
// [/transfer]

// [unknown]
struct Doubt {
    std::string id{};
    std::string why{};
};

// Three answers, three ways on. Never a fourth: sending the order again and hoping.
const char* settle(const Result<int>& booked, const std::string& id, std::vector<Doubt>& doubts) {
    if (booked) return "done";
    switch (booked.error().effect) {
        case Effect::none: return "not done; may be ordered again";
        case Effect::applied: return "done; only the details of the answer are missing";
        case Effect::unknown: break;
    }
    doubts.push_back({id, to_string(booked.error())});  // for the job that looks again later
    return "unknown; the customer is told \"in progress\"";
}
// [/unknown]

int play(Fate fate) {
    testing::VirtualClock clock;
    Bank bank{clock, fate};
    Caller caller{{.name = "bank", .deadline = 5s}, {.clock = clock}};
    SeededRandom dice{42};
    const std::string id = new_id(dice);

    std::vector<Doubt> doubts;
    const auto booked = transfer(caller, bank, id, 4200);
    std::printf("%s\n", settle(booked, id, doubts));
    for (const Doubt& doubt : doubts)
        std::printf("  %s: %s\n", doubt.id.c_str(), doubt.why.c_str());
    std::printf("  %d commit, asked %d times\n", bank.commits(),
                static_cast<int>(caller.counts().resolver_asked));
    return bank.commits();
}

}  // namespace

int main() {
    const int commits = play(Fate::answer_lost) + play(Fate::then_unreachable);
    return commits == 2 ? 0 : 1;  // one each, whatever happened
}

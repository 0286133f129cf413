// SPDX-License-Identifier: Apache-2.0
//
// What does it look like? The example of README.md: a transfer whose answer gets lost.
// [readme]
#include <perdure/perdure.hpp>

#include <cstdio>
#include <map>
#include <string>

using namespace perdure;

// Stands in for your bank. It refuses the first order, books the second, and loses its answer.
struct Bank {
    int orders = 0;
    std::map<std::string, int> booked{};

    Result<int> transfer(const std::string& id, int cents) {
        if (++orders == 1) return fail({.cause = Cause::throttled, .retry_after = 20ms});
        booked[id] += cents;
        return fail({.cause = Cause::unavailable, .message = "connection lost"});
    }
};

int main() {
    Bank bank;
    Caller transfers{{.name = "bank", .deadline = 3s}};  // one per dependency, for all threads
    const std::string id = new_id();                     // before the first attempt

    const auto cents = transfers.run(
        {.name = "transfer", .safety = Safety::once},
        [&](const Attempt&) { return bank.transfer(id, 4200); },
        [&](const Attempt&) -> Result<Landed<int>> {  // asked when nobody knows what happened
            const auto entry = bank.booked.find(id);
            if (entry == bank.booked.end()) return Landed<int>::no();
            return Landed<int>::yes(entry->second);
        });

    if (!cents) return std::puts(to_string(cents.error()).c_str()), 1;
    std::printf("%d cents booked, in %d orders\n", *cents, bank.orders);
}
// [/readme]

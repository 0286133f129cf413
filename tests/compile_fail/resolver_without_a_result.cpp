// SPDX-License-Identifier: Apache-2.0
//
// expect: the resolver must return perdure::Result<perdure::Landed<T>>
#include "perdure/perdure.hpp"

using namespace perdure;

void pay(Caller& bank) {
    const auto work = []() -> Result<int> { return 1; };
#ifdef TRAP
    const auto resolve = [](const Attempt&) { return Landed<int>::unknown(); };
#else
    const auto resolve = [](const Attempt&) -> Result<Landed<int>> {
        return Landed<int>::unknown();
    };
#endif
    const auto paid = bank.run({.name = "pay", .safety = Safety::once}, work, resolve);
    (void)paid;
}

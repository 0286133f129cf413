// SPDX-License-Identifier: Apache-2.0
//
// How often did a case ask for memory in N calls? What the probe runs, whatever the case.
//
//     const std::uint64_t made = run<Full>(10'000);
#pragma once

#include <cstdint>
#include <cstdlib>

#include "allocations.hpp"
#include "subject.hpp"

namespace bench {

template <class Case>
void repeat(Case& subject, std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) {
        const Answer result = subject.once();
        if (!result) std::abort();
        asm volatile("" : : "r"(*result) : "memory");
    }
}

// The first calls make what is made once: a shard of the sketch, the breaker's first slice.
constexpr std::uint64_t warm_up = 10;

template <class Case>
std::uint64_t run(std::uint64_t times) {
    Case subject;
    repeat(subject, warm_up);
    const std::uint64_t before = allocations();
    repeat(subject, times);
    const std::uint64_t made = allocations() - before;
    subject.expect(times + warm_up);
    return made;
}

// In a file of their own (probe_coroutine.cpp): what GCC inlines depends on what else is there.
std::uint64_t run_coroutine(std::uint64_t times);
std::uint64_t run_coroutine_waits(std::uint64_t times);

}  // namespace bench

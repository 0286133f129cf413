// SPDX-License-Identifier: Apache-2.0
//
// Where has every record gone? Counts that must add up: read = written + already there + rejected.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "load/target/target.hpp"

namespace tool::load {

// A plain sum.
struct Account {
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    std::uint64_t present = 0;
    std::uint64_t rejected = 0;

    Account& operator+=(const Range& range) noexcept {
        read += range.records;
        written += range.written;
        present += range.present;
        rejected += range.rejected;
        return *this;
    }
    [[nodiscard]] bool adds_up() const noexcept { return read == written + present + rejected; }
    friend bool operator==(const Account&, const Account&) noexcept = default;
};

// What the view looks at while workers write. Any thread.
struct Tally {
    std::atomic<std::uint64_t> records{0};  // dealt with in this run
    std::atomic<std::uint64_t> written{0};
    std::atomic<std::uint64_t> present{0};
    std::atomic<std::uint64_t> rejected{0};
    std::atomic<std::uint64_t> earlier{0};     // dealt with by earlier runs
    std::atomic<std::uint64_t> read_again{0};  // an earlier run had taken them, and did not finish
    std::atomic<std::uint64_t> bytes_done{0};  // of the files as they lie there, for the share done
    std::atomic<std::uint64_t> bytes_all{0};   // 0: there is no telling
    std::atomic<int> workers{0};               // that are at work now
    std::atomic<bool> checking{false};         // what was loaded before is compared with the input
    std::atomic<std::uint64_t> bytes_checked{0};
    std::atomic<std::uint64_t> bytes_to_check{0};  // 0: there is no telling
    std::atomic<int> halving{0};  // workers that look for a refused record in their batch
    std::atomic<std::uint64_t> bytes_verified{0};  // of the files as they lie there

    void add(const Range& range) noexcept {
        records += range.records;
        written += range.written;
        present += range.present;
        rejected += range.rejected;
    }
};

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
//
// What is counted under one name, and how is it found without a lock? Names are only ever added, to a
// table of fixed size, so a reader needs nothing but a load.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/cause.hpp"
#include "perdure/duration.hpp"
#include "perdure/stop.hpp"

namespace perdure {
inline namespace v0 {

using Tally64 = std::atomic<std::uint64_t>;

// What OpenTelemetry advises for HTTP and for databases, together.
inline constexpr std::array bounds_in_seconds = {0.001, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
                                                 0.5,   0.75,  1.0,  2.5,   5.0,  7.5,   10.0};
inline constexpr std::size_t bucket_count = bounds_in_seconds.size() + 1;
inline constexpr std::size_t stop_count = static_cast<std::size_t>(Stop::cancelled) + 1;

struct Histogram {
    std::array<Tally64, bucket_count> buckets{};
    std::atomic<std::int64_t> sum{0};  // nanoseconds

    void record(Duration took) noexcept {
        const double seconds = std::chrono::duration<double>(took).count();
        std::size_t at = 0;
        while (at < bounds_in_seconds.size() && seconds > bounds_in_seconds[at]) ++at;
        buckets[at].fetch_add(1, std::memory_order_relaxed);
        sum.fetch_add(took.count(), std::memory_order_relaxed);
    }
};

enum class Outcome : std::uint8_t { success, failure, unknown };
inline constexpr std::size_t outcome_count = 3;

// One operation of one dependency.
struct Series {
    Series(std::string_view its_dependency, std::string_view its_operation)
        : dependency{its_dependency}, operation{its_operation} {}
    [[nodiscard]] bool is(std::string_view a, std::string_view b) const noexcept {
        return dependency == a && operation == b;
    }

    const std::string dependency, operation;
    std::array<Histogram, outcome_count> durations{};
    std::array<std::array<Tally64, stop_count>, cause_count> failures{};
    std::array<Tally64, cause_count> attempts_failed{};
    Tally64 attempts_succeeded{0}, attempts_cut_off{0}, attempts_overran{0}, hedges{0}, asked{0};
    std::atomic<std::int64_t> waited{0};  // nanoseconds
};

// What belongs to a dependency as a whole.
struct DependencyGauges {
    DependencyGauges(std::string_view its_name, std::string_view) : name{its_name} {}
    [[nodiscard]] bool is(std::string_view a, std::string_view) const noexcept { return name == a; }

    const std::string name;
    std::atomic<int> budget_milli{0};
};

// Any thread. Nothing is ever taken out.
template <class Entry>
class GrowingTable {
public:
    // Half of the slots stay empty, so that a search ends soon.
    explicit GrowingTable(std::size_t most) : most_{most}, slots_(2 * most + 1) {}
    GrowingTable(const GrowingTable&) = delete;
    GrowingTable& operator=(const GrowingTable&) = delete;
    ~GrowingTable() {
        for (auto& slot : slots_) delete slot.load(std::memory_order_acquire);
    }

    // Null: there is no room for another.
    Entry* find_or_add(std::string_view a, std::string_view b) {
        const std::size_t hash =
            std::hash<std::string_view>{}(a) * 31 + std::hash<std::string_view>{}(b);
        std::unique_ptr<Entry> made;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            std::atomic<Entry*>& slot = slots_[(hash + i) % slots_.size()];
            Entry* found = slot.load(std::memory_order_acquire);
            if (!found) {
                if (!made && !reserve()) return nullptr;
                if (!made) made = std::make_unique<Entry>(a, b);
                if (slot.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel))
                    return made.release();
            }
            if (found->is(a, b)) {
                if (made) count_.fetch_sub(1, std::memory_order_relaxed);
                return found;
            }
        }
        return nullptr;
    }

    template <class Visit>
    void each(Visit&& visit) const {
        for (const auto& slot : slots_)
            if (const Entry* entry = slot.load(std::memory_order_acquire)) visit(*entry);
    }

private:
    bool reserve() noexcept {
        if (count_.fetch_add(1, std::memory_order_relaxed) < most_) return true;
        count_.fetch_sub(1, std::memory_order_relaxed);
        return false;
    }

    const std::size_t most_;
    std::atomic<std::size_t> count_{0};
    std::vector<std::atomic<Entry*>> slots_;
};

}  // namespace v0
}  // namespace perdure

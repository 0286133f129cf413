// SPDX-License-Identifier: Apache-2.0
//
// By what can trouble be grouped, and what is kept of each group? Every table has a limit; what comes
// after it is counted together as "other".
//
//     Groups<Group> dependencies{64};
//     dependencies["orders-db"].calls += call.weight;
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/timeline.hpp"
#include "perdure/cause.hpp"

namespace tool::doctor {

using namespace perdure;

inline constexpr std::string_view other = "other";

// One owner.
template <class Group>
class Groups {
public:
    explicit Groups(std::size_t most) : most_{most} {}

    Group& operator[](std::string_view name) {
        constexpr std::size_t longest_name = 200;
        name = name.substr(0, longest_name);
        if (const auto found = rows_.find(name); found != rows_.end()) return found->second;
        return rows_[std::string{rows_.size() < most_ ? name : other}];
    }
    [[nodiscard]] const Group* find(std::string_view name) const {
        const auto found = rows_.find(name);
        return found == rows_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] const auto& rows() const { return rows_; }

private:
    std::size_t most_;
    std::map<std::string, Group, std::less<>> rows_;
};

// One attempt in trouble, as a person hands it over. Never what was sent, never who asked for it.
struct Example {
    std::uint64_t draw = 0;  // decides which are kept: the same ones in whatever order lines come
    std::int64_t time = 0;
    std::string instance{}, dependency{}, operation{}, address{}, code{}, request_id{};
    Cause cause{};
};

// A few examples, picked by a hash of what they say. One owner.
class Examples {
public:
    static constexpr std::size_t most = 3;
    [[nodiscard]] bool wants(std::uint64_t draw) const {
        return kept_.size() < most || draw < kept_.back().draw;
    }
    void keep(Example example);
    [[nodiscard]] const std::vector<Example>& kept() const { return kept_; }

private:
    std::vector<Example> kept_;  // by draw
};

// Calls of an instance, a dependency or an operation.
struct Group {
    std::uint64_t calls = 0, failed = 0, affected = 0;
    Share lines{};  // affected of all; fewer than calls where lines stand for several
    Levels elapsed{};
    Examples examples{};
};

struct Instance : Group {
    Groups<Levels> routes{16};  // elapsed by dependency, operation and address
    Timeline timeline{256};
    std::uint64_t intervals = 0, starved = 0, late_ticks = 0;
    double highest_utilization = 0;
    std::int64_t latest_tick = 0;
};

// Attempts sent to one address of a dependency, and by whom.
struct Place {
    std::string dependency{};
    Share troubled{}, lines{};
    Timeline timeline{256};  // of attempts
    Groups<Share> by_instance{256};
    Examples examples{};
};

// An operation of a dependency: are its attempts cut off where good ones still arrive?
struct Work : Group {
    // Of attempts without connection set-up. Where the plan's timeout is known, in billionths of it,
    // so that calls with different timeouts can stand together; else in nanoseconds.
    Levels good{}, cut{};
    std::int64_t attempt_timeout = 0;  // the last one seen
    std::uint64_t attempts = 0;
};

// One code of one dependency.
struct Code {
    std::string dependency{}, code{};
    Cause cause{};
    std::uint64_t attempts = 0;
    std::uint64_t calls = 0, calls_failed = 0;  // calls that met it
    Examples examples{};
};

// What calls are about: an id, a partition key. Kept are those with most trouble. One owner.
struct Subject {
    std::uint64_t calls = 0, limited = 0;  // limited: throttled or contended
    Share lines{};
    Examples examples{};
};
class Subjects {
public:
    Subject& operator[](std::string_view name);
    [[nodiscard]] const auto& rows() const { return rows_; }

private:
    void thin_out();
    std::map<std::string, Subject, std::less<>> rows_;
};

// Calls by the power of two of their size.
struct SizeClass {
    std::uint64_t calls = 0;
    std::uint64_t refused = 0;  // every attempt throttled, or too large
};

}  // namespace tool::doctor

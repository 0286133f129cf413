// SPDX-License-Identifier: Apache-2.0
//
// Which rules strike? The judge counts what fits each rule and throws the dice of (seed, rule, count).
//
//     const Verdict verdict = judge.request({"POST", "/orders", headers, body});
//     if (verdict.ending) …                 // the one fault that decides how this ends
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "perdure/chaos/plan.hpp"
#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

class Book;

constexpr std::size_t index(Toward toward) noexcept { return static_cast<std::size_t>(toward); }
constexpr Toward other(Toward toward) noexcept {
    return toward == Toward::server ? Toward::client : Toward::server;
}
Toward toward_of(const Rule& rule) noexcept;

// What a request shows to the rules.
struct Sight {
    std::string_view method{};
    std::string_view path{};
    const http::Headers& headers;
    std::string_view body{};
};

// A plain value; holds on to its plan.
struct Verdict {
    std::shared_ptr<const Plan> plan{};
    const Rule* ending = nullptr;
    std::array<Duration, 2> delay{};  // by Toward
    std::array<const Rule*, 2> drip{};
    std::vector<const Rule*> rewrites{};
    std::vector<const Rule*> shaping{};  // delays and drips, as they are counted
    std::vector<std::size_t> markers{};  // rules that look for their marker here
};

// Owned by the proxy's thread.
class Judge {
public:
    Judge(Plan plan, Book& book);

    // When a connection is accepted: `refuse`, and on a TCP link everything.
    [[nodiscard]] Verdict connection();
    [[nodiscard]] Verdict request(const Sight& sight);
    // The rule's marker went by.
    [[nodiscard]] bool sighting(std::size_t rule);
    // The rule that keeps the door closed from the start, or null.
    [[nodiscard]] const Rule* closed_door() const noexcept;
    [[nodiscard]] const std::shared_ptr<const Plan>& plan() const noexcept { return plan_; }

private:
    bool strikes(std::size_t rule);
    void weigh(std::size_t rule, Verdict& verdict);

    std::shared_ptr<const Plan> plan_;
    Book& book_;
    std::vector<std::uint64_t> fitting_;
};

// A star is any text, also none. The pattern has no query: the path's is left out of the comparison.
bool path_fits(std::string_view pattern, std::string_view target) noexcept;

// In [0, 1): the same for the same numbers, whatever was drawn before.
double chance(std::uint64_t seed, std::uint64_t rule, std::uint64_t count,
              std::uint64_t which) noexcept;

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

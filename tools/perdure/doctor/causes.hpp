// SPDX-License-Identifier: Apache-2.0
//
// What is most likely wrong? Every root cause is held against the facts. A cause needs several pieces
// of evidence, each from 0 to 1, and is as likely as the weakest of them. Causes are asked in a fixed
// order, those that explain others first; the first with at least half a point is the verdict.
//
//     const Diagnosis diagnosis = diagnose(facts);
//     diagnosis.verdict                     // Root::sick_instance
//     diagnosis.suspicions[0].evidence      // why, in words and numbers
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/facts.hpp"

namespace tool::doctor {

// In the order in which they are asked. A process without processor time looks slow from every side,
// one hot id looks like throttling, one sick host like errors: the narrower explanation comes first.
enum class Root : unsigned char {
    healthy,
    client_cpu,
    slow_dns,
    credentials,
    oversized_request,
    hot_key,
    regional_outage,
    sick_instance,
    periodic_spikes,
    retry_storm,
    short_timeout,
    throttled,
    server_errors,
    unknown_trouble,
};
inline constexpr int root_count = 14;
std::string_view to_string(Root root);  // "sick-instance": stable, for programs

inline constexpr double threshold = 0.5;

struct Evidence {
    std::string text{};
    double weight = 0;  // 0: speaks against it, 1: as strong as it gets
};

struct Suspicion {
    Root root{};
    double score = 0;
    std::vector<Evidence> evidence{};
};

struct Diagnosis {
    Root verdict = Root::healthy;
    std::optional<Root> also{};           // a second one that is no symptom of the first
    std::vector<Suspicion> suspicions{};  // every cause, in the order asked
    [[nodiscard]] const Suspicion* about(Root root) const;
};

Diagnosis diagnose(const Facts& facts);

}  // namespace tool::doctor

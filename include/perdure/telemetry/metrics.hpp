// SPDX-License-Identifier: Apache-2.0
//
// How many calls, how long, how often in vain? Counted for each dependency and operation, written as
// Prometheus reads it; docs/reference/metrics.md has the names.
//
//     Metrics metrics;
//     Caller users{plan, {.observer = &metrics}};
//     std::cout << metrics.prometheus();
//
// Bounded: names beyond the most that were asked for are counted together as "other".
#pragma once

#include "perdure/cxx20.hpp"

#include <cstddef>
#include <memory>
#include <string>

#include "perdure/call/observer.hpp"

namespace perdure {
inline namespace v0 {

struct MetricsOptions {
    std::size_t most_series = 500;  // pairs of dependency and operation; about 3 KB each
};

// Safe for any number of threads; counting takes no lock. Outlives the callers it observes.
class Metrics final : public Observer {
public:
    explicit Metrics(const MetricsOptions& options = {});
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;
    ~Metrics() override;

    void on_event(const Event& event) noexcept override;

    // Text format 0.0.4.
    [[nodiscard]] std::string prometheus() const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// Does a marker go by that cuts the link, and how much is passed on before the cut?
//
//     cutter.arm(judge.plan(), verdict.markers);
//     if (const auto cut = cutter.pass(Toward::server, bytes, judge)) …
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "chaos/judge.hpp"
#include "chaos/marker.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

struct Cut {
    const Rule* rule = nullptr;
    std::size_t pass = 0;  // so many bytes of the piece still go their way
};

// Owned by one link.
class Cutter {
public:
    void arm(std::shared_ptr<const Plan> plan, const std::vector<std::size_t>& rules);
    void arm_all(std::shared_ptr<const Plan> plan);
    // Whether it looks for the markers of this plan.
    [[nodiscard]] bool is_for(const std::shared_ptr<const Plan>& plan) const noexcept {
        return plan_ == plan;
    }
    [[nodiscard]] std::optional<Cut> pass(Toward toward, std::string_view bytes, Judge& judge);

private:
    struct Search {
        std::size_t rule = 0;
        Toward toward = Toward::server;
        MarkerSearch search;
    };
    static std::optional<std::size_t> sighted(Search& one, std::string_view bytes, Judge& judge);

    std::shared_ptr<const Plan> plan_;
    std::vector<Search> searches_;
};

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// Who watches a load from outside? A journal for `perdure doctor`, metrics for a scraper; both only when
// asked for, and neither able to disturb the load.
#pragma once

#include <memory>
#include <string>

#include "perdure/call/observer.hpp"
#include "perdure/result.hpp"

namespace tool::load {

// One owner; lives longer than the target it watches.
class Watch {
public:
    Watch();
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // Empty names: not asked for. Failure: the address cannot be listened on.
    [[nodiscard]] perdure::Result<void> start(const std::string& journal,
                                              const std::string& metrics);
    [[nodiscard]] perdure::Observer* observer() const noexcept;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace tool::load

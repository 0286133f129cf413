// SPDX-License-Identifier: Apache-2.0
//
// Which keys are there now, how long are they good, and when must the next ones be fetched? No thread
// and no waiting: time comes in by argument.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/dynamodb/keys.hpp"
#include "perdure/failure.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Before expiry: from `advisory` on new keys are wanted, from `mandatory` on a failure is a problem.
// AWS's 15 and 10 minutes, for keys that live an hour or more; less for others, in proportion.
struct Windows {
    Duration advisory{};
    Duration mandatory{};
};
Windows windows_for(Duration life) noexcept;

// Safe for any number of threads.
class KeyShelf {
public:
    KeyShelf(std::string_view source, int patience) : source_{source}, patience_{patience} {}

    struct Look {
        std::shared_ptr<const Keys> keys{};  // null: none are good now
        WallTime due{};  // of a fetch; WallTime::min(): at once; WallTime::max(): never
    };
    [[nodiscard]] Look look(WallTime now) const;
    [[nodiscard]] std::optional<Failure> problem() const;

    // The service refused these. Whether they are ours and not asked about a moment ago.
    bool reject(const Keys& expired, WallTime now);
    // `draw` from [0, 1) spreads a fleet over the beginning of the advisory window.
    void took(Keys keys, WallTime now, double draw);
    // The `number`-th failure in a row, from 1.
    void failed(const Failure& why, int number, WallTime now);

private:
    [[nodiscard]] bool good(WallTime now) const noexcept;  // under the lock

    const std::string source_;
    const int patience_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Keys> keys_;
    bool rejected_ = false;
    WallTime due_ = WallTime::min();
    WallTime troubling_from_ = WallTime::min();  // the mandatory window
    WallTime not_again_before_ = WallTime::min();
    std::optional<Failure> problem_;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

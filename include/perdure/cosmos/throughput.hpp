// SPDX-License-Identifier: Apache-2.0
//
// How many request units a second does a new database or container get? Without a word, what the account
// gives by default.
//
//     CreateContainer{{"shop", "orders"}, {"/pk"}}.throughput(400)
//     CreateContainer{{"shop", "orders"}, {"/pk"}}.autoscale(4000)      // from a tenth up to here
#pragma once

#include <optional>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Mixed into request types; each setter gives the request back.
template <class R>
class WithThroughput {
public:
    R& throughput(int units) & {
        throughput_ = units;
        autoscale_.reset();
        return static_cast<R&>(*this);
    }
    R&& throughput(int units) && { return std::move(throughput(units)); }
    R& autoscale(int most) & {
        autoscale_ = most;
        throughput_.reset();
        return static_cast<R&>(*this);
    }
    R&& autoscale(int most) && { return std::move(autoscale(most)); }

protected:
    std::optional<int> throughput_{};
    std::optional<int> autoscale_{};

private:
    friend R;
    WithThroughput() = default;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

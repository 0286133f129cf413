// SPDX-License-Identifier: Apache-2.0
//
// Is it likely that the keys of the next batch are there already? Once some were, it is for a while, and
// then it pays to look before writing.
#pragma once

#include <atomic>

namespace tool::load {

// Any thread.
class Caution {
public:
    // Asked once for each batch.
    [[nodiscard]] bool advised() noexcept {
        int left = left_.load();
        while (left > 0 && !left_.compare_exchange_weak(left, left - 1)) {}
        return left > 0;
    }
    void met_keys() noexcept { left_ = stays; }

private:
    static constexpr int stays = 16;
    std::atomic<int> left_{0};  // batches for which they stay likely
};

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
//
// Where do things live that come and go by the million? In one vector, with their places used again.
// A stamp tells a newcomer from the one whose place it took.
#pragma once

#include <cstdint>
#include <vector>

namespace perdure {
inline namespace v0 {
namespace sim {

// `T` has `std::uint32_t stamp` and `std::uint32_t next`. Indices stay valid, references do not
// survive a take().
template <class T>
class Pool {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    std::uint32_t take() {
        if (free_ == none) {
            things_.emplace_back();
            return static_cast<std::uint32_t>(things_.size() - 1);
        }
        const std::uint32_t index = free_;
        free_ = things_[index].next;
        return index;
    }
    void give_back(std::uint32_t index) {
        T& thing = things_[index];
        ++thing.stamp;
        thing.next = free_;
        free_ = index;
    }
    // Those given back included.
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(things_.size()); }
    T& operator[](std::uint32_t index) { return things_[index]; }
    const T& operator[](std::uint32_t index) const { return things_[index]; }
    // Null when the place was given back meanwhile.
    T* find(std::uint32_t index, std::uint32_t stamp) {
        return things_[index].stamp == stamp ? &things_[index] : nullptr;
    }

private:
    std::vector<T> things_{};
    std::uint32_t free_ = none;
};

}  // namespace sim
}  // namespace v0
}  // namespace perdure

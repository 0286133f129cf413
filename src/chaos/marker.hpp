// SPDX-License-Identifier: Apache-2.0
//
// Where do certain bytes go by in a stream, however it is cut into pieces?
//
//     MarkerSearch search{"COMMIT"};
//     search.next("…COM", 0);       // nothing yet
//     search.next("MIT;", 0);       // 3: the marker ends before the third byte of this piece
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {
inline namespace v0 {
namespace chaos {

// Knuth, Morris and Pratt: nothing of the stream is kept, only how much of the marker fits so far.
// Owned by one link.
class MarkerSearch {
public:
    // The marker is not empty.
    explicit MarkerSearch(std::string marker)
        : marker_{std::move(marker)}, fallback_(marker_.size() + 1) {
        for (std::size_t i = 1, k = 0; i < marker_.size(); ++i) {
            while (k > 0 && marker_[i] != marker_[k]) k = fallback_[k];
            if (marker_[i] == marker_[k]) ++k;
            fallback_[i + 1] = k;
        }
    }

    // The position in `piece`, from `at` on, behind the last byte of the next marker.
    std::optional<std::size_t> next(std::string_view piece, std::size_t at) {
        for (; at < piece.size(); ++at) {
            while (fits_ > 0 && piece[at] != marker_[fits_]) fits_ = fallback_[fits_];
            if (piece[at] == marker_[fits_]) ++fits_;
            if (fits_ < marker_.size()) continue;
            fits_ = fallback_[fits_];
            return at + 1;
        }
        return {};
    }
    [[nodiscard]] std::size_t length() const noexcept { return marker_.size(); }

private:
    std::string marker_;
    std::vector<std::size_t> fallback_;  // how much still fits when the next byte does not
    std::size_t fits_ = 0;
};

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

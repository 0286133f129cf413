// SPDX-License-Identifier: Apache-2.0
#include "did_you_mean.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace tool {
namespace {

// Edits that turn one word into the other; two letters exchanged are one.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U);
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = std::min(now[j], before[j - 2] + 1);
        }
        before = std::exchange(last, now);
    }
    return last.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
    if (word.size() > 64) return {};  // nobody mistyped that
    std::string best;
    std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string& known : words)
        if (const std::size_t edits = distance(word, known); edits < least) {
            least = edits;
            best = known;
        }
    return best.empty() ? "" : " (did you mean `" + best + "`?)";
}

}  // namespace tool

// SPDX-License-Identifier: Apache-2.0
//
// Which word was meant by one that is mistyped?
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tool {

// The nearest of the words by spelling: " (did you mean `limit`?)"; empty if none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& words);

}  // namespace tool

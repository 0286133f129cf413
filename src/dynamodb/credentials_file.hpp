// SPDX-License-Identifier: Apache-2.0
//
// What stands in a small file? At most a megabyte, or why not.
#pragma once

#include <cstddef>
#include <string>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

struct SmallFile {
    int error = 0;  // the errno, EFBIG for what is too large
    std::string text{};

    // Nobody made it, or somebody's home is not ours to look into.
    [[nodiscard]] bool missing() const noexcept;
    [[nodiscard]] std::string why() const;
};

// Blocks as long as the file does. Any thread.
SmallFile read_small_file(const std::string& path, std::size_t most = 1'048'576);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

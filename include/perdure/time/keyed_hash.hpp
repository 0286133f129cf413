// SPDX-License-Identifier: Apache-2.0
//
// Which hash is for tables whose keys a stranger may choose? SipHash-2-4 with a key that each process
// draws from the operating system. For std::hash anyone can make thousands of names with one hash, and
// a table of them is built in the square of their number.
//
//     std::unordered_map<std::string, std::size_t, KeyedHash> by_name;
#pragma once

#include <cstddef>
#include <string_view>

namespace perdure {
inline namespace v0 {

// Any thread. Another value in each process, so never stored or sent; a child of fork() keeps its
// parent's.
struct KeyedHash {
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(std::string_view text) const noexcept;
};

}  // namespace v0
}  // namespace perdure

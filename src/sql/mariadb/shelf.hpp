// SPDX-License-Identifier: Apache-2.0
//
// Which statements are ready to run? The prepared ones that a session used last.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "prepared.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

// Those that were used last, up to a number. Used by one thread at a time.
class Shelf {
public:
    explicit Shelf(std::size_t most) noexcept : most_{most} {}
    // Null: not there.
    [[nodiscard]] std::shared_ptr<Prepared> find(std::string_view text);
    void keep(std::string_view text, std::shared_ptr<Prepared> prepared);
    void forget(std::string_view text);
    void clear() noexcept;

private:
    struct Entry {
        std::string text;
        std::shared_ptr<Prepared> prepared;
    };
    std::size_t most_;
    std::list<Entry> entries_;  // the last used first
    std::unordered_map<std::string_view, std::list<Entry>::iterator> by_text_;
};

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure

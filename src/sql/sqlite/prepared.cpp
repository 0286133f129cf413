// SPDX-License-Identifier: Apache-2.0
#include "sql/sqlite/prepared.hpp"

#include <utility>

namespace perdure {
inline namespace v0 {
namespace sql {

Prepared* PreparedStatements::find(std::string_view text) {
    const auto found = by_text_.find(text);
    if (found == by_text_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->prepared;
}

Prepared& PreparedStatements::keep(std::string_view text, Prepared prepared) {
    if (entries_.size() >= most_) {
        by_text_.erase(entries_.back().text);
        entries_.pop_back();
    }
    entries_.push_front({std::string{text}, std::move(prepared)});
    by_text_.emplace(entries_.front().text, entries_.begin());
    return entries_.front().prepared;
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure

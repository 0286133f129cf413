// SPDX-License-Identifier: Apache-2.0
#include "shelf.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

std::shared_ptr<Prepared> Shelf::find(std::string_view text) {
    const auto found = by_text_.find(text);
    if (found == by_text_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->prepared;
}

void Shelf::keep(std::string_view text, std::shared_ptr<Prepared> prepared) {
    if (most_ == 0) return;
    if (entries_.size() >= most_) {
        by_text_.erase(entries_.back().text);
        entries_.pop_back();
    }
    entries_.push_front({std::string{text}, std::move(prepared)});
    by_text_.emplace(entries_.front().text, entries_.begin());
}

void Shelf::forget(std::string_view text) {
    const auto found = by_text_.find(text);
    if (found == by_text_.end()) return;
    const auto entry = found->second;
    by_text_.erase(found);
    entries_.erase(entry);
}

void Shelf::clear() noexcept {
    by_text_.clear();
    entries_.clear();
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure

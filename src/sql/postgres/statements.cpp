// SPDX-License-Identifier: Apache-2.0
#include "statements.hpp"

#include <functional>

#include "sql/keywords.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

Result<Known*> Statements::find(std::string_view text) {
    if (const auto found = by_text_.find(text); found != by_text_.end()) {
        known_.splice(known_.begin(), known_, found->second);
        return &known_.front();
    }
    auto translated = translate(text);
    if (!translated) return translated.take_failure();
    make_room();
    known_.push_front({.text = std::string{text},
                       .translated = *std::move(translated),
                       .writes_rows = writes_rows(text),
                       .takes_no_snapshot = takes_no_snapshot(text),
                       .notifies = notifies(text)});
    by_text_.emplace(known_.front().text, known_.begin());
    return &known_.front();
}

void Statements::make_room() {
    while (known_.size() >= most_) {
        if (!known_.back().name.empty()) leftovers_.push_back(std::move(known_.back().name));
        by_text_.erase(known_.back().text);
        known_.pop_back();
    }
}

std::string Statements::fresh_name(const Known& statement) {
    return "perdure_" + std::to_string(++named_) + "_" +
           std::to_string(std::hash<std::string_view>{}(statement.translated.text));
}

void Statements::forget() noexcept {
    by_text_.clear();
    known_.clear();
    leftovers_.clear();
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure

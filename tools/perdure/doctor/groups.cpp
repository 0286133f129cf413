// SPDX-License-Identifier: Apache-2.0
#include "doctor/groups.hpp"

#include <algorithm>
#include <utility>

namespace tool::doctor {

void Examples::keep(Example example) {
    const auto place = std::ranges::lower_bound(kept_, example.draw, {}, &Example::draw);
    kept_.insert(place, std::move(example));
    if (kept_.size() > most) kept_.pop_back();
}

Subject& Subjects::operator[](std::string_view name) {
    constexpr std::size_t most = 20'000;
    constexpr std::size_t longest_name = 64;
    name = name.substr(0, longest_name);
    if (const auto found = rows_.find(name); found != rows_.end()) return found->second;
    if (rows_.size() >= most) thin_out();
    return rows_[std::string{name}];
}

// The half with least trouble goes, and of those without any the half with fewest calls. What is hot
// comes again and again and stays.
void Subjects::thin_out() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranks;
    ranks.reserve(rows_.size());
    for (const auto& [name, subject] : rows_) ranks.emplace_back(subject.limited, subject.calls);
    const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2);
    std::ranges::nth_element(ranks, middle);
    const auto limit = *middle;
    std::size_t to_go = ranks.size() / 2;
    std::erase_if(rows_, [&](const auto& row) {
        const std::pair rank{row.second.limited, row.second.calls};
        if (rank > limit || to_go == 0) return false;
        --to_go;
        return true;
    });
}

}  // namespace tool::doctor

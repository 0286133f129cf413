// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/headers.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "text.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// What most messages need, so that most grow once.
constexpr std::size_t usual_bytes = 256;
constexpr std::size_t first_fields = 16;

std::uint32_t narrow(std::size_t number) noexcept {
    assert(number <= std::numeric_limits<std::uint32_t>::max());
    return static_cast<std::uint32_t>(number);
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t at = 0; at < a.size(); ++at)
        if (a[at] != b[at] && detail::lower(a[at]) != detail::lower(b[at])) return false;
    return true;
}

bool list_has(std::string_view list, std::string_view token) noexcept {
    for (;;) {
        const std::size_t comma = list.find(',');
        if (same_name(detail::trimmed(list.substr(0, comma)), token)) return true;
        if (comma == std::string_view::npos) return false;
        list.remove_prefix(comma + 1);
    }
}

Headers::Iterator& Headers::Iterator::skip() noexcept {
    if (only_.empty()) return *this;
    while (at_ < headers_->size() && !same_name((**this).name, only_)) ++at_;
    return *this;
}

void Headers::add(std::string_view name, std::string_view value) {
    const std::size_t at = bytes_.size();
    const std::size_t end = at + name.size() + value.size();
    if (end > bytes_.capacity()) {
        // Name and value may lie in the very bytes that are given up here.
        std::string grown;
        grown.reserve(std::max({end, 2 * bytes_.capacity(), usual_bytes}));
        grown.append(bytes_).append(name).append(value);
        bytes_ = std::move(grown);
    } else {
        bytes_.append(name).append(value);
    }
    if (fields_.capacity() == 0) fields_.reserve(first_fields);
    fields_.push_back(
        {narrow(at), narrow(name.size()), narrow(at + name.size()), narrow(value.size())});
}

void Headers::set(std::string_view name, std::string_view value) {
    Headers others;
    others.reserve(size() + 1, bytes_.size() + name.size() + value.size());
    for (const Header& header : *this)
        if (!same_name(header.name, name)) others.add(header.name, header.value);
    others.add(name, value);
    *this = std::move(others);
}

void Headers::remove(std::string_view name) {
    if (!find(name)) return;
    Headers others;
    others.reserve(size(), bytes_.size());
    for (const Header& header : *this)
        if (!same_name(header.name, name)) others.add(header.name, header.value);
    *this = std::move(others);
}

void Headers::clear() noexcept {
    bytes_.clear();
    fields_.clear();
}

void Headers::reserve(std::size_t fields, std::size_t bytes) {
    fields_.reserve(fields);
    bytes_.reserve(bytes);
}

std::optional<std::string_view> Headers::find(std::string_view name) const noexcept {
    if (name.empty()) return std::nullopt;
    // Names of one family begin alike, so it is their ends that tell them apart soonest.
    const char last = detail::lower(name.back());
    for (const Field& field : fields_) {
        if (field.name != name.size()) continue;
        const std::string_view own{bytes_.data() + field.at, field.name};
        if (detail::lower(own.back()) != last) continue;
        if (own == name || same_name(own, name))
            return std::string_view{bytes_.data() + field.value_at, field.value};
    }
    return std::nullopt;
}

bool Headers::has(std::string_view name, std::string_view token) const noexcept {
    const Named named = all(name);
    return std::any_of(named.begin(), named.end(),
                       [&](const Header& header) { return list_has(header.value, token); });
}

bool operator==(const Headers& a, const Headers& b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

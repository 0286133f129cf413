// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/key.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "perdure/cosmos/wire/effective_key.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

constexpr std::size_t most_parts = 3;

perdure::cosmos::KeyPart part_of(const Json* value) {
    if (!value) return {};
    switch (value->type()) {
        case Json::Type::null: return nullptr;
        case Json::Type::no: return false;
        case Json::Type::yes: return true;
        case Json::Type::number: return value->as_double();
        case Json::Type::string: return value->text();
        default: return {};
    }
}

void append_part(std::string& text, const Json* value) {
    if (!value || value->is_array() || value->is_object()) text += "{}";
    else if (value->is_number()) Json::number(value->as_double() + 0.0).append_to(text);
    else value->append_to(text);
    text += '\n';
}

// Letters, digits and underscores, or anything in quotes, behind each slash. Returns the position of
// the first misfit, npos if every part fits.
std::size_t misfit_of(std::string_view path) noexcept {
    const auto plain = [](char c) {
        return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    std::size_t at = 0;
    do {
        if (at >= path.size() || path[at] != '/') return at;
        const std::size_t from = ++at;
        if (at < path.size() && (path[at] == '"' || path[at] == '\'')) {
            const std::size_t end = path.find(path[at], at + 1);
            if (end == std::string_view::npos || end == at + 1) return at;
            at = end + 1;
        } else {
            while (at < path.size() && plain(path[at])) ++at;
            if (at == from) return at;
        }
    } while (at < path.size());
    return std::string_view::npos;
}

}  // namespace

std::vector<std::string> steps_of(std::string_view path) {
    std::vector<std::string> steps;
    for (std::size_t at = 0; at < path.size();) {
        if (path[at] == '/') ++at;
        if (at < path.size() && (path[at] == '"' || path[at] == '\'')) {
            const std::size_t end = path.find(path[at], at + 1);
            steps.emplace_back(path.substr(at + 1, end - at - 1));
            at = end == std::string_view::npos ? path.size() : end + 1;
        } else {
            const std::size_t end = std::min(path.find('/', at), path.size());
            steps.emplace_back(path.substr(at, end - at));
            at = end;
        }
    }
    return steps;
}

const Json* at_path(const Json& item, const std::vector<std::string>& steps) noexcept {
    const Json* at = &item;
    for (const std::string& step : steps) {
        at = at->find(step);
        if (!at) return nullptr;
    }
    return at;
}

std::optional<KeyDefinition> KeyDefinition::read(const Json& definition, std::string& problem) {
    KeyDefinition result;
    const Json* paths = definition.find("paths");
    problem = "A partition key has an array of one to three paths.";
    if (!paths || paths->elements().empty() || paths->elements().size() > most_parts)
        return std::nullopt;
    for (const Json& path : paths->elements()) {
        const std::size_t failed = path.is_string() ? misfit_of(path.text()) : 0;
        if (failed != std::string::npos) {
            problem = "The partition key component definition path '" + path.text() +
                      "' could not be accepted, failed near position '" + std::to_string(failed) +
                      "'. Partition key paths must contain only valid characters and not contain "
                      "a trailing slash or wildcard character.";
            return std::nullopt;
        }
        result.paths_.push_back(steps_of(path.text()));
    }
    const std::string_view kind = definition.word("kind");
    const Json* version = definition.find("version");
    const bool second = version && version->is_number() && version->as_double() == 2;
    problem = "A partition key has the version 1 or 2.";
    if (version && !second && !(version->is_number() && version->as_double() == 1))
        return std::nullopt;
    if (kind == "MultiHash") result.hashing_ = Hashing::multiple;
    else result.hashing_ = second ? Hashing::v2 : Hashing::v1;
    problem = "A partition key of several paths is of the kind MultiHash, other kinds are Hash.";
    if (result.hashing_ != Hashing::multiple &&
        (result.paths_.size() > 1 || !(kind.empty() || kind == "Hash")))
        return std::nullopt;
    return result;
}

Key KeyDefinition::hash(const std::vector<const Json*>& values) const {
    using perdure::cosmos::KeyKind;
    using perdure::cosmos::KeyVersion;
    Key key{.parts = values.size()};
    perdure::cosmos::PartitionKey parts;
    for (const Json* value : values) {
        append_part(key.text, value);
        (void)parts.add(part_of(value));
    }
    key.effective =
        effective_key(parts, hashing_ == Hashing::multiple ? KeyKind::multi_hash : KeyKind::hash,
                      hashing_ == Hashing::v1 ? KeyVersion::v1 : KeyVersion::v2);
    return key;
}

Key KeyDefinition::of(const Json& item) const {
    std::vector<const Json*> values;
    for (const auto& steps : paths_) values.push_back(at_path(item, steps));
    return hash(values);
}

std::string KeyDefinition::middle(std::string_view min, std::string_view max) const {
    const auto number = [](std::string_view bound) {
        std::string digits{bound};
        digits.resize(8, '0');
        return std::stoull(digits, nullptr, 16);
    };
    // Where keys really lie: version 2 clears two bits, version 1 writes hashes below 2^32 as doubles
    // (05C1…), half of them with the highest exponent.
    const bool doubles = hashing_ == Hashing::v1;
    const auto low = min.empty() ? number(doubles ? "05C1D000" : "00000000") : number(min);
    const auto high = max == "FF" ? number(doubles ? "05C1F000" : "40000000") : number(max);
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%08llX", low + (std::max(high, low + 2) - low) / 2);
    return text.data();
}

std::optional<Key> KeyDefinition::from_header(std::string_view header) const {
    const auto parsed = Json::parse(header);
    if (!parsed || !parsed->is_array() || parsed->elements().empty() ||
        parsed->elements().size() > paths_.size())
        return std::nullopt;
    std::vector<const Json*> values;
    for (const Json& value : parsed->elements()) {
        const bool undefined = value.is_object() && value.members().empty();
        if (value.is_array() || (value.is_object() && !undefined)) return std::nullopt;
        values.push_back(undefined ? nullptr : &value);
    }
    return hash(values);
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

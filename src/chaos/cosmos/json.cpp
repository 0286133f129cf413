// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

template <class Members>
auto find_in(Members& members, std::string_view name) noexcept -> decltype(&members[0].second) {
    for (auto& [its_name, value] : members)
        if (its_name == name) return &value;
    return nullptr;
}

}  // namespace

Json Json::number(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    return number(std::string_view{digits.data(), static_cast<std::size_t>(end - digits.data())});
}

double Json::as_double() const noexcept {
    double value = 0;
    (void)std::from_chars(text_.data(), text_.data() + text_.size(), value);
    return value;
}

const Json* Json::find(std::string_view name) const noexcept { return find_in(members_, name); }
Json* Json::find(std::string_view name) noexcept { return find_in(members_, name); }

std::string_view Json::word(std::string_view name) const noexcept {
    const Json* member = find(name);
    return member && member->is_string() ? std::string_view{member->text_} : std::string_view{};
}

void Json::set(std::string_view name, Json value) {
    if (Json* member = find(name)) *member = std::move(value);
    else members_.emplace_back(std::string{name}, std::move(value));
}

void Json::remove(std::string_view name) {
    std::erase_if(members_, [&](const Member& member) { return member.first == name; });
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') (out += '\\') += c;
        else if (byte >= 0x20) out += c;
        else {
            std::array<char, 8> code{};
            std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(byte));
            out += code.data();
        }
    }
    out += '"';
}

std::string quoted(std::string_view text) {
    std::string out;
    append_quoted(out, text);
    return out;
}

void Json::append_to(std::string& out) const {
    switch (type_) {
        case Type::null: out += "null"; return;
        case Type::no: out += "false"; return;
        case Type::yes: out += "true"; return;
        case Type::number: out += text_; return;
        case Type::string: append_quoted(out, text_); return;
        case Type::array: {
            out += '[';
            for (std::size_t i = 0; i < elements_.size(); ++i) {
                if (i > 0) out += ',';
                elements_[i].append_to(out);
            }
            out += ']';
            return;
        }
        case Type::object: break;
    }
    out += '{';
    for (std::size_t i = 0; i < members_.size(); ++i) {
        if (i > 0) out += ',';
        append_quoted(out, members_[i].first);
        out += ':';
        members_[i].second.append_to(out);
    }
    out += '}';
}

std::string Json::dump() const {
    std::string out;
    append_to(out);
    return out;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

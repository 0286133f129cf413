// SPDX-License-Identifier: Apache-2.0
#include "load/source/typed_text.hpp"
#include "load/target/target.hpp"

namespace tool::load {

namespace {

double as_real(const Value& value) noexcept {
    return value.kind == ValueKind::real ? value.real : static_cast<double>(value.integer);
}

bool is_whole(const Value& value) noexcept {
    return value.kind == ValueKind::integer || value.kind == ValueKind::boolean;
}

bool is_number(const Value& value) noexcept {
    return is_whole(value) || value.kind == ValueKind::real;
}

bool is_same_text(Type type, std::string_view sent, std::string_view back) {
    if (sent == back) return true;
    if (!has_one_form(type)) return false;
    std::string one;
    std::string other;
    return one_form(type, sent, one) == one_form(type, back, other);
}

}  // namespace

bool same(Type type, const Value& sent, const Value& back) {
    if (type == Type::other) return true;
    if (sent.kind == ValueKind::null || back.kind == ValueKind::null) return sent.kind == back.kind;
    switch (type) {
        case Type::integer:
        case Type::boolean: return is_whole(sent) && is_whole(back) && sent.integer == back.integer;
        case Type::real:
            return is_number(sent) && is_number(back) && as_real(sent) == as_real(back);
        default:
            return sent.kind == ValueKind::text && back.kind == ValueKind::text &&
                   is_same_text(type, sent.text, back.text);
    }
}

}  // namespace tool::load

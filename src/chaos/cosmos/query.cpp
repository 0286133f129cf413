// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/query.hpp"

#include <algorithm>

#include "chaos/cosmos/key.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

int rank(Json::Type type) noexcept {
    switch (type) {
        case Json::Type::null: return 0;
        case Json::Type::no:
        case Json::Type::yes: return 1;
        case Json::Type::number: return 2;
        case Json::Type::string: return 3;
        case Json::Type::array: return 4;
        case Json::Type::object: return 5;
    }
    return 6;
}

template <class T>
int order(const T& left, const T& right) {
    return left < right ? -1 : (right < left ? 1 : 0);
}

}  // namespace

int compare(const Json& left, const Json& right) {
    if (const int kinds = order(rank(left.type()), rank(right.type())); kinds != 0) return kinds;
    switch (left.type()) {
        case Json::Type::no:
        case Json::Type::yes: return order(left.type(), right.type());
        case Json::Type::number: return order(left.as_double(), right.as_double());
        case Json::Type::string: return order(left.text(), right.text());
        case Json::Type::null: return 0;
        default: return order(left.dump(), right.dump());
    }
}

bool Condition::fits(const Json& item) const {
    const auto part_fits = [&](const Condition& part) { return part.fits(item); };
    switch (kind) {
        case Kind::always: return true;
        case Kind::all: return std::ranges::all_of(parts, part_fits);
        case Kind::any: return std::ranges::any_of(parts, part_fits);
        case Kind::no: return !parts[0].fits(item);
        default: break;
    }
    const Json* found = at_path(item, path);
    if (kind == Kind::defined || !found) return found != nullptr;
    // Values of two kinds cannot be compared, so nothing is true of them.
    const auto is_same = [&](const Value& value) {
        return rank(found->type()) == rank(value->type()) && compare(*found, *value) == 0;
    };
    if (kind == Kind::one_of) return std::ranges::any_of(values, is_same);
    const Json& value = *values[0];
    if (rank(found->type()) != rank(value.type())) return false;
    const int how = compare(*found, value);
    switch (kind) {
        case Kind::equal: return how == 0;
        case Kind::unequal: return how != 0;
        case Kind::less: return how < 0;
        case Kind::more: return how > 0;
        case Kind::at_most: return how <= 0;
        default: return how >= 0;
    }
}

std::optional<Json> Query::project(const Json& item) const {
    if (select == Select::all) return item;
    if (select == Select::value) {
        const Json* found = at_path(item, fields[0].path);
        return found ? std::optional{*found} : std::nullopt;
    }
    Json result = Json::object();
    for (const Field& field : fields)
        if (const Json* found = at_path(item, field.path)) result.set(field.name, *found);
    return result;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// How much does a query that was read hold? Counted for a unit test and a fuzzer: it must be in proportion
// to the text.
#pragma once

#include <cstddef>
#include <set>

#include "chaos/cosmos/query.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

struct QueryWeight {
    std::size_t parts = 0;  // conditions, names of paths, references to values, selected fields
    std::size_t bytes = 0;  // of all names, and of each value once
};

inline void add_path(const Path& path, QueryWeight& weight) {
    weight.parts += path.size();
    for (const std::string& name : path) weight.bytes += name.size();
}

inline void add_condition(const Condition& one, QueryWeight& weight,
                          std::set<Condition::Value>& seen) {
    weight.parts += 1 + one.values.size();
    add_path(one.path, weight);
    for (const Condition::Value& value : one.values)
        if (seen.insert(value).second) weight.bytes += value->dump().size();
    for (const Condition& part : one.parts) add_condition(part, weight, seen);
}

inline QueryWeight weight_of(const Query& query) {
    QueryWeight weight;
    for (const Query::Field& field : query.fields) {
        weight.parts += 1;
        weight.bytes += field.name.size();
        add_path(field.path, weight);
    }
    if (query.order) add_path(*query.order, weight);
    std::set<Condition::Value> seen;
    add_condition(query.where, weight, seen);
    return weight;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

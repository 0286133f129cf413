// SPDX-License-Identifier: Apache-2.0
#include "transact_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Result<void> check_actions(std::size_t count) {
    if (count == 0) return fail(invalid_request("a transaction needs at least one action"));
    if (count > most_actions)
        return fail(invalid_request("a transaction has at most 100 actions, this one has " +
                                    std::to_string(count)));
    return {};
}

Result<double> read_capacities(JsonNode& node) {
    double units = 0;
    PERDURE_TRY(node.each_element([&](JsonNode& table) -> Result<void> {
        auto read = read_capacity(table);
        if (!read) return read.take_failure();
        units += *read;
        return {};
    }));
    return units;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

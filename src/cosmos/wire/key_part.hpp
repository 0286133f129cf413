// SPDX-License-Identifier: Apache-2.0
//
// Which value of a partition key does this JSON mean? Any but a list, or an object that holds something;
// an empty one means that there is no value.
#pragma once

#include "json_scan.hpp"
#include "perdure/cosmos/wire/partition_key.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

[[nodiscard]] Trouble read_key_part(JsonScan& scan, KeyPart& part);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "perdure/cosmos/envelope.hpp"

namespace perdure::cosmos {

inline const ContainerName orders{"shop", "orders"};
inline const PartitionKey key_a{"A"};

}  // namespace perdure::cosmos

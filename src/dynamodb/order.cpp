// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/order.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Order::~Order() = default;

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/driver.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

Driver::~Driver() = default;

}  // namespace sql
}  // namespace v0
}  // namespace perdure

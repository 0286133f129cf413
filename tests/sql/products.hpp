// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "perdure/sql/error_table.hpp"

namespace perdure::sql {

inline constexpr Product products[] = {Product::sqlite, Product::postgres, Product::mariadb,
                                       Product::odbc, Product::sqlserver};

}  // namespace perdure::sql

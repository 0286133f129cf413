// SPDX-License-Identifier: Apache-2.0
//
// When may the server's word about a transaction's number be believed? While these three are as they
// were: the cluster, its timeline, and the time its statistics began, which a crash resets. A crash or
// a failover hands the same numbers out again.
#pragma once

#include <string>
#include <string_view>

#include "handles.hpp"
#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

// Not the timeline of the last checkpoint: that one lags behind a promotion.
inline constexpr std::string_view fence_columns =
    "(SELECT system_identifier FROM pg_control_system()),"
    "left(pg_walfile_name(pg_current_wal_lsn()),8),"
    "(SELECT stats_reset FROM pg_stat_bgwriter)";

// Of the three columns from this one on, in the first row: "cluster/timeline/reset".
[[nodiscard]] std::string fence_in(const PGresult* result, int column);
[[nodiscard]] std::string_view cluster_of(std::string_view fence) noexcept;

// As settings of the server count; at least one, since 0 means no limit.
[[nodiscard]] std::string milliseconds(Duration value);

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// What can this server be asked later about a transaction of ours? Its fate by its number, while the
// number still means it: a crash or a failover hands the same numbers out again. So three things are
// kept beside it, the fence: the cluster, its timeline, and the time its statistics began, which a
// crash resets.
//
// Where the server lacks one of the functions (CockroachDB, YugabyteDB, a role without rights), less
// can be proved, and the failure of a COMMIT without an answer says what is missing.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "handles.hpp"
#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

// From much to little.
enum class Proof : std::uint8_t {
    fate,           // the fate of a number, and whether it still means our transaction
    without_fence,  // the fate of a number; "committed" may be said of a later one
    session,        // no numbers; only which session it was
    nothing
};

// How a version calls the functions. `numbers_are_known` came with version 10, as txid_…; 13 has the
// names of today.
struct Functions {
    std::string_view number;         // of this transaction; gives it one
    std::string_view number_if_any;  // null if it has none
    std::string_view fate_of_first;  // of the number that is the first parameter
};
[[nodiscard]] const Functions& functions_of(int server_version) noexcept;

// Versions on which a crash was seen to change the fence (tests/live/sql/postgres_versions_test.cpp).
// A later one may keep its statistics over a crash; then a number that was handed out again would be
// taken for ours.
inline constexpr int first_tested_version = 120'000;
inline constexpr int first_untested_version = 190'000;

// Not the timeline of the last checkpoint: that one lags behind a promotion.
inline constexpr std::string_view fence_columns =
    "(SELECT system_identifier FROM pg_control_system()),"
    "left(pg_walfile_name(pg_current_wal_lsn()),8),"
    "(SELECT (extract(epoch FROM stats_reset)*1000000)::int8 FROM pg_stat_bgwriter)";
// Two sessions never have both in common.
inline constexpr std::string_view session_columns =
    "pg_backend_pid(),(SELECT (extract(epoch FROM backend_start)*1000000)::int8 "
    "FROM pg_stat_activity WHERE pid=pg_backend_pid())";

// Of the three columns from this one on, in the first row: "cluster/timeline/reset".
[[nodiscard]] std::string fence_in(const PGresult* result, int column);
[[nodiscard]] std::string_view cluster_of(std::string_view fence) noexcept;
// Of the two columns from this one on, in the first row: "pid/start". Empty if the server has no
// list of its sessions.
[[nodiscard]] std::string session_in(const PGresult* result, int column);
[[nodiscard]] std::string_view cell(const PGresult* result, int column) noexcept;

// What stands in Doubt::transaction if the transaction had no number before its COMMIT: it had written
// nothing that a COMMIT could make last.
inline constexpr std::string_view wrote_nothing = "none";

// What was found out about a database's servers. Safe for any number of threads.
class Provable {
public:
    [[nodiscard]] Proof now() const noexcept { return proof_; }
    void lower_to(Proof proof, std::string why);
    [[nodiscard]] std::string why() const;

private:
    std::atomic<Proof> proof_ = Proof::fate;
    mutable std::mutex guard_;
    std::string why_;
};

// As settings of the server count; at least one, since 0 means no limit.
[[nodiscard]] std::string milliseconds(Duration value);

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure

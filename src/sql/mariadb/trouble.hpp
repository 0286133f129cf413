// SPDX-License-Identifier: Apache-2.0
//
// What went wrong on the link, and what does it mean for the call and for the transaction? Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/sql/error_table.hpp"
#include "perdure/sql/mariadb.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {

// Whether a call was ended by its bounds, and how far it had come. While it is still writing, the
// server has not got the whole command and cannot run it.
enum class Cut : std::uint8_t { not_cut, deadline_unsent, deadline_sent, stop_unsent, stop_sent };

// What the library said. The number alone decides: a dead link always has the same SQLSTATE.
struct Trouble {
    unsigned number = 0;  // 0: none
    std::string state{};
    std::string text{};
    Cut cut = Cut::not_cut;
    bool unsent = false;  // not a byte of the command was sent; meaningful for `gone_away`

    [[nodiscard]] bool any() const noexcept { return number != 0 || cut != Cut::not_cut; }
};

inline constexpr unsigned lock_wait_timeout = 1205;
inline constexpr unsigned duplicate_key = 1062;
inline constexpr unsigned no_such_table = 1146;
inline constexpr unsigned no_such_column = 1054;
inline constexpr unsigned not_preparable = 1295;
inline constexpr unsigned gone_away = 2006;
inline constexpr unsigned prepared_too_old = 1615;
inline constexpr unsigned columns_changed = 2057;

// The session is good for nothing afterwards.
[[nodiscard]] bool breaks_session(const Trouble& trouble) noexcept;
// Only the statement was undone, and what is left of the transaction may go on.
[[nodiscard]] bool leaves_open(const Trouble& trouble) noexcept;
// An answer to COMMIT that means: surely rolled back.
[[nodiscard]] bool is_rolled_back(const Trouble& trouble) noexcept;

[[nodiscard]] Failure failure_from(const Trouble& trouble, During during,
                                   MariadbMessages messages = MariadbMessages::redacted);
// What may be shown: names of tables, columns and keys, but no values and no user.
[[nodiscard]] std::string shown(const Trouble& trouble, MariadbMessages messages);

// Nothing was sent because the bounds had ended before.
[[nodiscard]] Failure too_late(Cut cut);
[[nodiscard]] Failure token_table_missing(std::string_view table, const Trouble& trouble);
// Its column for attempts is missing, and must be added.
[[nodiscard]] Failure token_table_old(std::string_view table, const Trouble& trouble);
// Words of our own about a wrong use.
[[nodiscard]] Failure misuse(std::string_view code, std::string message);

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure

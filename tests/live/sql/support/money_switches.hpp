// SPDX-License-Identifier: Apache-2.0
//
// The environment of the money tests. PERDURE_TRANSFERS, PERDURE_KILLS and PERDURE_SEED are numbers
// (money_run.hpp). PERDURE_EVIDENCE is the directory in which the files of a wrong result are kept;
// default: the temporary directory. PERDURE_MONEY has words with blanks between; each changes one thing,
// for the MariaDB tests unless it says otherwise. scripts/mariadb-kills sets them.
//
//     text         statements as text instead of prepared
//     no-kills     no session is ended by KILL; also PostgreSQL
//     no-proxy     straight to the server, so no COMMIT is lost; also PostgreSQL
//     no-aio       innodb_use_native_aio=0
//     key          `posting` has a primary key
//     general-log  the server logs every statement, into its data directory
//     slow-write   the library PERDURE_SLOW_WRITE (kills/slow_write.cpp) is preloaded into the server, which
//                  flushes often, without native AIO; the kills come during a slow write
#pragma once

#include <string>
#include <string_view>

namespace perdure::live {

// True if PERDURE_MONEY has the word. A word that is not in the list above ends the test program.
[[nodiscard]] bool money_switch(std::string_view word);

// The value of PERDURE_EVIDENCE or PERDURE_SLOW_WRITE; empty if it is not set.
[[nodiscard]] std::string money_setting(const char* name);

}  // namespace perdure::live

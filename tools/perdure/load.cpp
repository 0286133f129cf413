// SPDX-License-Identifier: Apache-2.0
//
// perdure load: records from files into a table, nothing lost, nothing twice.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "load/engine/load_flags.hpp"
#include "load/engine/load_run.hpp"
#include "text/output.hpp"

namespace tool {

namespace {

constexpr const char* load_closing = R"(Examples:
  perdure load orders.jsonl --to sqlite:shop.db --table orders --key id --create
  perdure load 'logs/*.csv.gz' --to postgres://app@db.internal/shop --table log
  zcat dump.gz | perdure load - --as dump-7 --to mariadb://app@127.0.0.1/shop --table item
  perdure load orders.jsonl --to 'dynamodb://orders?region=eu-west-1' --key id --create
  perdure load orders.jsonl --to cosmos://acct.documents.azure.com/shop/orders --create
  perdure load orders.jsonl --to sqlite:shop.db --table orders --verify --json

The same command goes on where an interrupted one stopped, whatever stopped it. An input is known by its
content: one that has changed is refused, or read again as a whole with --key. Records that cannot be
loaded are kept with file, line and reason in the side file, which can be mended and loaded itself.

Exit status:
  0        every record of the inputs is in the table with its values
  1        standard output or the side file could not be written
  3        an input cannot be read, or is not what it was when it was loaded
  4        all is done, and some records were rejected
  5        it had to stop, for example because the target is away; the same command goes on
  6        --verify found a difference
  7        a person must mend something first: password, permission, database, table
  125      wrong flags, no such table, no such column
  128 + n  signal n ended it; the same command goes on

Status 0 of a run without news says that the input was loaded. Rows that somebody deleted or changed in
the table since are found by --verify only.
More in reference/load.md: in docs/ of the sources, in share/doc/perdure/ where it is installed.)";

}  // namespace

void add_load(CommandLine& line) {
    auto flags = std::make_shared<load::LoadFlags>();
    Section section =
        line.command("load", "bring records from files into a table: nothing lost, nothing twice");
    load::add_flags(section, *flags);
    section.closing(load_closing);
    section.runs([flags] { return load::run(*flags); });
}

}  // namespace tool

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

The same command goes on where an interrupted one stopped, whatever stopped it. Records that cannot be
loaded are kept with file, line and reason in the side file, which can be mended and loaded itself.
Exit status: 0 all records are in the table; 1 if something could not be written; 3 if an input cannot
be read; 4 if records were rejected; 5 if it had to stop, and can go on; 6 if --verify found a
difference; 125 for wrong flags; 128 + n if signal n ended it. docs/reference/load.md says more.)";

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

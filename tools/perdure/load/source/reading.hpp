// SPDX-License-Identifier: Apache-2.0
//
// How does a record's text become values, and what types do the columns of an unknown input have?
//
//     const auto columns = infer(sample, header, {.types = {{"zip", Type::text}}});
//     Rows rows;
//     read_rows(batch, header, schema, rows);
#pragma once

#include <map>
#include <string>
#include <vector>

#include "load/source/batch.hpp"
#include "load/source/rows.hpp"
#include "perdure/result.hpp"

namespace tool::load {

using perdure::Result;

// The names of a CSV file's columns, from its first record; empty for JSON lines.
using Header = std::vector<std::string>;

struct Inference {
    std::map<std::string, Type, std::less<>> types{};  // what the user knows better
};

// The columns in the order in which they were first met, each with the narrowest type that keeps
// every value of the sample as it is: integer only for what int64 holds and writes back the same
// (not 007), real for other JSON numbers, numeric where a double would change one, boolean for true and
// false and the words of CSV that mean them, date, timestamp, timestamptz and uuid for texts of that form
// (typed_text.hpp), json for objects and lists, else text. A column without a value is text. Records that cannot be read are passed over here.
// Failure: invalid, when nothing could be read or a named type has no column.
[[nodiscard]] Result<std::vector<Column>> infer(const Batch& sample, const Header& header,
                                                const Inference& inference);

// Every record of the batch ends in exactly one place, rows or rejected. `out` is emptied first.
// Rejected: what cannot be parsed; a field that has no column, or the same field twice; a value its
// column cannot hold; no value for a required column or for the key; text that is not UTF-8 or holds a
// NUL; in CSV a wrong number of fields. An unquoted empty CSV field is null, "" is an empty text.
// A line of a side file of rejected records (rejected_file.hpp) is read as the record within it.
void read_rows(const Batch& batch, const Header& header, const Schema& schema, Rows& out);

}  // namespace tool::load

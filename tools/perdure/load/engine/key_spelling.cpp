// SPDX-License-Identifier: Apache-2.0
#include "load/engine/key_spelling.hpp"

#include <algorithm>

namespace tool::load {

namespace {

void keep_spelling(Column& column, const std::optional<TableFacts>& table) {
    if (!column.inferred || !column.from_csv) return;
    if (table) {
        const auto made = std::ranges::find(table->columns, column.name, &Column::name);
        if (made != table->columns.end() && made->type != Type::other) return;
    }
    // A later record may be spelled otherwise than those of the sample, whatever these look like.
    if (column.type == Type::real || column.type == Type::numeric || column.type == Type::boolean)
        column.type = Type::text;
}

}  // namespace

void keep_spelling_of_key(Schema& schema, const std::optional<TableFacts>& table) {
    for (const auto& part : {schema.key, schema.sort})
        if (part) keep_spelling(schema.columns[*part], table);
}

}  // namespace tool::load

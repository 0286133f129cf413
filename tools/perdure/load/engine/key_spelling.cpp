// SPDX-License-Identifier: Apache-2.0
#include "load/engine/key_spelling.hpp"

#include <algorithm>

namespace tool::load {

void keep_spelling_of_key(Schema& schema, const std::optional<TableFacts>& table) {
    if (!schema.key) return;
    Column& key = schema.columns[*schema.key];
    if (!key.inferred || !key.from_csv) return;
    if (table) {
        const auto made = std::ranges::find(table->columns, key.name, &Column::name);
        if (made != table->columns.end() && made->type != Type::other) return;
    }
    // A later record may be spelled otherwise than those of the sample, whatever these look like.
    if (key.type == Type::real || key.type == Type::numeric || key.type == Type::boolean)
        key.type = Type::text;
}

}  // namespace tool::load

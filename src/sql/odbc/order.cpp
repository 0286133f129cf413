// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/order.hpp"

#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

std::vector<Value> copy_of(std::span<const Parameter> parameters) {
    std::vector<Value> values;
    values.reserve(parameters.size());
    for (const Parameter& parameter : parameters) {
        Value value{.kind = parameter.kind()};
        switch (value.kind) {
            case Kind::null: break;
            case Kind::boolean:
            case Kind::integer: value.integer = parameter.integer(); break;
            case Kind::real: value.real = parameter.real(); break;
            case Kind::text:
            case Kind::bytes: value.bytes = parameter.view(); break;
        }
        values.push_back(std::move(value));
    }
    return values;
}

namespace {

Cell cell_of(const Batch& batch, const Batch::Field& field) {
    return {.kind = field.kind,
            .integer = field.integer,
            .real = field.real,
            .view = std::string_view{batch.bytes}.substr(field.at, field.size)};
}

}  // namespace

Result<void> pour(const Batch& batch, RowSink& sink) {
    if (!batch.names.empty()) {
        const std::vector<std::string_view> names{batch.names.begin(), batch.names.end()};
        PERDURE_TRY(sink.columns(names));
    }
    std::vector<Cell> cells(batch.columns);
    for (std::size_t at = 0; at < batch.fields.size(); at += batch.columns) {
        for (std::size_t i = 0; i < batch.columns; ++i)
            cells[i] = cell_of(batch, batch.fields[at + i]);
        PERDURE_TRY(sink.row(cells));
    }
    return {};
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure

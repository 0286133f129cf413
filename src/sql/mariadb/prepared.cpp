// SPDX-License-Identifier: Apache-2.0
#include "prepared.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

constexpr unsigned binary_charset = 63;

// What a parameter's value is read from while the statement runs.
union Number {
    std::int64_t integer;
    double real;
    signed char tiny;
};

void bind_one(const Parameter& parameter, Number& number, MYSQL_BIND& bind) noexcept {
    const auto lend = [&](enum_field_types type, const void* from, unsigned long length) {
        bind.buffer_type = type;
        bind.buffer = const_cast<void*>(from);  // only read from
        bind.buffer_length = length;
        bind.length_value = length;
    };
    // A null pointer would be taken for NULL.
    const std::string_view view = parameter.kind() == Kind::text || parameter.kind() == Kind::bytes
                                      ? parameter.view()
                                      : std::string_view{};
    const char* start = view.data() ? view.data() : "";
    switch (parameter.kind()) {
        case Kind::null: return lend(MYSQL_TYPE_NULL, nullptr, 0);
        case Kind::boolean:
            number.tiny = parameter.boolean() ? 1 : 0;
            return lend(MYSQL_TYPE_TINY, &number, sizeof number.tiny);
        case Kind::integer:
            number.integer = parameter.integer();
            return lend(MYSQL_TYPE_LONGLONG, &number, sizeof number.integer);
        case Kind::real:
            number.real = parameter.real();
            return lend(MYSQL_TYPE_DOUBLE, &number, sizeof number.real);
        case Kind::text: return lend(MYSQL_TYPE_STRING, start, view.size());
        case Kind::bytes: return lend(MYSQL_TYPE_BLOB, start, view.size());
    }
}

bool is_text_type(enum_field_types type) noexcept {
    switch (type) {
        case MYSQL_TYPE_TINY_BLOB:
        case MYSQL_TYPE_BLOB:
        case MYSQL_TYPE_MEDIUM_BLOB:
        case MYSQL_TYPE_LONG_BLOB:
        case MYSQL_TYPE_STRING:
        case MYSQL_TYPE_VAR_STRING:
        case MYSQL_TYPE_VARCHAR: return true;
        default: return false;
    }
}

Kind kind_of(const MYSQL_FIELD& field) noexcept {
    switch (field.type) {
        case MYSQL_TYPE_TINY:
        case MYSQL_TYPE_SHORT:
        case MYSQL_TYPE_INT24:
        case MYSQL_TYPE_LONG:
        case MYSQL_TYPE_LONGLONG:
        case MYSQL_TYPE_YEAR: return Kind::integer;
        case MYSQL_TYPE_FLOAT:
        case MYSQL_TYPE_DOUBLE: return Kind::real;
        case MYSQL_TYPE_BIT:
        case MYSQL_TYPE_GEOMETRY: return Kind::bytes;
        default: break;
    }
    // Numbers and dates are of the binary character set as well.
    return field.charsetnr == binary_charset && is_text_type(field.type) ? Kind::bytes : Kind::text;
}

}  // namespace

Prepared::Prepared(MYSQL& mysql)
    : mysql_{&mysql}, statement_{mysql_stmt_init(&mysql)}, fields_{nullptr, mysql_free_result} {
    if (!statement_) throw std::bad_alloc{};
}

Prepared::~Prepared() {
    fields_.reset();
    (void)mysql_stmt_close(statement_);
}

bool Prepared::prepare(std::string_view text) noexcept {
    Watch::begin_command();
    return mysql_stmt_prepare(statement_, text.data(), text.size()) == 0;
}

std::size_t Prepared::placeholders() const noexcept { return mysql_stmt_param_count(statement_); }

bool Prepared::execute(std::span<const Parameter> parameters) {
    std::vector<Number> numbers(parameters.size());
    std::vector<MYSQL_BIND> binds(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        bind_one(parameters[i], numbers[i], binds[i]);
        binds[i].length = &binds[i].length_value;
    }
    if (!binds.empty() && mysql_stmt_bind_param(statement_, binds.data()) != 0) return false;
    Watch::begin_command();
    const bool done = mysql_stmt_execute(statement_) == 0;
    unsent_ = !done && Watch::nothing_sent(mysql_stmt_errno(statement_));
    return done;
}

bool Prepared::gives_rows() const noexcept { return mysql_field_count(mysql_) > 0; }

void Prepared::lay_out(const MYSQL_FIELD& field, Column& column, MYSQL_BIND& bind) {
    column.kind = kind_of(field);
    column.narrow = field.type == MYSQL_TYPE_FLOAT;
    column.is_unsigned = (field.flags & UNSIGNED_FLAG) != 0;
    bind = {};
    bind.is_null = &column.null;
    bind.length = &column.length;
    bind.is_unsigned = column.is_unsigned ? 1 : 0;
    if (column.kind == Kind::integer) {
        bind.buffer_type = MYSQL_TYPE_LONGLONG;
        bind.buffer = &column.integer;
        bind.buffer_length = sizeof column.integer;
    } else if (column.kind == Kind::real) {
        bind.buffer_type = column.narrow ? MYSQL_TYPE_FLOAT : MYSQL_TYPE_DOUBLE;
        bind.buffer = column.narrow ? static_cast<void*>(&column.small) : &column.real;
        bind.buffer_length = column.narrow ? sizeof column.small : sizeof column.real;
    } else {
        constexpr std::size_t first_guess = 256;
        if (column.bytes.empty()) column.bytes.resize(first_guess);
        bind.buffer_type = column.kind == Kind::bytes ? MYSQL_TYPE_BLOB : MYSQL_TYPE_STRING;
        bind.buffer = column.bytes.data();
        bind.buffer_length = column.bytes.size();
    }
}

bool Prepared::look_at_columns(std::vector<std::string_view>& names) {
    fields_.reset(mysql_stmt_result_metadata(statement_));
    if (!fields_) return false;
    const std::size_t count = mysql_num_fields(fields_.get());
    const MYSQL_FIELD* fields = mysql_fetch_fields(fields_.get());
    columns_.resize(count);
    binds_.resize(count);
    scratch_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        names.emplace_back(fields[i].name, fields[i].name_length);
        lay_out(fields[i], columns_[i], binds_[i]);
    }
    return mysql_stmt_bind_result(statement_, binds_.data()) == 0;
}

// Fetches what did not fit once more, and keeps the larger room for the next rows.
bool Prepared::widen() {
    bool widened = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        Column& column = columns_[i];
        const bool fits = column.null || column.kind == Kind::integer ||
                          column.kind == Kind::real || column.length <= column.bytes.size();
        if (fits) continue;
        column.bytes.resize(std::max<std::size_t>(column.length, 2 * column.bytes.size()));
        binds_[i].buffer = column.bytes.data();
        binds_[i].buffer_length = column.bytes.size();
        MYSQL_BIND again = binds_[i];
        if (mysql_stmt_fetch_column(statement_, &again, static_cast<unsigned>(i), 0) != 0)
            return false;
        widened = true;
    }
    return !widened || mysql_stmt_bind_result(statement_, binds_.data()) == 0;
}

Cell Prepared::cell_of(Column& column, std::string& scratch) const {
    if (column.null) return {};
    switch (column.kind) {
        case Kind::integer:
            if (!column.is_unsigned || column.integer >= 0) return Cell::of(column.integer);
            scratch = std::to_string(static_cast<std::uint64_t>(column.integer));
            return Cell::text(scratch);
        case Kind::real:
            return Cell::of(column.narrow ? static_cast<double>(column.small) : column.real);
        case Kind::bytes: return Cell::bytes({column.bytes.data(), column.length});
        default: return Cell::text({column.bytes.data(), column.length});
    }
}

Prepared::Fetched Prepared::fetch(std::vector<Cell>& cells) {
    const int fetched = mysql_stmt_fetch(statement_);
    if (fetched == MYSQL_NO_DATA) return Fetched::end;
    if (fetched != 0 && fetched != MYSQL_DATA_TRUNCATED) return Fetched::failed;
    if (!widen()) return Fetched::failed;
    cells.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i)
        cells.push_back(cell_of(columns_[i], scratch_[i]));
    return Fetched::row;
}

bool Prepared::finish() noexcept {
    fields_.reset();
    for (;;) {
        // An error packet between the rows it throws away is kept in the link alone.
        if (mysql_stmt_free_result(statement_) != 0 || mysql_errno(mysql_) != 0) return false;
        if (!mysql_stmt_more_results(statement_)) return true;
        if (mysql_stmt_next_result(statement_) > 0) return false;
    }
}

Trouble Prepared::trouble(const Watch& watch) const {
    Trouble found{.number = mysql_stmt_errno(statement_),
                  .state = mysql_stmt_sqlstate(statement_),
                  .text = mysql_stmt_error(statement_),
                  .cut = watch.cut(),
                  .unsent = unsent_};
    if (found.number == 0) {
        found.number = mysql_errno(mysql_);
        found.state = mysql_sqlstate(mysql_);
        found.text = mysql_error(mysql_);
    }
    constexpr unsigned unknown_error = 2000;
    if (!found.any()) found.number = unknown_error;
    return found;
}

Done Prepared::done() const noexcept {
    return {.affected = static_cast<std::int64_t>(mysql_stmt_affected_rows(statement_)),
            .last_id = static_cast<std::int64_t>(mysql_stmt_insert_id(statement_))};
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure

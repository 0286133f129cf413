// SPDX-License-Identifier: Apache-2.0
#include "load/engine/preparation.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "load/engine/of_input.hpp"
#include "load/source/json_record.hpp"
#include "load/source/reading.hpp"
#include "load/source/reading_values.hpp"
#include "load/target/invalid_load.hpp"
#include "perdure/try.hpp"
#include "text/thousands.hpp"

namespace tool::load {

using namespace perdure;

namespace {

// A file keeps its name in the ledger whatever directory the command is given in.
std::string ledger_name(const std::string& path) {
    std::error_code ignored;
    auto whole = std::filesystem::weakly_canonical(path, ignored);
    return ignored ? path : whole.string();
}

// As many as a person reads.
std::string listed(const std::vector<Column>& columns) {
    constexpr std::size_t most_listed = 100;
    std::string list;
    for (std::size_t i = 0; i < std::min(columns.size(), most_listed); ++i)
        list += (list.empty() ? "" : ", ") + columns[i].name;
    if (columns.size() > most_listed)
        list += " and " + thousands(columns.size() - most_listed) + " more";
    return list;
}

std::uint64_t size_of(const std::vector<Input>& inputs) {
    std::uint64_t sum = 0;
    for (const Input& input : inputs) {
        std::error_code wrong_file;
        const auto size = std::filesystem::file_size(input.options.path, wrong_file);
        if (wrong_file) return 0;
        sum += size;
    }
    return sum;
}

// A table that --create made holds the types of the input or of --type, on the first run and on later ones.
void keep_to_made_types(Column& column, Type met, const Wishes& wishes) {
    const auto wished = wishes.types.find(column.name);
    const Type type = wished == wishes.types.end() ? met : wished->second;
    if (wishes.create == Creating::allowed && column.type == Type::other && column.made_for == type)
        column.type = type;
}

// Columns the input has, and those it might yet have: a field may be met late in JSON.
Result<Schema> schema_for(const TableFacts& table, const std::vector<Column>& met, Format format,
                          const Wishes& wishes) {
    Schema schema;
    for (const Column& column : met) {
        const auto found = std::ranges::find(table.columns, column.name, &Column::name);
        if (found == table.columns.end())
            return fail(invalid_load(
                "no-column", "the table '" + wishes.table + "' has no column " +
                                 quoted_name(column.name) + "; it has " + listed(table.columns)));
        keep_to_made_types(schema.columns.emplace_back(*found), column.type, wishes);
    }
    for (const Column& column : table.columns)
        if (!schema.find(column.name) &&
            (met.empty() || column.required || (format != Format::csv && !column.has_default)))
            schema.columns.push_back(column);
    // The command that made the table may be given again, as it was.
    if (!wishes.types.empty() && wishes.create == Creating::not_allowed)
        return fail(
            invalid_load("types-of-table", "--type is for a table that is made by --create; '" +
                                               wishes.table + "' is there and has its own types"));
    return schema;
}

// Of such a table only the key is known; all else is as the input has it.
Result<Schema> schema_with_key(const TableFacts& table, std::vector<Column> met,
                               const Wishes& wishes) {
    const bool nothing_met = met.empty();
    Schema schema{.columns = std::move(met)};
    for (const Column& key : table.columns) {
        auto at = schema.find(key.name);
        if (!at && key.has_default) continue;
        if (!at && !nothing_met)
            return fail(invalid_load("no-key", "the key of table '" + wishes.table + "' is '" +
                                                   key.name +
                                                   "', and the input has no such field; it has " +
                                                   listed(schema.columns)));
        if (!at) {
            at = schema.columns.size();
            schema.columns.push_back(key);
        }
        Column& column = schema.columns[*at];
        const bool number = column.type == Type::integer || column.type == Type::real ||
                            column.type == Type::numeric;
        const bool any = key.type == Type::other;  // as the input has it
        if (!any && (key.type == Type::text || !number)) column.type = key.type;
        column.required = true;
    }
    if (!table.columns.empty()) schema.key = schema.find(table.columns.front().name);
    if (table.columns.size() > 1) schema.sort = schema.find(table.columns[1].name);
    return schema;
}

// The narrowest that keeps the values of both.
Type wider(Type a, Type b) {
    if (a == b) return a;
    const auto is_number = [](Type type) {
        return type == Type::integer || type == Type::real || type == Type::numeric;
    };
    if (!is_number(a) || !is_number(b)) return Type::text;
    return a == Type::numeric || b == Type::numeric ? Type::numeric : Type::real;
}

// The columns of all inputs, in the order in which they are met.
class MetColumns {
public:
    void add(std::vector<Column> more) {
        for (Column& column : more) {
            const auto [known, is_new] = places_.emplace(column.name, columns_.size());
            if (is_new) columns_.push_back(std::move(column));
            else widen(columns_[known->second], column);
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return columns_.size(); }
    [[nodiscard]] std::vector<Column> all() && { return std::move(columns_); }

private:
    static void widen(Column& known, const Column& column) {
        known.type = wider(known.type, column.type);
        known.from_csv = known.from_csv || column.from_csv;
    }

    std::vector<Column> columns_{};
    std::map<std::string, std::size_t> places_{};
};

Result<void> check_number(std::size_t columns, std::size_t most, std::string_view target) {
    if (columns <= most) return {};
    return fail(invalid_load("too-many-columns",
                             "there are " + thousands(columns) + " columns, and a table of " +
                                 std::string{target} + " has at most " + thousands(most) +
                                 "; fields whose names are data belong into one object"));
}

struct Met {
    std::vector<Column> columns{};
    Format format = Format::json_lines;
    std::vector<std::string> remarks{};
};

std::string guessed_separator(const Source& source) {
    const char separator = source.separator();
    const std::string word = separator == '\t' ? "\\t" : std::string{separator};
    return source.path() + ": taking '" + word + "' for its separator; --separator sets another";
}

// The columns of all inputs, by their first records; `most` of them, in `target`. Of an input that can be opened
// only once, what was opened is kept.
Result<Met> columns_met(std::vector<Input>& inputs, std::size_t most, std::string_view target) {
    Met met;
    MetColumns columns_of_all;
    std::optional<Failure> nothing;
    for (Input& input : inputs) {
        PERDURE_TRY_VALUE(std::shared_ptr<Source> source, of_input(Source::open(input.options)));
        Batch sample;
        PERDURE_TRY(of_input(source->sample(sample, {})));
        auto columns = of_input(infer(sample, source->header(), {}));
        if (!columns && !nothing) nothing = columns.error();
        if (!columns && !sample.records.empty() && input.options.path != "-")
            nothing->message = "'" + source->path() + "': " + nothing->message;
        if (columns) columns_of_all.add(*std::move(columns));
        PERDURE_TRY(check_number(columns_of_all.size(), most, target));
        met.format = source->format();
        if (source->separator_is_guess()) met.remarks.push_back(guessed_separator(*source));
        if (comes_once(input)) input.opened = std::move(source);
    }
    met.columns = std::move(columns_of_all).all();
    if (met.columns.empty() && nothing) return fail(*nothing);
    return met;
}

// Where a record may have any fields, those that come late in the input can be named.
Result<void> set_types(std::vector<Column>& columns, const Wishes& wishes, const Target& target) {
    for (const auto& [name, type] : wishes.types) {
        auto column = std::ranges::find(columns, name, &Column::name);
        if (column == columns.end() && target.takes_any_field())
            column = columns.insert(columns.end(), {.name = name});
        if (column == columns.end())
            return fail(invalid_load("types", "--type is given for '" + name +
                                                  "', and there is no such column; there are " +
                                                  listed(columns)));
        column->type = type;
        column->inferred = false;
    }
    return {};
}

// Where columns have no types of their own, a form that holds for the first records only would reject
// later ones for nothing: such texts are text, unless --type says otherwise.
void leave_forms_open(std::vector<Column>& columns) {
    for (Column& column : columns)
        if (has_one_form(column.type) && column.type != Type::numeric) column.type = Type::text;
}

// How much the columns hold that were made for the schema, and what the target calls them.
void adopt_limits(Schema& schema, const TableFacts& table) {
    for (Column& column : schema.columns) {
        const auto found = std::ranges::find(table.columns, column.name, &Column::name);
        if (found == table.columns.end()) continue;
        column.server_type = found->server_type;
        column.most_characters = found->most_characters;
        column.most_whole = found->most_whole;
        column.most_fraction = found->most_fraction;
    }
}

// Of a table that is yet to be made. ASCII only, as SQLite does.
Result<void> check_names(const std::vector<Column>& columns, const Target& target) {
    if (!target.folds_case()) return {};
    std::map<std::string, const Column*> met;
    for (const Column& column : columns) {
        std::string folded = column.name;
        for (char& c : folded)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        const auto [first, is_new] = met.emplace(std::move(folded), &column);
        if (!is_new)
            return fail(invalid_load(
                "same-name", "the columns '" + first->second->name + "' and '" + column.name +
                                 "' differ in case only, and are one column to this "
                                 "database; rename one of them in the input"));
    }
    return {};
}

Result<void> set_key(Schema& schema, const std::optional<TableFacts>& table, const Wishes& wishes) {
    if (!wishes.key) return {};
    schema.key = schema.find(*wishes.key);
    if (!schema.key)
        return fail(invalid_load("no-key", "there is no column '" + *wishes.key +
                                               "' to be the key; there are " +
                                               listed(schema.columns)));
    if (!table) {
        schema.columns[*schema.key].required = true;
        return {};
    }
    if (std::ranges::find(table->unique, *wishes.key) == table->unique.end())
        return fail(invalid_load(
            "key-not-unique",
            "column '" + *wishes.key + "' of table '" + wishes.table +
                "' is neither its primary key nor unique by itself, so it cannot keep "
                "records from being written twice; make it unique or leave --key out"));
    return {};
}

}  // namespace

Result<std::vector<Input>> find_inputs(const Wishes& wishes, const std::string& fresh_name) {
    PERDURE_TRY_VALUE(const std::vector<std::string> paths, of_input(expand(wishes.names)));
    if (!wishes.called.empty() && paths.size() != 1)
        return fail(invalid_load("one-name", "--as names one input; there are " +
                                                 std::to_string(paths.size())));
    std::vector<Input> inputs;
    for (const std::string& path : paths) {
        std::string name = !wishes.called.empty() ? wishes.called
                           : path == "-"          ? fresh_name
                                                  : ledger_name(path);
        if (!is_utf8(name))
            return fail(invalid_load("name", "the name of an input is not UTF-8: name it by --as"));
        if (std::ranges::find(inputs, name, &Input::name) != inputs.end())
            return fail(invalid_load("twice", "'" + path + "' is named twice"));
        inputs.push_back(
            {.options = {.path = path, .format = wishes.format, .separator = wishes.separator},
             .name = std::move(name),
             .named = wishes.called.empty() ? Named::by_path : Named::by_user});
    }
    return inputs;
}

Result<Preparation> prepare(Target& target, const Wishes& wishes, std::vector<Input> inputs,
                            Looking looking) {
    Preparation made{.inputs = std::move(inputs)};
    made.bytes = size_of(made.inputs);
    if (looking == Looking::wanted) {
        PERDURE_TRY_VALUE(made.table, target.look());
    }
    if (!made.table && wishes.create == Creating::not_allowed)
        return fail(
            invalid_load("no-table", "there is no table '" + wishes.table +
                                         "'; --create makes it, --dry-run --create shows how"));

    // A table that is there tells by itself which column it does not have.
    const std::size_t most = made.table ? SIZE_MAX : target.most_columns();
    auto met = columns_met(made.inputs, most, target.name());
    // A table that is there has its own columns, and may be given nothing.
    if (!met && !(made.table && met.error().code == "no-record")) return met.take_failure();
    if (!met) met = Met{};
    made.remarks = std::move(met->remarks);
    if (target.takes_any_field()) leave_forms_open(met->columns);
    if (made.table && target.takes_any_field()) {
        PERDURE_TRY(set_types(met->columns, wishes, target));
        PERDURE_TRY_VALUE(made.schema,
                          schema_with_key(*made.table, std::move(met->columns), wishes));
    } else if (made.table) {
        PERDURE_TRY_VALUE(made.schema, schema_for(*made.table, met->columns, met->format, wishes));
    } else {
        PERDURE_TRY(set_types(met->columns, wishes, target));
        made.schema.columns = std::move(met->columns);
        PERDURE_TRY(check_names(made.schema.columns, target));
    }
    PERDURE_TRY(set_key(made.schema, made.table, wishes));
    return made;
}

Result<void> look_again(Target& target, const Wishes& wishes, Preparation& made) {
    PERDURE_TRY_VALUE(const std::optional<TableFacts> table, target.look());
    if (!target.takes_any_field()) {
        if (table) adopt_limits(made.schema, *table);
        return {};
    }
    if (!table)
        return fail({.cause = Cause::not_found,
                     .effect = Effect::none,
                     .code = "no-table",
                     .message = "table '" + wishes.table +
                                "' was made and cannot be seen: give "
                                "the same command again"});
    PERDURE_TRY_VALUE(made.schema, schema_with_key(*table, std::move(made.schema.columns), wishes));
    return set_key(made.schema, table, wishes);
}

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_flags.hpp"

#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

Failure wrong_flag(std::string message) {
    return {.cause = Cause::invalid,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "flag",
            .message = std::move(message)};
}

Result<std::optional<Format>> format_of(const std::string& word) {
    if (word.empty()) return std::optional<Format>{};
    if (word == "jsonl" || word == "ndjson") return std::optional{Format::json_lines};
    if (word == "json") return std::optional{Format::json_array};  // or lines, by the first byte
    if (word == "csv" || word == "tsv") return std::optional{Format::csv};
    return fail(wrong_flag("--format is jsonl, json, csv or tsv, not '" + word + "'"));
}

Result<void> add_type(const std::string& text, Wishes& wishes) {
    const std::size_t equals = text.rfind('=');
    const auto type =
        equals == std::string::npos ? std::optional<Type>{} : type_named(text.substr(equals + 1));
    if (!type || equals == 0)
        return fail(
            wrong_flag("--type is COLUMN=TYPE with " + list_of_types() + ", not '" + text + "'"));
    wishes.types[text.substr(0, equals)] = *type;
    return {};
}

void add_input_flags(Section& section, LoadFlags& flags) {
    constexpr const char* group = "Input";
    section.text("--format", flags.format, "jsonl, json, csv or tsv",
                 {.preset = "by name", .group = group});
    section.text("--separator", flags.separator, "between the fields of CSV",
                 {.preset = "guessed", .group = group, .kind = "CHAR"});
    section.text("--as", flags.called, "the name by which a later run knows the input",
                 {.preset = "its path", .group = group});
    section.flag("--again", flags.again, "forget what was loaded of these inputs, begin anew",
                 {.group = group});
}

void add_trial_flags(Section& section, LoadFlags& flags) {
    constexpr const char* group = "Trying it out";
    section.flag("--dry-run", flags.dry_run, "say what would be done, write nothing",
                 {.group = group});
    section.number("--faults", flags.faults, {0, 0.9},
                   "so often each kind of fault happens in the sessions: 10%", {.group = group});
    section.count("--faults-seed", flags.faults_seed, 1000000000, "of the faults",
                  {.preset = "1", .group = group});
}

}  // namespace

void add_flags(Section& section, LoadFlags& flags) {
    section.files(flags.files, "files of JSON or CSV, packed or not; patterns; - for stdin");
    section.text("--to", flags.to,
                 "sqlite:PATH, postgres://…, mariadb://…, dynamodb://TABLE?region=…, "
                 "cosmos://HOST/DATABASE/CONTAINER",
                 {.must = Must::be_given, .kind = "TARGET"});
    section.text("--table", flags.table, "the table, unless the target says it");
    section.text("--key", flags.key, "the column that tells records apart");
    section.flag("--create", flags.create, "make the table if it is not there");
    section.texts("--type", flags.types, "of a column that is made: zip=text, day=date",
                  {.kind = "COLUMN=TYPE"});
    section.text("--rejected", flags.rejected, "where records go that cannot be loaded",
                 {.preset = "TABLE.rejected.jsonl", .kind = "FILE"});
    section.count("--max-rejected", flags.max_rejected, 1'000'000'000,
                  "stop after so many rejected records in a row; 0: never",
                  {.preset = "1000", .kind = "N"});
    section.flag("--verify", flags.verify, "read the table back and compare it with the input");
    add_input_flags(section, flags);
    constexpr const char* pace = "Pace";
    section.count("--workers", flags.workers, 64, "transactions at once",
                  {.preset = "as suits the target", .group = pace});
    section.count("--batch", flags.batch, 100000, "records to a transaction",
                  {.preset = "2000", .group = pace});
    section.duration("--patience", flags.patience, "one transaction is tried for so long",
                     {.preset = "1m", .group = pace});
    constexpr const char* watching = "Watching";
    section.text("--journal", flags.journal, "write diagnostics here, for perdure doctor",
                 {.group = watching, .kind = "FILE"});
    section.text("--metrics", flags.metrics, "serve metrics here: 127.0.0.1:9464",
                 {.group = watching, .kind = "ADDRESS"});
    section.flag("--json", flags.json, "the account as one line of JSON", {.group = watching});
    add_trial_flags(section, flags);
}

Result<Wishes> wishes_of(const LoadFlags& flags) {
    if (flags.workers == 0) return fail(wrong_flag("--workers is at least 1"));
    if (flags.batch == 0) return fail(wrong_flag("--batch is at least 1"));
    Wishes wishes{.names = flags.files, .called = flags.called, .table = flags.table};
    if (!flags.key.empty()) wishes.key = flags.key;
    PERDURE_TRY_VALUE(wishes.format, format_of(flags.format));
    if (flags.format == "tsv") wishes.separator = '\t';
    if (flags.separator == "\\t") wishes.separator = '\t';
    else if (flags.separator.size() == 1 && flags.separator != "\"")
        wishes.separator = flags.separator[0];
    else if (!flags.separator.empty())
        return fail(wrong_flag("--separator is one character and no quote, or \\t"));
    for (const std::string& text : flags.types) PERDURE_TRY(add_type(text, wishes));
    if (flags.create) wishes.create = Creating::allowed;
    return wishes;
}

}  // namespace tool::load

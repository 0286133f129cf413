// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_report.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "exit_code.hpp"
#include "load/engine/of_input.hpp"
#include "text/calendar.hpp"
#include "text/duration_text.hpp"
#include "text/json_text.hpp"
#include "text/thousands.hpp"

namespace tool::load {

using namespace perdure;

namespace {

std::string padded_thousands(std::uint64_t number, std::size_t width) {
    std::string text = thousands(number);
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
}

// "1 record", "2,000 records"
std::string counted(std::uint64_t number, const std::string& what) {
    return thousands(number) + ' ' + what + (number == 1 ? "" : "s");
}

std::string rate(const Report& report) {
    const double seconds = std::chrono::duration<double>(report.elapsed).count();
    if (seconds <= 0) return {};
    return ", " +
           thousands(static_cast<std::uint64_t>(static_cast<double>(report.run.read) / seconds)) +
           " records/s";
}

std::string hexadecimal(std::uint64_t number) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
    return text.data();
}

std::string account_lines(const Report& report) {
    const bool earlier = report.run.read != report.whole.read;
    const auto line = [&](const char* name, std::uint64_t run, std::uint64_t whole,
                          const std::string& more = {}) {
        std::string text = std::string{"  "} + name + padded_thousands(run, 14);
        if (earlier) text += padded_thousands(whole, 18);
        return text + more + '\n';
    };
    std::string text;
    if (earlier) text += "                      this run   with earlier runs\n";
    text += line("read          ", report.run.read, report.whole.read);
    text += line("written       ", report.run.written, report.whole.written);
    text += line("already there ", report.run.present, report.whole.present);
    text += line("rejected      ", report.run.rejected, report.whole.rejected,
                 report.side_file.empty() ? "" : "   see " + report.side_file);
    text += report.whole.adds_up() ? "  read = written + already there + rejected\n"
                                   : "  THE ACCOUNT DOES NOT ADD UP: please report this\n";
    return text;
}

std::string verification_lines(const Verification& verified) {
    std::string text;
    for (const std::string& remark : verified.remarks) text += "  note: " + remark + '\n';
    if (verified.good() && verified.contents_compared)
        return text + "  verified" +
               (verified.not_compared.empty() ? "" : ", but for these columns") + ": " +
               counted(verified.found, "row") + (verified.found == 1 ? " is that" : " are those") +
               " of the input, checksum " + hexadecimal(verified.checksum_found) + '\n';
    if (verified.good()) return text + "  verified: nothing that could be compared differs\n";
    text += "  NOT THE SAME: " + thousands(verified.expected) +
            " records should be there (checksum " + hexadecimal(verified.checksum_expected) +
            "), " + thousands(verified.found) + " rows were found (checksum " +
            hexadecimal(verified.checksum_found) + ")\n";
    if (verified.missing + verified.different > 0)
        text += "  " + thousands(verified.missing) + " missing, " + thousands(verified.different) +
                " with other values\n";
    for (const std::string& example : verified.examples) text += "    " + example + '\n';
    return text;
}

std::string what_now(const Report& report) {
    const Failure* failure =
        report.stopped && report.stopped->failure ? &*report.stopped->failure : nullptr;
    if (failure && is_of_input(*failure))
        return "What was loaded before is in the table, and is not loaded again.\n";
    if (failure && failure->code == "taken") return "What this run wrote is in the table, once.\n";
    if (failure && failure->code == "rejected-in-a-row")
        return "What was loaded before is in the table; the rejected records are in the side "
               "file.\n";
    if (report.status == exit_code::needs_person)
        return "The same command stops here again until this is mended; then it goes on.\n";
    return "Nothing is lost: " + report.how_to_go_on + ".\n";
}

std::string stop_lines(const Report& report) {
    std::string text;
    if (report.stopped && report.stopped->failure) {
        const Failure& failure = *report.stopped->failure;
        text += "stopped";
        if (!report.stopped->where.empty()) text += " at " + report.stopped->where;
        text += ": " +
                (failure.message.empty() ? std::string{to_string(failure.cause)} : failure.message);
        if (!failure.code.empty() && failure.message.find(failure.code) == std::string::npos)
            text += " (" + failure.code + ")";
        text += '\n';
    } else if (report.signal != 0) {
        text +=
            std::string{"stopped by "} + (report.signal == SIGINT ? "Ctrl-C" : "a signal") + '\n';
    } else {
        return {};
    }
    return text + what_now(report);
}

// Every input was loaded before, and nothing was added to any of them.
bool has_nothing_new(const Report& report) {
    return !report.stopped && report.signal == 0 && !report.nothing_new.empty() &&
           report.nothing_new.size() == report.inputs;
}

std::string nothing_new_lines(const Report& report) {
    constexpr std::size_t most = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, report.nothing_new.size()); ++i) {
        const NothingNew& one = report.nothing_new[i];
        text += "  nothing new: '" + one.path + "' was loaded";
        if (!one.loaded_as.empty()) text += " as '" + one.loaded_as + "'";
        if (one.loaded_at > 0) text += " on " + utc_minute(one.loaded_at);
        text += ", " + counted(one.account.read, "record") + "; " +
                (one.loaded_as.empty() ? "--again reads it once more"
                                       : "--as NAME loads it as another input") +
                '\n';
    }
    if (report.nothing_new.size() > most)
        text += "  and so were " + thousands(report.nothing_new.size() - most) + " more\n";
    if (!report.verified)
        text += "  rows deleted or changed in the table since are found by --verify only\n";
    return text;
}

std::string rows_left_line(const RowsLeft& left) {
    std::string text = "  " + thousands(left.rows) +
                       (left.rows == 1 ? " row of the table is" : " rows of the table are") +
                       " not in the file any more: key ";
    for (std::size_t i = 0; i < left.examples.size(); ++i)
        text += (i > 0 ? ", " : "") + left.examples[i];
    return text + (left.rows > left.examples.size() ? ", …\n" : "\n");
}

std::string end_lines(const Report& report) {
    std::string text;
    if (report.rows_left && report.rows_left->rows > 0) text += rows_left_line(*report.rows_left);
    if (report.verified) text += verification_lines(*report.verified);
    return text;
}

std::string names_json(const std::vector<std::string>& names) {
    std::string json = "[";
    for (const std::string& name : names) json += (json.size() > 1 ? "," : "") + json_text(name);
    return json + "]";
}

std::string columns_json(const Schema& schema) {
    std::string json = "[";
    for (const Column& column : schema.columns) {
        if (json.size() > 1) json += ',';
        json += "{\"name\":" + json_text(column.name) + ",\"type\":\"" +
                std::string{to_string(column.type)} + "\"}";
    }
    return json + "]";
}

std::string account_json(const Account& account) {
    JsonLine line;
    line.number("read", static_cast<long long>(account.read))
        .number("written", static_cast<long long>(account.written))
        .number("already_there", static_cast<long long>(account.present))
        .number("rejected", static_cast<long long>(account.rejected));
    std::string json = std::move(line).end();
    json.pop_back();
    return json;
}

}  // namespace

std::string refusal_json(const Failure& failure, const Report& report, int status) {
    JsonLine line;
    if (!report.target.empty()) line.text("target", report.target);
    line.text("stopped", failure.message.empty() ? to_string(failure) : failure.message)
        .text("code", failure.code)
        .number("status", status);
    return std::move(line).end();
}

std::string columns_in_words(const Schema& schema) {
    std::string text;
    for (const Column& column : schema.columns)
        text +=
            (text.empty() ? "" : ", ") + column.name + ' ' + std::string{to_string(column.type)};
    return text;
}

std::string in_words(const Report& report) {
    std::string text = stop_lines(report);
    text += report.target + ", table " + report.table + '\n';
    if (!report.made_columns.empty()) text += "  made: " + report.made_columns + '\n';
    for (const std::string& remark : report.remarks) text += "  note: " + remark + '\n';
    if (has_nothing_new(report)) return text + nothing_new_lines(report) + end_lines(report);
    text += account_lines(report);
    for (const std::string& one : report.rejections) text += "    " + one + '\n';
    text += "  " + thousands(report.counts.retries) + " retries, " +
            thousands(report.counts.throttled) + " throttled, " + thousands(report.counts.asked) +
            " outcomes asked for, " + thousands(report.counts.unknown) + " unknown;\n";
    if (report.whole.read != report.run.read)
        text += "  " + counted(report.read_again, "record") + " read again;\n";
    text += "  " + tool::in_words(report.elapsed) + rate(report) + '\n';
    return text + end_lines(report);
}

std::string to_json(const Report& report) {
    JsonLine line;
    line.text("target", report.target)
        .text("table", report.table)
        .raw("account", account_json(report.run))
        .raw("account_with_earlier_runs", account_json(report.whole))
        .raw("adds_up", report.whole.adds_up() ? "true" : "false")
        .number("read_again", static_cast<long long>(report.read_again))
        .number("retries", static_cast<long long>(report.counts.retries))
        .number("throttled", static_cast<long long>(report.counts.throttled))
        .number("outcomes_asked", static_cast<long long>(report.counts.asked))
        .number("unknown", static_cast<long long>(report.counts.unknown))
        .number("workers", report.workers)
        .number("batch", static_cast<long long>(report.batch))
        .number("elapsed_ns", report.elapsed.count());
    if (!report.side_file.empty()) line.text("rejected_file", report.side_file);
    if (report.stopped && report.stopped->failure) {
        line.text("stopped", report.stopped->failure->message)
            .text("code", report.stopped->failure->code);
        if (!report.stopped->where.empty()) line.text("at", report.stopped->where);
    }
    if (report.signal != 0) line.number("signal", report.signal);
    line.raw("nothing_new", has_nothing_new(report) ? "true" : "false");
    if (report.rows_left)
        line.number("rows_not_in_input", static_cast<long long>(report.rows_left->rows));
    if (!report.remarks.empty()) line.raw("remarks", names_json(report.remarks));
    if (!report.made_columns.empty()) line.text("made", report.made_columns);
    if (report.verified) {
        const Verification& verified = *report.verified;
        line.raw("verified", verified.good() ? "true" : "false")
            .raw("contents_compared", verified.contents_compared ? "true" : "false")
            .raw("columns_not_compared", names_json(verified.not_compared))
            .number("rows_expected", static_cast<long long>(verified.expected))
            .number("rows_found", static_cast<long long>(verified.found))
            .text("checksum_expected", hexadecimal(verified.checksum_expected))
            .text("checksum_found", hexadecimal(verified.checksum_found));
    }
    line.number("status", report.status);
    return std::move(line).end();
}

std::string in_words(const Intent& intent) {
    const Preparation& made = *intent.preparation;
    std::string text = "Would load into " + intent.target + ", table " + intent.table + ":\n";
    for (std::size_t i = 0; i < made.inputs.size(); ++i) {
        text += "  " + made.inputs[i].options.path;
        if (intent.done[i] > 0)
            text += " (" + counted(intent.done[i], "record") +
                    (intent.done[i] == 1 ? " is done)" : " are done)");
        if (!intent.changed[i].empty())
            text += ", but " + intent.changed[i] +
                    (made.schema.key ? ": it would be read again as a whole"
                                     : ": it would be refused, with status 3");
        text += '\n';
    }
    text += "  columns:";
    for (const Column& column : made.schema.columns)
        text += " " + column.name + " " + std::string{to_string(column.type)} +
                (&column == &made.schema.columns.back() ? "\n" : ",");
    text += made.schema.key
                ? "  a record is known by its " + made.schema.columns[*made.schema.key].name
                : std::string{"  a record is known by its place in its input"};
    if (made.schema.sort) text += " and its " + made.schema.columns[*made.schema.sort].name;
    text += '\n';
    text += "  " + std::to_string(intent.workers) +
            (intent.workers == 1 ? " worker, " : " workers, ") + counted(intent.batch, "record") +
            " to a transaction\n";
    if (!intent.create_statement.empty())
        text += "The table is not there and would be made:\n" + intent.create_statement + '\n';
    return text + "Nothing was written.\n";
}

std::string to_json(const Intent& intent) {
    const Preparation& made = *intent.preparation;
    std::string inputs = "[";
    for (std::size_t i = 0; i < made.inputs.size(); ++i) {
        if (i > 0) inputs += ',';
        inputs += "{\"path\":" + json_text(made.inputs[i].options.path) +
                  ",\"records_done\":" + std::to_string(intent.done[i]) +
                  ",\"changed\":" + (intent.changed[i].empty() ? "false}" : "true}");
    }
    JsonLine line;
    line.text("target", intent.target)
        .text("table", intent.table)
        .raw("inputs", inputs + "]")
        .raw("columns", columns_json(made.schema));
    if (made.schema.key) line.text("key", made.schema.columns[*made.schema.key].name);
    if (made.schema.sort) line.text("sort_key", made.schema.columns[*made.schema.sort].name);
    if (!intent.create_statement.empty()) line.text("create", intent.create_statement);
    line.number("workers", intent.workers).number("batch", static_cast<long long>(intent.batch));
    return std::move(line).end();
}

}  // namespace tool::load

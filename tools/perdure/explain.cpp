// SPDX-License-Identifier: Apache-2.0
//
// perdure explain: what does this error mean, and what does Perdure do with it?
#include "explain/explain.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "text/output.hpp"

namespace tool {

namespace {

struct ExplainOptions {
    std::string service;
    std::string code;
    bool json = false;
    bool markdown = false;
};

constexpr int no_such_code = 3;

constexpr const char* explain_closing = R"(Examples:
  perdure explain                       the services there are
  perdure explain http                  the whole table
  perdure explain http 503
  perdure explain 503                   in every service that has the code
  perdure explain postgres deadlock     by a word of name or reason
  perdure explain http ECONNRESET --json | jq .repeat.once
  perdure explain postgres 40001
  perdure explain sqlite SQLITE_BUSY_SNAPSHOT
  perdure explain dynamodb TransactionCanceledException
  perdure explain cosmos 403/3

The answers come from the table and the decision that calls run with. `repeat` says whether a
first failure is repeated, by the safety the caller declared.
Exit status: 0; 1 if the answer could not be written; 3 when the code has no row: what would
happen to it is said all the same; 125 for wrong flags or an unknown service.)";

std::size_t columns() {
    winsize size{};
    std::size_t width = 80;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        width = size.ws_col;
    } else if (const char* const told = std::getenv("COLUMNS")) {  // NOLINT(concurrency-mt-unsafe)
        const std::string_view text{told};
        std::from_chars(text.data(), text.data() + text.size(), width);
    }
    return std::clamp<std::size_t>(width, 40, 200);
}

int refuse(const std::string& why) {
    say("perdure explain: " + why + "\nperdure explain --help lists what there is.");
    return exit_code::usage;
}

int explain_unknown(const Service& service, const ExplainOptions& options) {
    const Otherwise otherwise = service.otherwise(options.code);
    say("perdure explain: " + std::string{service.name} + ": " + otherwise.sentence);
    int printed = exit_code::success;
    if (options.json) printed = print(as_json(service, options.code, otherwise));
    else if (otherwise.row) printed = print(as_text(*otherwise.row, columns()));
    return printed == exit_code::success ? no_such_code : printed;
}

int print_found(const std::vector<FoundRow>& found, const ExplainOptions& options) {
    if (options.json) return print(as_json(found));
    std::string text;
    for (const auto& [service, row] : found)
        text +=
            (text.empty() ? "" : "\n") + std::string{service->name} + " " + as_text(row, columns());
    return print(text);
}

int explain(const ExplainOptions& options) {
    if (options.json && options.markdown) return refuse("--json or --markdown; give one");
    if (options.service.empty())
        return options.json || options.markdown ? refuse("SERVICE is missing") : print(as_list());
    const Service* const service = service_named(options.service);
    if (!service && options.code.empty() && !options.markdown) {
        const auto found = rows_with(options.service);
        if (!found.empty()) return print_found(found, options);
    }
    if (!service)
        return refuse(std::string{"there is no service "} +
                      (options.code.empty() ? "or code " : "") + "'" + options.service + "'");
    if (options.markdown && !options.code.empty())
        return refuse("--markdown prints a whole table; leave CODE out");
    if (options.markdown) return print(as_markdown(*service));
    if (options.code.empty())
        return print(options.json ? as_json(*service) : as_table(*service, columns()));
    const auto row = row_with(*service, options.code);
    if (!row) {
        const auto found = rows_about(*service, options.code);
        return found.empty() ? explain_unknown(*service, options) : print_found(found, options);
    }
    return print(options.json ? as_json(*service, *row) : as_text(*row, columns()));
}

}  // namespace

void add_explain(CommandLine& line) {
    auto options = std::make_shared<ExplainOptions>();
    Section section = line.command("explain", "what an error means and what Perdure does with it");
    section.subject(
        "SERVICE", options->service,
        "http, postgres, mariadb, sqlite, sqlserver, odbc, dynamodb, cosmos; or a code alone");
    section.subject("CODE", options->code,
                    "a status, a code or a word; without it the whole table");
    section.flag("--json", options->json, "the answer as one line of JSON");
    section.flag("--markdown", options->markdown, "the table as a page of the documentation");
    section.closing(explain_closing);
    section.runs([options] { return explain(*options); });
}

}  // namespace tool

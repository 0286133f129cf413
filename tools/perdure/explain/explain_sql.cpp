// SPDX-License-Identifier: Apache-2.0
#ifdef PERDURE_HAS_SQL

#include "explain/explain_sql.hpp"

#include <algorithm>
#include <utility>

#include "explain/explain_rules.hpp"
#include "perdure/call/plan.hpp"
#include "perdure/sql/error_table.hpp"
#include "perdure/sql/strategy.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {
namespace sql_errors {

using sql::Product;

constexpr std::string_view legend = R"(
| column | meaning |
|---|---|
| code | `Failure::code` |
| cause | what happened; [decide](decide.md) and the plan's [rules](rule.md) go by it |
| letters | K the session is dropped · S a statement by itself was not applied and is repeated · T the whole transaction is repeated · C connecting is repeated · A a COMMIT or a write by itself may have been applied · N not repeated |
| COMMIT | `definite`: the transaction is not committed · `ambiguous`: nobody knows, and it is found out or reported as unknown |
| rule | of the [strategy](#rules); nothing: not repeated |
| remedy | what is mended before the next attempt |

Inside a transaction never a single statement is repeated, always the whole. Whatever the letters say: a write whose
effect is unknown is not repeated under [once](../concepts/effect-and-safety.md). Codes can be added and taken out for
each database.
)";

struct Description {
    std::string_view title;
    std::string_view summary;
    std::string_view words;  // about this table in particular
};

Description description_of(Product product) {
    switch (product) {
        case Product::postgres:
            return {"PostgreSQL errors", "SQLSTATEs of PostgreSQL, and PgBouncer's words",
                    "Codes are SQLSTATEs. What PgBouncer and a stale plan say is told apart by its "
                    "text: "
                    "`08P01:limit`,\n`08P01:startup` and `0A000:plan` name such rows; the failure "
                    "keeps "
                    "the plain code. A SQLSTATE without a row is\ntaken by its class."};
        case Product::mariadb:
            return {"MariaDB and MySQL errors", "error numbers of MariaDB and MySQL",
                    "Codes are error numbers. An error of the client library (from 2000 on) "
                    "without a row "
                    "leaves a COMMIT open;\none of the server without a row is final."};
        case Product::sqlite:
            return {"SQLite errors", "result codes of SQLite",
                    "Codes are result codes, the extended ones included. An extended code without "
                    "a row is "
                    "taken as its primary\ncode."};
        case Product::odbc:
            return {
                "ODBC errors", "SQLSTATEs of ODBC, and FreeTDS' own numbers",
                "Codes are SQLSTATEs, and the numbers of FreeTDS for what it finds itself. A state "
                "without a row is taken as\n[PostgreSQL's](postgres-errors.md), whose classes are "
                "the "
                "standard's; `HY000` is looked up by the number of the\nproduct."};
        case Product::sqlserver:
            return {"SQL Server and Azure SQL errors", "error numbers of SQL Server and Azure SQL",
                    "Codes are error numbers: the 176 that Entity Framework Core calls transient, "
                    "and common "
                    "final ones. **No SQL\nServer was run** for this table: it follows EF Core's "
                    "source and "
                    "the vendor's documents. A state of the ODBC\ndriver is taken as in "
                    "[ODBC](odbc-errors.md)."};
    }
    return {};
}

const Rule& rule_for(const Plan& plan, std::string_view name) {
    const auto named = std::ranges::find(plan.rules, name, &NamedRule::name);
    if (named != plan.rules.end()) return named->rule;
    return name == "connect" ? plan.connect : plan.rule;
}

ErrorRow shown(const sql::ErrorRow& row, const Plan& plan, std::string_view group) {
    const bool ambiguous = row.reactions.has(sql::Reaction::ambiguous);
    ErrorRow seen{.group = group,
                  .code = std::string{row.code},
                  .name = std::string{row.name},
                  .failure = sql::failure_of(row, sql::During::statement),
                  .why = row.why,
                  .source = row.source,
                  .reactions = to_string(row.reactions),
                  .at_commit = ambiguous ? "ambiguous" : "definite"};
    // While connecting, what is final otherwise may be repeated.
    if (!row.reactions.has(sql::Reaction::nothing))
        seen.rule = waits_of(rule_for(plan, rule_of(seen.failure)));
    if (row.name.starts_with("SQLITE_")) seen.also = row.name.substr(0, row.name.find(':'));
    return seen;
}

template <Product product>
std::vector<ErrorRow> rows() {
    const Plan plan = sql::strategy(product);
    std::vector<ErrorRow> all;
    for (const auto& row : sql::error_rows(product))
        all.push_back(shown(row, plan, "Of the database"));
    for (const auto& row : sql::client_rows()) all.push_back(shown(row, plan, "Of this side"));
    return all;
}

template <Product product>
Otherwise otherwise(std::string_view code) {
    const sql::ErrorRow& serves = sql::row_of(product, code);
    ErrorRow row = shown(serves, sql::strategy(product), "Of the database");
    std::string as = std::exchange(row.code, std::string{code});
    row.also.clear();
    const std::string how = as.empty() ? "it is not repeated" : "it is taken as " + as;
    return {row.code + " has no row; " + how, std::move(as), std::move(row)};
}

std::string rules_section(const Plan& plan) {
    return rules_table(plan) + "\nThe deadline of a call is " + in_words(plan.deadline) +
           " unless it says otherwise; " + in_words(plan.resolve_within) +
           " of it are kept for finding out about a lost COMMIT.\n";
}

std::string page_of(Product product) {
    const Description about = description_of(product);
    const std::string name{to_string(product)};
    return "# " + std::string{about.title} +
           "\n\nWhat an error means, and what Perdure does with it. " +
           "This page is printed by `perdure explain " + name +
           " --markdown`\nfrom the table that the code uses; [explain](explain.md) shows it row by "
           "row.\n\n" +
           std::string{about.words} + "\n" + std::string{legend} +
           rules_section(sql::strategy(product));
}

template <Product product>
Service service(std::vector<std::string_view> aliases = {}) {
    static const std::string page = page_of(product);
    return {to_string(product),
            description_of(product).summary,
            rows<product>,
            otherwise<product>,
            page,
            std::move(aliases)};
}

}  // namespace sql_errors
}  // namespace

std::vector<Service> sql_services() {
    using namespace sql_errors;
    return {service<Product::postgres>({"postgresql"}), service<Product::mariadb>({"mysql"}),
            service<Product::sqlite>({"sqlite3"}),
            service<Product::sqlserver>({"mssql", "azuresql"}), service<Product::odbc>()};
}

}  // namespace tool

#endif

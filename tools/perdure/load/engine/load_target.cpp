// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_target.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "load/target/cosmos_url.hpp"
#include "load/target/dynamodb_url.hpp"
#include "load/target/sql/sql_target.hpp"
#include "load/target/target_url.hpp"
#include "perdure/try.hpp"
#ifdef PERDURE_HAS_DYNAMODB
#include "load/target/dynamodb/dynamodb_target.hpp"
#endif
#ifdef PERDURE_HAS_COSMOS
#include "load/target/cosmos/cosmos_target.hpp"
#endif

namespace tool::load {

using namespace perdure;

namespace {

sql::FaultChances chances_of(double share, int seed) {
    const sql::Odds half{.fail_before = share / 2, .fail_after = share / 2};
    return {.seed = static_cast<std::uint64_t>(seed),
            .open = half,
            .begin = half,
            .execute = half,
            .commit = {.fail_before = share / 3, .fail_after = share / 3, .half_open = share / 3}};
}

#ifdef PERDURE_HAS_DYNAMODB
Result<std::unique_ptr<Target>> dynamodb_target(const LoadFlags& flags, std::string_view url,
                                                Observer* observer) {
    if (flags.faults)
        return wrong_target(
            "--faults is for databases of SQL; DynamoDB's are made by `perdure chaos` "
            "between it and the load: dynamodb://…&endpoint=http://127.0.0.1:PORT");
    DynamoTargetOptions options{
        .workers = std::max(0, flags.workers), .patience = flags.patience, .observer = observer};
    PERDURE_TRY_VALUE(options.url, parse_dynamodb_url(url));
    options.url.table = flags.table;
    return open_dynamodb_target(options);
}
#else
Result<std::unique_ptr<Target>> dynamodb_target(const LoadFlags&, std::string_view, Observer*) {
    return wrong_target("this perdure was built without DynamoDB");
}
#endif

#ifdef PERDURE_HAS_COSMOS
Result<std::unique_ptr<Target>> cosmos_target(const LoadFlags& flags, std::string_view url,
                                              Observer* observer) {
    if (flags.faults)
        return wrong_target("--faults is for databases of SQL; Cosmos DB's are made by `perdure "
                            "chaos` or `perdure gateway`: cosmos+http://127.0.0.1:PORT/…");
    CosmosTargetOptions options{.key = flags.key,
                                .workers = std::max(0, flags.workers),
                                .patience = flags.patience,
                                .observer = observer};
    PERDURE_TRY_VALUE(options.url, parse_cosmos_url(url));
    options.url.container = flags.table;
    PERDURE_TRY_VALUE(options.access, find_cosmos_access(options.url, variables_of_process()));
    return open_cosmos_target(options);
}
#else
Result<std::unique_ptr<Target>> cosmos_target(const LoadFlags&, std::string_view, Observer*) {
    return wrong_target("this perdure was built without Cosmos DB");
}
#endif

bool is_sql_url(std::string_view url) {
    constexpr std::array<std::string_view, 7> schemes{
        "sqlite:", "file:", "postgres:", "postgresql:", "mariadb:", "mysql:", "odbc:"};
    return std::ranges::any_of(schemes,
                               [&](std::string_view scheme) { return url.starts_with(scheme); });
}

// A target's URL may name the table too; both must mean the same one.
Result<void> settle(std::string& table, const std::string& named) {
    if (!named.empty() && !table.empty() && named != table)
        return wrong_target("--to names the table '" + named + "', --table names '" + table + "'");
    if (table.empty()) table = named;
    return {};
}

}  // namespace

std::string read_only(std::string_view path) {
    std::string url = "file:";
    for (const char c : path) {
        const bool special = c == '?' || c == '#' || c == '%';
        url += special ? (c == '?' ? "%3f" : c == '#' ? "%23" : "%25") : std::string(1, c);
    }
    return url + "?mode=ro";
}

Result<void> settle_table(LoadFlags& flags) {
    if (is_dynamodb_url(flags.to)) {
        PERDURE_TRY_VALUE(const DynamoUrl url, parse_dynamodb_url(flags.to));
        PERDURE_TRY(settle(flags.table, url.table));
    }
    if (is_cosmos_url(flags.to)) {
        PERDURE_TRY_VALUE(const CosmosUrl url, parse_cosmos_url(flags.to));
        PERDURE_TRY(settle(flags.table, url.container));
    }
    if (flags.table.empty()) return wrong_target("--table is required: into which one?");
    return {};
}

Result<std::unique_ptr<Target>> target_of(const LoadFlags& flags, std::string url,
                                          Observer* observer) {
    if (is_dynamodb_url(url)) return dynamodb_target(flags, url, observer);
    if (is_cosmos_url(url)) return cosmos_target(flags, url, observer);
    if (!is_sql_url(url))
        return wrong_target(
            "--to begins with sqlite:, file:, postgres://, mariadb://, dynamodb:// or "
            "cosmos://; odbc: can be used by programs, not by a load");
    SqlTargetOptions options{.url = std::move(url),
                             .table = flags.table,
                             .workers = std::max(0, flags.workers),
                             .patience = flags.patience,
                             .observer = observer};
    if (!flags.key.empty()) options.key = flags.key;
    if (flags.faults) options.faults = chances_of(*flags.faults, flags.faults_seed);
    return open_sql_target(options);
}

}  // namespace tool::load

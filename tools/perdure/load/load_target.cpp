// SPDX-License-Identifier: Apache-2.0
#include "load/load_target.hpp"

#include <utility>

#include "load/dynamodb_url.hpp"
#include "load/sql_target.hpp"
#include "perdure/try.hpp"
#ifdef PERDURE_HAS_DYNAMODB
#include "load/dynamodb_target.hpp"
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

Fail wrong(std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "target",
                 .message = std::move(message)});
}

#ifdef PERDURE_HAS_DYNAMODB
Result<std::unique_ptr<Target>> dynamodb_target(const LoadFlags& flags, std::string_view url,
                                                Observer* observer) {
    if (flags.faults)
        return wrong("--faults is for databases of SQL; DynamoDB's are made by `perdure chaos` "
                     "between it and the load: dynamodb://…&endpoint=http://127.0.0.1:PORT");
    DynamoTargetOptions options{
        .workers = flags.workers, .patience = flags.patience, .observer = observer};
    PERDURE_TRY_VALUE(options.url, parse_dynamodb_url(url));
    options.url.table = flags.table;
    return open_dynamodb_target(options);
}
#else
Result<std::unique_ptr<Target>> dynamodb_target(const LoadFlags&, std::string_view, Observer*) {
    return wrong("this perdure was built without DynamoDB");
}
#endif

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
        if (!url.table.empty() && !flags.table.empty() && url.table != flags.table)
            return wrong("--to names the table '" + url.table + "', --table names '" + flags.table +
                         "'");
        if (flags.table.empty()) flags.table = url.table;
    }
    if (flags.table.empty()) return wrong("--table is required: into which one?");
    return {};
}

Result<std::unique_ptr<Target>> target_of(const LoadFlags& flags, std::string url,
                                          Observer* observer) {
    if (is_dynamodb_url(url)) return dynamodb_target(flags, url, observer);
    SqlTargetOptions options{.url = std::move(url),
                             .table = flags.table,
                             .workers = flags.workers,
                             .patience = flags.patience,
                             .observer = observer};
    if (!flags.key.empty()) options.key = flags.key;
    if (flags.faults) options.faults = chances_of(*flags.faults, flags.faults_seed);
    return open_sql_target(options);
}

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
#include "load/load_target.hpp"

#include <utility>

#include "load/sql_target.hpp"

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

}  // namespace

std::string read_only(std::string_view path) {
    std::string url = "file:";
    for (const char c : path) {
        const bool special = c == '?' || c == '#' || c == '%';
        url += special ? (c == '?' ? "%3f" : c == '#' ? "%23" : "%25") : std::string(1, c);
    }
    return url + "?mode=ro";
}

Result<std::unique_ptr<Target>> target_of(const LoadFlags& flags, std::string url,
                                          Observer* observer) {
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

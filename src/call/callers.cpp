// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/callers.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

namespace perdure {
inline namespace v0 {

namespace {

// The file by its characters: a header has a literal of its own in each source.
using SiteKey = std::tuple<std::string_view, unsigned, const void*>;

struct Registry {
    std::mutex mutex;
    std::map<std::string, std::unique_ptr<Caller>, std::less<>> by_name;
    std::map<SiteKey, std::unique_ptr<Caller>> by_site;
};

// Says in logs and metrics which retry() it was.
std::string name_of(const CallSite& site) {
    const std::string_view path{site.file};
    const std::string_view file = path.substr(path.find_last_of("/\\") + 1);
    return "retry " + std::string{file} + ':' + std::to_string(site.line);
}

// Never destroyed: calls may still be under way while statics are.
Registry& registry() {
    static auto* const all = new Registry;
    return *all;
}

}  // namespace

Result<void> Callers::define(Plan plan, const Environment& environment) {
    const std::string name = plan.name;
    auto caller = std::make_unique<Caller>(std::move(plan), environment);
    if (const std::string& refusal = caller->memory().refusal(); !refusal.empty())
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .dependency = name,
                     .code = "invalid-plan",
                     .message = refusal});
    Registry& all = registry();
    const std::lock_guard held{all.mutex};
    if (!all.by_name.try_emplace(name, std::move(caller)).second)
        return fail(
            {.cause = Cause::conflict,
             .origin = Origin::application,
             .dependency = name,
             .message =
                 "a caller of this name exists already; define it before its first use, once"});
    return {};
}

Caller& Callers::get(std::string_view name) {
    Registry& all = registry();
    const std::lock_guard held{all.mutex};
    if (const auto known = all.by_name.find(name); known != all.by_name.end())
        return *known->second;
    auto made =
        std::make_unique<Caller>(Plan{.name = std::string{name.empty() ? "unnamed" : name}});
    return *all.by_name.emplace(std::string{name}, std::move(made)).first->second;
}

Caller& Callers::get(const CallSite& site) {
    Registry& all = registry();
    const std::lock_guard held{all.mutex};
    std::unique_ptr<Caller>& here = all.by_site[{site.file, site.line, site.work}];
    if (!here) here = std::make_unique<Caller>(Plan{.name = name_of(site)});
    return *here;
}

}  // namespace v0
}  // namespace perdure

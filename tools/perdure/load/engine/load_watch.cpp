// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_watch.hpp"

#include <optional>

#include "perdure/telemetry/journal.hpp"
#include "perdure/telemetry/metrics.hpp"
#include "perdure/telemetry/observers.hpp"
#include "perdure/try.hpp"
#include "text/output.hpp"
#ifdef PERDURE_HAS_SCRAPE
#include "perdure/scrape/endpoint.hpp"
#endif

namespace tool::load {

using namespace perdure;

struct Watch::Parts {
    std::optional<Journal> journal{};
    std::optional<Metrics> metrics{};
#ifdef PERDURE_HAS_SCRAPE
    std::unique_ptr<Endpoint> endpoint{};
#endif
    std::optional<Observers> all{};

    Result<void> serve(const std::string& address);
};

#ifdef PERDURE_HAS_SCRAPE
Result<void> Watch::Parts::serve(const std::string& address) {
    const Metrics& shown = metrics.emplace();
    PERDURE_TRY_VALUE(
        endpoint, Endpoint::start({.listen = address}, [&shown] { return shown.prometheus(); }));
    say("metrics: " + endpoint->url());
    return {};
}
#else
Result<void> Watch::Parts::serve(const std::string&) {
    return fail({.cause = Cause::invalid,
                 .message = "--metrics: this perdure was built without the module scrape"});
}
#endif

Watch::Watch() : parts_{std::make_unique<Parts>()} {}
Watch::~Watch() = default;

Result<void> Watch::start(const std::string& journal, const std::string& metrics) {
    if (!journal.empty())
        parts_->journal.emplace(JournalOptions{.path = journal, .service_name = "perdure-load"});
    if (!metrics.empty()) PERDURE_TRY(parts_->serve(metrics));
    if (parts_->journal || parts_->metrics)
        parts_->all.emplace(
            std::initializer_list<Observer*>{parts_->journal ? &*parts_->journal : nullptr,
                                             parts_->metrics ? &*parts_->metrics : nullptr});
    return {};
}

Observer* Watch::observer() const noexcept { return parts_->all ? &*parts_->all : nullptr; }

}  // namespace tool::load

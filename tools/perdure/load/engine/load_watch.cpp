// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_watch.hpp"

#include <optional>

#include "perdure/scrape/endpoint.hpp"
#include "perdure/telemetry/journal.hpp"
#include "perdure/telemetry/metrics.hpp"
#include "perdure/telemetry/observers.hpp"
#include "perdure/try.hpp"
#include "text/output.hpp"

namespace tool::load {

using namespace perdure;

struct Watch::Parts {
    std::optional<Journal> journal{};
    std::optional<Metrics> metrics{};
    std::unique_ptr<Endpoint> endpoint{};
    std::optional<Observers> all{};
};

Watch::Watch() : parts_{std::make_unique<Parts>()} {}
Watch::~Watch() = default;

Result<void> Watch::start(const std::string& journal, const std::string& metrics) {
    if (!journal.empty())
        parts_->journal.emplace(JournalOptions{.path = journal, .service_name = "perdure-load"});
    if (!metrics.empty()) {
        const Metrics& shown = parts_->metrics.emplace();
        PERDURE_TRY_VALUE(parts_->endpoint, Endpoint::start({.listen = metrics}, [&shown] {
                              return shown.prometheus();
                          }));
        say("metrics: " + parts_->endpoint->url());
    }
    if (parts_->journal || parts_->metrics)
        parts_->all.emplace(
            std::initializer_list<Observer*>{parts_->journal ? &*parts_->journal : nullptr,
                                             parts_->metrics ? &*parts_->metrics : nullptr});
    return {};
}

Observer* Watch::observer() const noexcept { return parts_->all ? &*parts_->all : nullptr; }

}  // namespace tool::load

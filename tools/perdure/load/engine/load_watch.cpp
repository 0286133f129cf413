// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_watch.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <optional>

#include "perdure/telemetry/journal.hpp"
#include "perdure/telemetry/metrics.hpp"
#include "perdure/telemetry/observers.hpp"
#include "perdure/try.hpp"
#include "text/output.hpp"
#ifdef PERDURE_HAS_SCRAPE
#include "perdure/net/failures.hpp"
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
namespace {

// The same command meets it again, and a script would repeat it for as long as the port is taken.
bool is_of_this_address(std::string_view code) {
    for (const int error : {EADDRINUSE, EACCES})
        if (code == net::failure_of(error, net::Doing::opening).code) return true;
    return false;
}

}  // namespace

Result<void> Watch::Parts::serve(const std::string& address) {
    const Metrics& shown = metrics.emplace();
    auto started = Endpoint::start({.listen = address}, [&shown] { return shown.prometheus(); });
    if (!started) {
        Failure failure = std::move(started.error());
        if (failure.code == "not-loopback")
            failure.message = "--metrics: " + address +
                              " can be reached from other machines; use 127.0.0.1 or [::1]";
        if (is_of_this_address(failure.code))
            return fail({.cause = Cause::invalid,
                         .effect = Effect::none,
                         .origin = Origin::application,
                         .code = failure.code,
                         .message = "--metrics: " + failure.message});
        return fail(std::move(failure));
    }
    endpoint = *std::move(started);
    say("metrics: " + endpoint->url());
    return {};
}
#else
Result<void> Watch::Parts::serve(const std::string&) {
    return fail({.cause = Cause::invalid,
                 .message = "--metrics: this perdure was built without the module scrape"});
}
#endif

namespace {

// The journal itself only counts the lines that it could not write.
Result<void> check_writable(const std::string& path) {
    // As the journal opens it, with the mode it has: a pipe need not be read yet.
    const int file =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
               S_IRUSR | S_IWUSR | S_IRGRP);
    if (file >= 0) ::close(file);
    if (file >= 0 || errno == ENXIO) return {};
    return fail({.cause = Cause::not_found,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "journal",
                 .message = "--journal: " + path +
                            ": cannot be written: " + std::generic_category().message(errno)});
}

}  // namespace

Watch::Watch() : parts_{std::make_unique<Parts>()} {}
Watch::~Watch() = default;

Result<void> Watch::start(const std::string& journal, const std::string& metrics) {
    if (!journal.empty()) PERDURE_TRY(check_writable(journal));
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

// SPDX-License-Identifier: Apache-2.0
#include "net/resolver_desk.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "net/asker.hpp"
#include "net/dns_failures.hpp"
#include "perdure/net/failures.hpp"
#include "perdure/time/start_thread.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

ResolverDesk::~ResolverDesk() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    nudge_->give();
    thread_.join();
    for (const auto& [name, question] : asked_) {
        question->settle({.failure = std::make_shared<const Failure>(dns_cancelled(name))});
    }
}

Lookup ResolverDesk::remembered(const Answer& answer) {
    return answer.addresses ? Lookup{answer.addresses} : Lookup{answer.failure};
}

Lookup ResolverDesk::look_up(std::string_view host, Waker& waker) {
    const auto name = HostName::parse(host);
    if (!name) return Lookup{std::make_shared<const Failure>(bad_name(host))};

    const TimePoint now = clock_.now();
    const Held held{mutex_};
    const auto* const entry = cache_.find(name->text(), now);
    if (entry && now < entry->fresh_until) return remembered(entry->answer);
    if (!entry) {
        if (auto known = name->known_addresses(); !known.empty()) {
            const Answer answer{.addresses = std::make_shared<const Addresses>(std::move(known))};
            cache_.store(name->text(), {.answer = answer, .memory = Memory::forever}, now);
            return remembered(answer);
        }
    }
    auto question = ask(name->text(), now, held);
    if (entry) return remembered(entry->answer);
    if (!question) return Lookup{std::make_shared<const Failure>(std::move(question).error())};
    return {std::move(*question), waker};
}

Result<std::shared_ptr<Question>> ResolverDesk::ask(std::string_view name, TimePoint now,
                                                    const Held& held) {
    if (const auto found = asked_.find(name); found != asked_.end()) return found->second;
    if (asked_.size() >= std::max<std::size_t>(options_.most_names, 1)) {
        return fail({.cause = Cause::exhausted,
                     .effect = Effect::none,
                     .origin = Origin::network,
                     .code = "dns-queue-full",
                     .message = "too many names are being looked up already"});
    }
    if (auto started = start_thread(held); !started) return started.take_failure();
    auto question = std::make_shared<Question>(name, after(now, options_.give_up_after));
    asked_.emplace(question->name(), question);
    if (new_.empty()) nudge_->give();
    new_.push_back(question);
    return question;
}

Result<void> ResolverDesk::start_thread(const Held&) {
    if (thread_.joinable()) return {};
    nudge_.emplace();
    if (!*nudge_) return fail(failure_of(errno, Doing::opening));
    PERDURE_TRY_VALUE(thread_,
                      perdure::start_thread([this](const std::stop_token& stop) { turn(stop); }));
    return {};
}

void ResolverDesk::forget(std::string_view host) {
    const auto name = HostName::parse(host);
    const Held held{mutex_};
    if (name) cache_.forget(name->text());
}

void ResolverDesk::turn(const std::stop_token& stop) {
    Asker asker{options_, clock_, [this](const auto& question, const NameAnswer& answer) {
                    settle(question, answer);
                }};
    while (!stop.stop_requested()) {
        asker.wait(nudge_->fd());
        for (const auto& question : take_new()) asker.ask(question);
        asker.look();
    }
}

std::vector<std::shared_ptr<Question>> ResolverDesk::take_new() {
    const Held held{mutex_};
    nudge_->take_all();
    return std::exchange(new_, {});
}

void ResolverDesk::settle(const std::shared_ptr<Question>& question, const NameAnswer& answer) {
    {
        const Held held{mutex_};
        cache_.store(question->name(), answer, clock_.now());
        const auto found = asked_.find(question->name());
        if (found != asked_.end() && found->second == question) asked_.erase(found);
    }
    if (!question->settled()) question->settle(answer.answer);
}

}  // namespace net
}  // namespace v0
}  // namespace perdure

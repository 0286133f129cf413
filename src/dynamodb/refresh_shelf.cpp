// SPDX-License-Identifier: Apache-2.0
#include "refresh_shelf.hpp"

#include <algorithm>
#include <utility>

#include "perdure/http/date.hpp"
#include "perdure/time/jitter.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr Duration advisory_window = 15min;
constexpr Duration mandatory_window = 10min;
constexpr Duration shortest_pause = 1s;
// A source that hands out the same refused keys again is not asked for each call.
constexpr Duration between_rejections = 5s;

Duration life_of(WallTime expires, WallTime now) noexcept {
    return expires <= now ? Duration::zero() : expires - now;
}

}  // namespace

Windows windows_for(Duration life) noexcept {
    return {std::min(advisory_window, life / 4), std::min(mandatory_window, life / 6)};
}

bool KeyShelf::good(WallTime now) const noexcept {
    return keys_ && !rejected_ && (!keys_->expires || now < *keys_->expires);
}

KeyShelf::Look KeyShelf::look(WallTime now) const {
    const std::lock_guard held{mutex_};
    return {good(now) ? keys_ : nullptr, due_};
}

std::optional<Failure> KeyShelf::problem() const {
    const std::lock_guard held{mutex_};
    return problem_;
}

bool KeyShelf::reject(const Keys& expired, WallTime now) {
    const std::lock_guard held{mutex_};
    if (!keys_ || rejected_ || keys_->id != expired.id || keys_->token != expired.token ||
        keys_->secret != expired.secret || now < not_again_before_)
        return false;
    rejected_ = true;
    due_ = WallTime::min();
    return true;
}

void KeyShelf::took(Keys keys, WallTime now, double draw) {
    const std::lock_guard held{mutex_};
    const bool same = keys_ && *keys_ == keys;
    not_again_before_ = now + between_rejections;
    rejected_ = false;
    problem_.reset();
    due_ = WallTime::max();
    if (keys.expires) {
        const Duration life = life_of(*keys.expires, now);
        const Windows windows = windows_for(life);
        const auto spread = std::chrono::duration<double, std::nano>{
            draw * static_cast<double>((windows.advisory - windows.mandatory).count()) / 2};
        due_ = *keys.expires - windows.advisory + std::chrono::duration_cast<Duration>(spread);
        // The source has no newer ones yet: a look at half time, and again. Half times alone would
        // bring a fleet closer together with every look.
        if (same) due_ = now + lengthened(life / 2, draw);
        due_ = std::max(due_, now + shortest_pause);
        troubling_from_ = *keys.expires - windows.mandatory;
    }
    if (!same) keys_ = std::make_shared<const Keys>(std::move(keys));
}

void KeyShelf::failed(const Failure& why, int number, WallTime now) {
    const std::lock_guard held{mutex_};
    if (good(now) && now < troubling_from_) return;
    if (is_repeatable(why.cause) && number < patience_) return;
    // Nothing of how the source is reached: its status, rule and remedies are not the service's.
    Failure problem{.cause = why.cause == Cause::credentials ? Cause::forbidden : Cause{why.cause},
                    .effect = Effect::none,
                    .origin = why.origin,
                    .dependency = "credentials",
                    .code = why.code};
    problem.message = "no keys could be fetched from " + source_;
    if (!why.message.empty()) problem.message += ": " + why.message;
    if (keys_ && keys_->expires)
        problem.message += "; the last ones expire at " + http::http_date(*keys_->expires);
    problem_ = std::move(problem);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

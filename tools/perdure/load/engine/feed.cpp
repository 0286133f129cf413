// SPDX-License-Identifier: Apache-2.0
#include "load/engine/feed.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "load/engine/of_input.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::size_t rows_worth_joining = 128;

}  // namespace

Feed::Feed(Target& target, std::vector<Input> inputs, const FeedOptions& options, Tally& tally,
           Clock& clock)
    : target_{target},
      inputs_{std::move(inputs)},
      options_{options},
      tally_{tally},
      clock_{clock} {}

void Feed::join(Place& place, const Range& range) {
    std::uint64_t begin = range.begin;
    std::uint64_t end = range.end;
    auto next = place.joined.lower_bound(begin);
    if (next != place.joined.begin())
        if (const auto before = std::prev(next); before->second == begin) {
            begin = before->first;
            place.joined.erase(before);
        }
    if (next != place.joined.end() && next->first == end) {
        end = next->second;
        place.joined.erase(next);
    }
    place.joined.emplace(begin, end);
    ++place.rows;
}

// Of a file that lies there unpacked, a byte is done when its record is; of others it is known only
// how much was read.
void Feed::note_consumed(Place& place) {
    if (place.source->seekable()) return;
    const std::uint64_t now = place.source->consumed();
    tally_.bytes_done += now - std::exchange(place.consumed, now);
}

Result<bool> Feed::take_from(Place& place, Batch& into) {
    for (;;) {
        BatchLimits limits = options_.limits;
        if (!place.skip.empty()) limits.until = place.skip.front().begin;
        // What was taken before is counted apart, so a batch is not to lie on both sides.
        if (place.reached < place.reached_before)
            limits.until = std::min(limits.until, place.reached_before);
        PERDURE_TRY_VALUE(const bool more, of_input(place.source->next(into, limits)));
        note_consumed(place);
        if (more) return true;
        if (place.skip.empty() && limits.until == UINT64_MAX) return false;
        if (place.skip.empty()) {
            place.reached_before = 0;
            continue;
        }
        PERDURE_TRY(skip(place));
        note_consumed(place);
    }
}

Result<bool> Feed::take(Batch& into) {
    Lock lock{mutex_};
    for (;;) {
        changed_.wait(lock, [this] { return !opening_; });
        if (broken_) return false;
        if (places_.empty() || places_.back().exhausted) {
            if (places_.size() == inputs_.size()) return false;
            opening_ = true;
            auto opened = open_next(lock);
            opening_ = false;
            broken_ = !opened;
            changed_.notify_all();
            if (!opened) return opened.take_failure();
            continue;  // there may be nothing to take from it
        }
        Place& place = places_.back();
        auto took = take_from(place, into);
        if (!took) {
            broken_ = true;
            return took.take_failure();
        }
        if (!*took) {
            auto unchanged = check_unchanged(place);
            place.exhausted = true;
            place.source.reset();
            broken_ = !unchanged;
            if (!unchanged) return unchanged.take_failure();
            continue;
        }
        into.source = places_.size() - 1;
        place.taken += into.records.size();
        if (into.begin < place.reached_before) tally_.read_again += into.records.size();
        place.reached = std::max(place.reached, into.end);
        ++place.in_hand;
        return true;
    }
}

Result<void> Feed::done(std::size_t source, const Range& range) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const std::string* name = nullptr;
    const std::unique_lock joining{joining_, std::try_to_lock};
    {
        const std::lock_guard lock{mutex_};
        Place& place = places_[source];
        place.account += range;
        tally_.add(range);
        if (place.seekable) tally_.bytes_done += range.end - range.begin;
        join(place, range);
        if (place.rows < rows_worth_joining || !joining) return {};
        place.rows = 0;
        // Only the beginning grows for ever; what lies behind a gap waits until the gap is closed.
        begin = place.joined.begin()->first;
        end = place.joined.begin()->second;
        name = &place.entry.name;
    }
    return target_.merge(*name, begin, end);
}

void Feed::leave(std::size_t source) {
    const std::lock_guard lock{mutex_};
    --places_[source].in_hand;
    changed_.notify_all();
}

Result<void> Feed::close() {
    for (Place& place : places_)
        if (place.exhausted && place.in_hand == 0 && place.joined.size() == 1 && place.rows > 1)
            PERDURE_TRY(target_.merge(place.entry.name, place.joined.begin()->first,
                                      place.joined.begin()->second));
    return {};
}

const SourceEntry& Feed::entry(std::size_t source) const {
    const std::lock_guard lock{mutex_};
    return places_[source].entry;
}

const Header& Feed::header(std::size_t source) const {
    const std::lock_guard lock{mutex_};
    return places_[source].header;
}

const std::string& Feed::current() const {
    const std::lock_guard lock{mutex_};
    const bool between = places_.empty() || places_.back().exhausted;
    const std::size_t next = between ? places_.size() : places_.size() - 1;
    return inputs_[std::min(next, inputs_.size() - 1)].options.path;
}

void Feed::stamp(std::size_t source, Range& range) const {
    const auto now = std::chrono::floor<std::chrono::seconds>(clock_.wall().time_since_epoch());
    const std::lock_guard lock{mutex_};
    range.reached = places_[source].reached;
    range.version = places_[source].version;
    range.written_at = static_cast<std::uint64_t>(now.count());
}

std::vector<NothingNew> Feed::nothing_new() const {
    const std::lock_guard lock{mutex_};
    std::vector<NothingNew> list;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const Place& place = places_[i];
        if (place.exhausted && place.taken == 0 && place.account.read > 0)
            list.push_back(
                {.path = inputs_[i].options.path == "-" ? inputs_[i].name : inputs_[i].options.path,
                 .loaded_as = place.loaded_as,
                 .loaded_at = place.loaded_at,
                 .account = place.account});
    }
    return list;
}

bool Feed::read_again() const {
    const std::lock_guard lock{mutex_};
    return std::ranges::any_of(places_, [](const Place& place) {
        return place.version > 0 && (place.taken > 0 || place.restarted || place.unfinished);
    });
}

std::vector<std::string> Feed::remarks() const {
    const std::lock_guard lock{mutex_};
    return remarks_;
}

Account Feed::whole() const {
    const std::lock_guard lock{mutex_};
    Account sum;
    for (const Place& place : places_) {
        sum.read += place.account.read;
        sum.written += place.account.written;
        sum.present += place.account.present;
        sum.rejected += place.account.rejected;
    }
    return sum;
}

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
#include "load/engine/feed.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "load/engine/of_input.hpp"
#include "load/source/csv_record.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::uint64_t head_bytes = 4096;  // enough to tell inputs apart that only share a header
constexpr std::size_t rows_worth_joining = 128;

Failure changed(const Source& source, std::string_view how) {
    return {.cause = Cause::invalid,
            .effect = Effect::none,
            .origin = Origin::application,
            .dependency = input_mark,
            .code = "input-changed",
            .message = "'" + source.path() +
                       "' is not what it was when its load began: " + std::string{how} +
                       ", load it under another name (--as NAME) or from the start (--again)"};
}

}  // namespace

bool comes_once(const Input& input) {
    std::error_code ignored;
    return input.options.path == "-" ||
           !std::filesystem::is_regular_file(input.options.path, ignored);
}

Result<void> check_same(Source& source, const SourceEntry& entry, const std::vector<Range>& done) {
    PERDURE_TRY_VALUE(const Source::Head head, of_input(source.head(entry.head_bytes)));
    if (head.bytes != entry.head_bytes || head.digest != entry.head)
        return fail(changed(source, "its first bytes are others"));
    // Only a file that lies there unpacked has a size that can be compared.
    if (!done.empty() && source.size() && source.seekable() && *source.size() < done.back().end)
        return fail(changed(source, "it is shorter than what was loaded of it"));
    return {};
}

Feed::Feed(Target& target, std::vector<Input> inputs, const BatchLimits& limits, Tally& tally)
    : target_{target}, inputs_{std::move(inputs)}, limits_{limits}, tally_{tally} {}

// Whoever enters an input holds it: another load of it that is still at work is told so.
Result<SourceEntry> Feed::entry_of(const Input& input, Source& source) {
    PERDURE_TRY_VALUE(const Source::Head head, of_input(source.head(head_bytes)));
    SourceEntry entry{.name = input.name,
                      .head_bytes = head.bytes,
                      .head = head.digest,
                      .format = source.format()};
    if (source.format() == Format::csv)
        entry.header = csv_header(source.header(), source.separator());
    PERDURE_TRY_VALUE(const auto known, target_.entry(input.name));
    if (!known) {
        PERDURE_TRY_VALUE(entry.rows_before, target_.count());
    }
    return target_.enter(entry);
}

// Whoever mends a rejected record in its place would wait for it in vain: the place is done.
Result<void> Feed::check_rejected(const Source& source) {
    if (!source.seekable()) return {};
    std::ifstream file{source.path(), std::ios::binary};
    std::string now;
    const Input& input = inputs_[places_.size()];
    return target_.rejections(input.name, [&](const KeptRejection& one) -> Result<void> {
        now.resize(one.record.size());
        file.seekg(static_cast<std::streamoff>(one.offset));
        file.read(now.data(), static_cast<std::streamsize>(now.size()));
        if (now == one.record) return {};
        return fail(changed(source, "line " + std::to_string(one.line) +
                                        ", which was rejected, is another now. Put mended records "
                                        "into a file of their own; or, with a key"));
    });
}

Result<void> Feed::open_next() {
    Input& input = inputs_[places_.size()];
    std::shared_ptr<Source> source = std::move(input.opened);
    if (!source) {
        PERDURE_TRY_VALUE(source, of_input(Source::open(input.options)));
    }
    PERDURE_TRY_VALUE(SourceEntry entry, entry_of(input, *source));
    PERDURE_TRY_VALUE(const std::vector<Range> done, target_.done(input.name));
    PERDURE_TRY(check_same(*source, entry, done));
    PERDURE_TRY(check_rejected(*source));

    Place& place = places_.emplace_back();
    place.entry = std::move(entry);
    place.header = source->header();
    place.first = source->first().offset;
    place.source = std::move(source);
    place.skip.assign(done.begin(), done.end());
    for (const Range& range : done) {
        place.reached_before = std::max(place.reached_before, std::max(range.end, range.reached));
        place.account += range;
        tally_.earlier += range.records;
        join(place, range);
    }
    return {};
}

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

void Feed::note_consumed(Place& place) {
    const std::uint64_t now = place.source->consumed();
    tally_.bytes_done += now - std::exchange(place.consumed, now);
}

Result<bool> Feed::take_from(Place& place, Batch& into) {
    for (;;) {
        BatchLimits limits = limits_;
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
        const Range range = place.skip.front();
        place.skip.pop_front();
        PERDURE_TRY(of_input(place.source->skip_to({range.end, range.first_line + range.lines})));
        place.reached = std::max(place.reached, range.end);
        note_consumed(place);
    }
}

Result<bool> Feed::take(Batch& into) {
    const std::lock_guard lock{mutex_};
    for (;;) {
        if (broken_) return false;
        if (places_.empty() || places_.back().exhausted) {
            if (places_.size() == inputs_.size()) return false;
            if (auto opened = open_next(); !opened) {
                broken_ = true;
                return opened.take_failure();
            }
        }
        Place& place = places_.back();
        auto took = take_from(place, into);
        if (!took) {
            broken_ = true;
            return took.take_failure();
        }
        if (!*took) {
            place.exhausted = true;
            place.source.reset();
            continue;
        }
        into.source = places_.size() - 1;
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

std::uint64_t Feed::reached(std::size_t source) const {
    const std::lock_guard lock{mutex_};
    return places_[source].reached;
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

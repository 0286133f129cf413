// SPDX-License-Identifier: Apache-2.0
//
// An input is opened: is it known, by its name or by its content, and is it still what was loaded?
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "load/engine/feed.hpp"
#include "load/engine/input_change.hpp"
#include "load/engine/of_input.hpp"
#include "load/source/csv_record.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

Failure changed(const Input& input, const std::vector<Range>& done, std::string_view how) {
    const std::string cure =
        comes_once(input) ? "Send it as another input (--as NAME), or from the start (--again)"
                          : "Give --key COLUMN (one that is unique in the table) to read it again "
                            "as a whole, load it as another input (--as "
                            "NAME), or empty the table and load it from the start (--again)";
    return input_changed("input-changed",
                         "'" + input.options.path + "' is not what it was when it was loaded" +
                             on_date(latest(done)) + ": " + std::string{how} + ". " + cure);
}

Failure changed_meanwhile(const Input& input) {
    return input_changed("input-changed", "'" + input.options.path +
                                              "' was changed while it was read. Load it again "
                                              "when it is whole");
}

}  // namespace

bool comes_once(const Input& input) {
    std::error_code ignored;
    return input.options.path == "-" ||
           !std::filesystem::is_regular_file(input.options.path, ignored);
}

Result<SourceEntry> Feed::entry_for(const Input& input, Source& source) {
    PERDURE_TRY_VALUE(const Source::Head head,
                      of_input(source.head(source.first().offset + known_bytes)));
    SourceEntry entry{.name = input.name,
                      .head_bytes = head.bytes,
                      .head = head.digest,
                      .format = source.format()};
    if (source.format() == Format::csv)
        entry.header = csv_header(source.header(), source.separator());
    return entry;
}

// A stream that comes once cannot be read ahead; its ranges are compared while they are skipped.
Result<PrefixCheck> Feed::check(const Input& input, Source& source,
                                const std::vector<Range>& done) {
    if (done.empty() || comes_once(input))
        return PrefixCheck{.outcome = PrefixCheck::Outcome::grown};
    tally_.bytes_to_check += bytes_before(input.options.path, done.back().end);
    tally_.checking = true;
    auto checked = of_input(check_prefix(input.options.path, checkpoints_of(done),
                                         {.resume_at = end_without_gap(done, source.first().offset),
                                          .bytes_read = &tally_.bytes_checked}));
    tally_.checking = false;
    return checked;
}

// Entering an input takes it from another load that is still at work, and that one is told so. What
// the ledger has of it is final only afterwards.
Result<Feed::Known> Feed::enter(const Input& input, Source& source) {
    PERDURE_TRY_VALUE(SourceEntry entry, entry_for(input, source));
    PERDURE_TRY_VALUE(const auto there, target_.entry(input.name));
    if (!there) {
        PERDURE_TRY_VALUE(entry.rows_before, target_.count());
    }
    Known known;
    PERDURE_TRY_VALUE(known.entry, target_.enter(entry));
    PERDURE_TRY_VALUE(known.done, target_.done(input.name));
    // An input that was empty, or only a header, when it was entered is what it is now.
    if (known.done.empty() &&
        (known.entry.head != entry.head || known.entry.header != entry.header)) {
        PERDURE_TRY(target_.forget(input.name));
        PERDURE_TRY_VALUE(known.entry, target_.enter(entry));
    }
    // A short beginning may have been split by a separator that a longer one refutes.
    if (!known.done.empty() && known.entry.header != entry.header)
        return start_over(input, source, known, "its columns are read differently (--separator)");
    if (!has_digest(known.done)) {
        // A ledger of version 0.1 has only the digest of the beginning.
        PERDURE_TRY_VALUE(const Source::Head head, of_input(source.head(known.entry.head_bytes)));
        const bool same = head.bytes == known.entry.head_bytes && head.digest == known.entry.head;
        if (!same || options_.identity == Identity::by_key)
            return start_over(input, source, known, same ? "" : "its first bytes are others");
        remarks_.push_back("'" + input.options.path +
                           "' was loaded by a version that kept no digests: whether its content "
                           "has changed cannot be told");
    }
    PERDURE_TRY_VALUE(known.check, check(input, source, known.done));
    if (is_unchanged(known.check.outcome)) return known;
    return start_over(input, source, known, in_words(known.check.outcome));
}

// `how` it has changed; empty: that cannot be told. What is in the table counts as already there.
Result<Feed::Known> Feed::start_over(const Input& input, Source& source, const Known& known,
                                     std::string_view how) {
    if (options_.identity == Identity::by_place || comes_once(input))
        return fail(changed(input, known.done, how));
    if (!how.empty())
        remarks_.push_back("'" + input.options.path + "' has changed since it was loaded" +
                           on_date(latest(known.done)) + " (" + std::string{how} +
                           "): all of it was read again");
    PERDURE_TRY(target_.forget(input.name));
    Known fresh;
    PERDURE_TRY_VALUE(SourceEntry entry, entry_for(input, source));
    entry.rows_before = known.entry.rows_before;
    PERDURE_TRY_VALUE(fresh.entry, target_.enter(entry));
    fresh.check.outcome = PrefixCheck::Outcome::grown;
    for (const Range& range : known.done) fresh.version = std::max(fresh.version, range.version);
    ++fresh.version;
    fresh.restarted = true;
    return fresh;
}

// A file that was written to, or replaced, while it was read is compared with what was read of it. One
// that was only deleted was read as it was.
Result<void> Feed::check_unchanged(Place& place) {
    const Input& input = inputs_[places_.size() - 1];
    const auto opened = place.source->opened();
    const auto there = stamp_of(input.options.path);
    if (!opened || input.options.path == "-" || there == opened) return {};
    if (!there) {
        const auto now = place.source->now();
        if (!now || !now->same_content(*opened)) return fail(changed_meanwhile(input));
        remarks_.push_back("'" + input.options.path +
                           "' was deleted while it was read; all of it was loaded");
        return {};
    }
    const std::vector<Checkpoint> read{{place.source->offset(), place.source->digest()}};
    PERDURE_TRY_VALUE(const PrefixCheck check,
                      of_input(check_prefix(input.options.path, read, {})));
    if (is_unchanged(check.outcome)) return {};
    return fail(changed_meanwhile(input));
}

Result<void> Feed::open_next(Lock& lock) {
    Input& input = inputs_[places_.size()];
    std::shared_ptr<Source> source = std::move(input.opened);
    if (!source) {
        PERDURE_TRY_VALUE(source, of_input(Source::open(input.options)));
    }
    PERDURE_TRY_VALUE(const auto there, target_.entry(input.name));
    if (!there && input.named == Named::by_path && !comes_once(input) &&
        options_.copies == FeedOptions::Copies::recognised) {
        PERDURE_TRY_VALUE(const SourceEntry entry, entry_for(input, *source));
        await_copies(*source, lock);
        PERDURE_TRY_VALUE(const auto known, find_content(entry, input, *source));
        if (known && known->check.outcome == PrefixCheck::Outcome::same) {
            add_known_content(*source, *known);
            return {};
        }
        PERDURE_TRY(check_copy(input, known));
    }
    PERDURE_TRY_VALUE(Known known, enter(input, *source));
    auto added = add_place(source, known);
    if (added || added.error().code != "record-went-on") return added;
    const std::string how = added.error().message;
    places_.pop_back();
    PERDURE_TRY_VALUE(source, of_input(Source::open(input.options)));
    PERDURE_TRY_VALUE(Known fresh, start_over(input, *source, known, how));
    return add_place(std::move(source), std::move(fresh));
}

// Nothing of it is read: the ledger has all of it, under another name.
void Feed::add_known_content(const Source& source, const Known& known) {
    Place& place = places_.emplace_back();
    place.header = source.header();
    place.entry = known.entry;
    place.loaded_as = known.entry.name;
    place.loaded_at = latest(known.done);
    place.exhausted = true;
    for (const Range& range : known.done) {
        place.account += range;
        tally_.earlier += range.records;
        tally_.bytes_done += range.end - range.begin;
    }
}

Result<void> Feed::add_place(std::shared_ptr<Source> source, Known known) {
    Place& place = places_.emplace_back();
    place.entry = known.entry;
    place.header = source->header();
    place.first = source->first().offset;
    place.seekable = source->seekable();
    place.source = std::move(source);
    place.version = known.version;
    place.restarted = known.restarted;
    place.unfinished = known.done.size() > 1;
    place.loaded_at = latest(known.done);
    place.skip.assign(known.done.begin(), known.done.end());
    PERDURE_TRY(resume(place, known));
    if (place.seekable) tally_.bytes_done += place.first;
    for (const Range& range : known.done) {
        place.version = std::max(place.version, range.version);
        place.reached_before = std::max({place.reached_before, range.end, range.reached});
        place.account += range;
        tally_.earlier += range.records;
        if (place.seekable) tally_.bytes_done += range.end - range.begin;
        join(place, range);
    }
    return {};
}

// To the end of what is done from the first record on, whose bytes were compared before.
Result<void> Feed::resume(Place& place, const Known& known) {
    const std::uint64_t end = end_without_gap(known.done, place.first);
    if (end == place.first || comes_once(inputs_[places_.size() - 1])) return {};
    Mark mark{};
    while (!place.skip.empty() && place.skip.front().end <= end) {
        const Range& range = place.skip.front();
        mark = {range.end, range.first_line + range.lines};
        place.skip.pop_front();
    }
    place.reached = mark.offset;
    return of_input(place.source->resume_at(mark, known.check.resume));
}

// Over one range that is done, further on in the input.
Result<void> Feed::skip(Place& place) {
    const Range range = place.skip.front();
    place.skip.pop_front();
    auto skipped = of_input(place.source->skip_to({range.end, range.first_line + range.lines}));
    const Input& input = inputs_[places_.size() - 1];
    if (!skipped && skipped.error().code == "record-went-on")
        return fail(changed(input, {range}, skipped.error().message));
    if (!skipped) return skipped;
    if (range.digest().known() && place.source->digest() != range.digest())
        return fail(changed(input, {range}, "its content has changed"));
    place.reached = std::max(place.reached, range.end);
    return {};
}

}  // namespace tool::load

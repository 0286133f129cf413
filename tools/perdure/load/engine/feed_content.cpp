// SPDX-License-Identifier: Apache-2.0
//
// Is the content of an input that is new by its name in the ledger under another?
#include <algorithm>
#include <utility>

#include "load/engine/feed.hpp"
#include "load/engine/input_change.hpp"
#include "load/engine/of_input.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using Outcome = PrefixCheck::Outcome;

namespace {

Failure renamed_and_grown(const Input& input, const SourceEntry& known) {
    return input_changed("input-renamed",
                         "'" + input.options.path +
                             "' begins with everything that was loaded as '" + known.name +
                             "', and goes on. --as '" + known.name +
                             "' loads what is new in it; --as with another name loads all of it; "
                             "with --key COLUMN nothing is written twice");
}

Failure copy_changed(const Input& input, const SourceEntry& known, const std::vector<Range>& done) {
    return input_changed("input-renamed",
                         "'" + input.options.path + "' begins as '" + known.name +
                             "' does, which was loaded" + on_date(latest(done)) +
                             ", and differs further on: a changed copy? With --key COLUMN nothing "
                             "is written twice; --as NAME loads all of it as another input");
}

// Whether inputs with this head share records, and not only a header: then they are copies. Ledgers of
// version 0.1 have heads of 4 KiB with the header in them.
bool shares_records(const SourceEntry& known, const Source& source) {
    return known.head_bytes >= known_bytes &&
           known.head_bytes - source.first().offset >= known_bytes / 2;
}

// How well one explains an input, in order.
int likeness(Outcome outcome) noexcept {
    return outcome == Outcome::same ? 2 : outcome == Outcome::grown ? 1 : 0;
}

}  // namespace

// Records behind what was loaded: not the closing bracket of an array, nor blank lines.
Result<bool> Feed::has_records_behind(const Input& input, const Known& known) {
    PERDURE_TRY_VALUE(const auto source, of_input(Source::open(input.options)));
    const Range& last = known.done.back();
    auto there = source->resume_at({last.end, last.first_line + last.lines}, {});
    if (!there) return true;
    Batch batch;
    auto more = source->next(batch, {.records = 1});
    return !more || *more;
}

Result<std::vector<Feed::Known>> Feed::begun_alike(const SourceEntry& entry, Source& source) {
    std::vector<Known> alike;
    PERDURE_TRY_VALUE(const auto others, target_.begun_alike(entry));
    for (const SourceEntry& other : others) {
        PERDURE_TRY_VALUE(const Source::Head head, of_input(source.head(other.head_bytes)));
        if (head.bytes != other.head_bytes || head.digest != other.head ||
            other.format != entry.format || other.header != entry.header)
            continue;
        Known known{.entry = other};
        PERDURE_TRY_VALUE(known.done, target_.done(other.name));
        if (!known.done.empty()) alike.push_back(std::move(known));
    }
    return alike;
}

// One pass over the input, however many inputs begin as it does.
Result<void> Feed::compare(std::vector<Known>& alike, const Input& input, Source& source) {
    std::vector<std::vector<Checkpoint>> lists;
    for (const Known& known : alike)
        lists.push_back(has_digest(known.done) ? checkpoints_of(known.done)
                                               : std::vector<Checkpoint>{});
    std::uint64_t furthest = 0;
    for (const Known& known : alike) furthest = std::max(furthest, known.done.back().end);
    tally_.bytes_to_check += bytes_before(input.options.path, furthest);
    tally_.checking = true;
    const auto outcomes =
        of_input(check_prefixes(input.options.path, lists, &tally_.bytes_checked));
    tally_.checking = false;
    if (!outcomes) return fail(outcomes.error());
    for (std::size_t i = 0; i < alike.size(); ++i) {
        Known& known = alike[i];
        Outcome& outcome = known.check.outcome;
        outcome = lists[i].empty() ? Outcome::changed : (*outcomes)[i];
        const bool complete =
            end_without_gap(known.done, source.first().offset) == known.done.back().end;
        if (outcome == Outcome::same && !complete) outcome = Outcome::grown;
        if (outcome != Outcome::grown || !complete) continue;
        PERDURE_TRY_VALUE(const bool more, has_records_behind(input, known));
        if (!more) outcome = Outcome::same;
    }
    return {};
}

// A table without rows has nothing of what the ledger says.
Result<std::optional<Feed::Known>> Feed::find_content(const SourceEntry& entry, const Input& input,
                                                      Source& source) {
    std::optional<Known> found;
    PERDURE_TRY_VALUE(const std::uint64_t rows, target_.count());
    if (rows == 0) return found;
    PERDURE_TRY_VALUE(auto alike, begun_alike(entry, source));
    PERDURE_TRY(compare(alike, input, source));
    for (Known& known : alike) {
        const Outcome outcome = known.check.outcome;
        if (!is_unchanged(outcome) && !shares_records(known.entry, source)) continue;
        if (!found || likeness(outcome) > likeness(found->check.outcome)) found = std::move(known);
    }
    return found;
}

// Records without keys would be written twice.
Result<void> Feed::check_copy(const Input& input, const std::optional<Known>& known) const {
    if (!known || options_.identity == Identity::by_key) return {};
    return fail(is_unchanged(known->check.outcome)
                    ? renamed_and_grown(input, known->entry)
                    : copy_changed(input, known->entry, known->done));
}

// Their ranges are in the ledger then, and can be compared.
void Feed::await_copies(Source& source, Lock& lock) {
    const auto begins_as = [&](const Place& place) {
        const auto head = source.head(place.entry.head_bytes);
        return head && head->bytes == place.entry.head_bytes && head->digest == place.entry.head;
    };
    for (Place& place : places_)
        if (begins_as(place)) changed_.wait(lock, [&] { return place.in_hand == 0; });
}

}  // namespace tool::load

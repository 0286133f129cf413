// SPDX-License-Identifier: Apache-2.0
#include "load/target/cosmos/cosmos_ledger.hpp"

#include <algorithm>
#include <utility>

#include "load/target/ledger_ranges.hpp"
#include "perdure/cosmos/create_once.hpp"
#include "perdure/cosmos/delete_item.hpp"
#include "perdure/cosmos/read_item.hpp"
#include "perdure/cosmos/replace_versioned.hpp"
#include "perdure/sql/token.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using cosmos::PartitionKey;

namespace {

constexpr std::uint64_t behind_all = std::uint64_t{1} << 53u;

// What was refused, or is unknown, can be found out by reading; also that somebody has forgotten it.
bool can_be_found_out(const Failure& failure) noexcept {
    return failure.cause == Cause::conflict || failure.cause == Cause::not_found ||
           failure.effect != Effect::none;
}

std::vector<Range> with(std::vector<Range> ranges, const Range& range) {
    const auto at = std::ranges::upper_bound(ranges, range.begin, {}, &Range::begin);
    ranges.insert(at, range);
    return ranges;
}

bool overlaps(const std::vector<Range>& ranges, const Range& range) {
    return std::ranges::any_of(ranges, [&](const Range& one) {
        return one.begin < std::max(range.end, range.begin + 1) && range.begin < one.end;
    });
}

}  // namespace

CosmosLedger::CosmosLedger(cosmos::Client& client, cosmos::ContainerName container)
    : client_{client},
      data_{std::move(container)},
      books_{data_.database, cosmos_ledger_container},
      holder_{sql::to_string(sql::Token::make())} {}

// Where there is no ledger there is no entry.
Result<std::optional<CosmosEntry>> CosmosLedger::read(std::string_view source) {
    PERDURE_TRY_VALUE(const std::string load, load_of(source));
    auto found = client_.send(cosmos::FindItem{books_, cosmos_entry_id, PartitionKey{load}});
    if (!found && found.error().cause == Cause::not_found) return std::optional<CosmosEntry>{};
    if (!found) return found.take_failure();
    if (!*found) return std::optional<CosmosEntry>{};
    PERDURE_TRY_VALUE(CosmosEntry entry, read_entry_item((*found)->json));
    entry.source.name = source;
    entry.etag = (*found)->etag;
    return std::optional{std::move(entry)};
}

Result<std::string> CosmosLedger::put(const std::string& load, const CosmosEntry& entry) {
    std::string json = entry_item(load, entry);
    auto written =
        entry.etag.empty()
            ? client_.send(cosmos::CreateOnce{books_, std::move(json), PartitionKey{load}})
            : client_.send(cosmos::ReplaceVersioned{books_, cosmos_entry_id, PartitionKey{load},
                                                    std::move(json), entry.etag});
    if (!written) return written.take_failure();
    return std::move(written->etag);
}

Result<SourceEntry> CosmosLedger::enter(const SourceEntry& source) {
    PERDURE_TRY_VALUE(const std::string load, load_of(source.name));
    for (int race = 0; race < most_races; ++race) {
        PERDURE_TRY_VALUE(const auto known, read(source.name));
        CosmosEntry entry = known ? *known : CosmosEntry{.source = source};
        if (!known) entry.generation = sql::Token::make().hex().substr(20);
        if (source.head_bytes > 0) {
            PERDURE_TRY(agree(entry));
            entry.id_from = ids_from_;
        }
        entry.holder = holder_;
        auto etag = put(load, entry);
        const bool no_books = !etag && !known && etag.error().cause == Cause::not_found;
        if (!etag && can_be_found_out(etag.error()) && !no_books) continue;
        if (!etag) return etag.take_failure();
        entry.etag = *std::move(etag);
        SourceEntry there = entry.source;
        const std::lock_guard lock{mutex_};
        held_[source.name] = std::make_shared<Held>(std::move(entry), known.has_value());
        return there;
    }
    return fail(raced());
}

Result<std::optional<SourceEntry>> CosmosLedger::entry(std::string_view source) {
    PERDURE_TRY_VALUE(auto known, read(source));
    std::optional<SourceEntry> found;
    if (known) found = std::move(known->source);
    return found;
}

Result<std::vector<Range>> CosmosLedger::done(std::string_view source) {
    PERDURE_TRY_VALUE(auto known, read(source));
    return known ? std::move(known->ranges) : std::vector<Range>{};
}

std::shared_ptr<CosmosLedger::Held> CosmosLedger::held(std::string_view source) {
    const std::lock_guard lock{mutex_};
    const auto found = held_.find(source);
    return found == held_.end() ? nullptr : found->second;
}

// With its lock. Failure "taken": it is another's now, or nobody's.
Result<void> CosmosLedger::refresh(Held& held) {
    PERDURE_TRY_VALUE(const std::string load, load_of(held.entry.source.name));
    auto now = client_.send(
        cosmos::ReadItem{books_, cosmos_entry_id, PartitionKey{load}}.unless(held.entry.etag));
    if (!now && now.error().cause == Cause::not_found) return fail(not_held());
    if (!now) return now.take_failure();
    if (now->json.empty() || now->etag == held.entry.etag) return {};
    PERDURE_TRY_VALUE(CosmosEntry known, read_entry_item(now->json));
    if (known.holder != holder_ || known.generation != held.generation) return fail(not_held());
    held.entry.ranges = std::move(known.ranges);
    held.entry.etag = std::move(now->etag);
    return {};
}

// A change is made of what is there, as often as it takes; one that was done is seen to be and left.
Result<void> CosmosLedger::change(Held& held, const Change& made) {
    const std::lock_guard lock{held.mutex};
    PERDURE_TRY_VALUE(const std::string load, load_of(held.entry.source.name));
    for (int race = 0; race < most_races; ++race) {
        // It was put, and its answer lost: what it has become since is not known yet.
        if (held.entry.etag.empty()) PERDURE_TRY(refresh(held));
        CosmosEntry next = held.entry;
        PERDURE_TRY_VALUE(next.ranges, made(held.entry.ranges));
        if (next.ranges == held.entry.ranges) return {};
        auto etag = put(load, next);
        if (etag) {
            next.etag = *std::move(etag);
            held.entry = std::move(next);
            return {};
        }
        if (!can_be_found_out(etag.error())) return etag.take_failure();
        PERDURE_TRY(refresh(held));
    }
    return fail(raced());
}

Result<std::string> CosmosLedger::begin(std::string_view source, const Range& range) {
    const auto ours = held(source);
    if (!ours) return fail(not_held());
    const std::lock_guard lock{ours->mutex};
    PERDURE_TRY(refresh(*ours));
    if (overlaps(ours->entry.ranges, range)) return fail(taken(range));
    return ours->generation;
}

Result<void> CosmosLedger::finish(const Order& order, const Range& range,
                                  std::span<const Rejected> rejected) {
    const auto ours = held(order.source->name);
    if (!ours) return fail(not_held());
    PERDURE_TRY_VALUE(const std::string load, load_of(order.source->name));
    if (ours->went_on) PERDURE_TRY(clear_unfinished(*ours, load, range));
    PERDURE_TRY(reject(load, ours->generation, order, order.rejected));
    PERDURE_TRY(reject(load, ours->generation, order, rejected));
    return change(*ours, [&](const std::vector<Range>& ranges) -> Result<std::vector<Range>> {
        const auto there = std::ranges::find(ranges, range.begin, &Range::begin);
        if (there != ranges.end() && *there == range) return ranges;
        if (overlaps(ranges, range)) return fail(taken(range));
        return with(ranges, range);
    });
}

Result<void> CosmosLedger::merge(std::string_view source, std::uint64_t begin, std::uint64_t end) {
    const auto ours = held(source);
    if (!ours) return {};
    const auto join = [&](const std::vector<Range>& ranges) -> Result<std::vector<Range>> {
        std::vector<Range> within;
        std::vector<Range> rest;
        for (const Range& one : ranges)
            (one.begin >= begin && one.end <= end ? within : rest).push_back(one);
        if (within.size() < 2) return ranges;
        PERDURE_TRY_VALUE(const Range sum, joined(within));
        return with(std::move(rest), sum);
    };
    auto done = change(*ours, join);
    // Then they are for whoever goes on with the input to join.
    if (!done && done.error().code == "taken") return {};
    return done;
}

// What becomes of the rejected records afterwards is of no meaning to anybody, so a kill in between does
// no harm.
Result<void> CosmosLedger::forget(std::string_view source) {
    PERDURE_TRY_VALUE(const std::string load, load_of(source));
    for (int race = 0; race < most_races; ++race) {
        PERDURE_TRY_VALUE(const auto known, read(source));
        if (!known) return {};
        if (!agree(*known)) {
            PERDURE_TRY_VALUE(const bool left, left_records(*known));
            if (left) return agree(*known);
        }
        auto gone = client_.send(
            cosmos::DeleteItem{books_, cosmos_entry_id, PartitionKey{load}}.if_match(known->etag));
        if (!gone && can_be_found_out(gone.error())) continue;
        if (!gone) return gone.take_failure();
        {
            const std::lock_guard lock{mutex_};
            held_.erase(std::string{source});
        }
        PERDURE_TRY_VALUE(const auto rejected, rejected_in(load, known->generation, 0, behind_all));
        return remove(load, rejected);
    }
    return fail(raced());
}

}  // namespace tool::load

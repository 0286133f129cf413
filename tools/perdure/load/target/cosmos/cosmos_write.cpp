// SPDX-License-Identifier: Apache-2.0
#include "load/target/cosmos/cosmos_write.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "load/target/digest.hpp"
#include "perdure/call/batch.hpp"
#include "perdure/cosmos/create_once.hpp"
#include "perdure/cosmos/read_item.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr int most_looks = 5;
constexpr const char* unique_taken =
    "Cosmos DB does not take it: a unique key of the container is taken";

std::string hex(std::uint64_t number) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    return {digits.data(), end};
}

// Not about the load, the account or the container.
bool is_about_record(const Failure& failure) noexcept {
    if (failure.effect != Effect::none) return false;
    // Another id has its hash, and always will.
    if (failure.code == "409/3302") return true;
    const bool ours = failure.origin == Origin::application;
    return (failure.cause == Cause::invalid || failure.cause == Cause::too_large) &&
           (ours || failure.status == 400 || failure.status == 413);
}

bool is_taken(const Failure& failure) noexcept {
    return failure.cause == Cause::conflict && failure.status == 409;
}

Failure come_and_go() {
    return {.cause = Cause::contended,
            .effect = Effect::none,
            .code = "key-met",
            .message = "keys of these records come and go while they are loaded"};
}

Failure cancelled() {
    return {.cause = Cause::cancelled,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "stopped",
            .message = "the load was told to stop"};
}

}  // namespace

CosmosWrite::CosmosWrite(cosmos::Client& client, const cosmos::ContainerName& container,
                         const CosmosRows& rows, const Order& order, CosmosWriteOptions options)
    : client_{client},
      container_{container},
      rows_{rows},
      order_{order},
      options_{std::move(options)} {
    make_items();
}

void CosmosWrite::make_items() {
    std::set<std::string> ids;
    for (std::size_t row = order_.first; row < order_.first + order_.count; ++row) {
        const std::size_t record = order_.rows->records[row];
        Candidate one{.row = row};
        std::string wrong = rows_.make(
            order_.rows->row(row),
            {order_.source->name, order_.batch->offset(order_.batch->records[record])}, one.item);
        if (!wrong.empty()) {
            unmade_.push_back({.record = record, .reason = std::move(wrong)});
            continue;
        }
        const bool fresh = ids.insert(one.item.key.header_text() + one.item.id).second;
        (fresh ? first_ : later_).push_back(std::move(one));
    }
}

std::size_t CosmosWrite::record_of(const Candidate& one) const {
    return order_.rows->records[one.row];
}

// With a digest: an input may have been changed in its place since an item was written.
std::string CosmosWrite::token_of(const Candidate& one) const {
    return options_.generation + ':' +
           std::to_string(order_.batch->offset(order_.batch->records[record_of(one)])) + ':' +
           hex(value_digest(Type::text, Value{std::string_view{one.item.json}}));
}

Result<bool> CosmosWrite::look_at(Candidate& one) {
    const cosmos::FindItem asking{container_, one.item.id, one.item.key};
    PERDURE_TRY_VALUE(const auto there, client_.send(asking, {.stop = options_.stop}));
    if (!there) return false;
    met_ = true;
    const auto whose =
        cosmos::Document{there->json}.string_at("/" + std::string{cosmos::usual_marker});
    if (whose == token_of(one)) one.fate = Fate::written;
    else if (rows_.same(order_.rows->row(one.row), there->json)) one.fate = Fate::present;
    else one.fate = Fate::differs;
    return true;
}

Result<void> CosmosWrite::write_one(Candidate& one) {
    for (int look = 0; look < most_looks; ++look) {
        if (look > 0 || options_.look_first) {
            PERDURE_TRY_VALUE(const bool there, look_at(one));
            if (there) return {};
        }
        const cosmos::CreateOnce creating =
            cosmos::CreateOnce{container_, one.item.json, one.item.key}.token(token_of(one));
        const auto created = client_.send(creating, {.stop = options_.stop});
        if (created) {
            one.fate = Fate::written;
            return {};
        }
        if (is_about_record(created.error())) {
            one.fate = Fate::refused;
            one.reason = "Cosmos DB does not take it: " + created.error().code;
            return {};
        }
        if (!is_taken(created.error())) return fail(created.error());
    }
    PERDURE_TRY_VALUE(const bool there, look_at(one));
    if (there) return {};
    // Refused each time, and each time nothing had its id.
    if (!options_.unique_keys) return fail(come_and_go());
    one.fate = Fate::refused;
    one.reason = unique_taken;
    return {};
}

Result<void> CosmosWrite::write_all(Caller& crew) {
    const std::size_t threads = static_cast<std::size_t>(std::max(options_.at_once, 1));
    const BatchOptions options{.chunk_items = (first_.size() + threads - 1) / threads,
                               .parallel = {.most = static_cast<int>(threads)}};
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<>> {
        for (const std::size_t at : chunk) {
            if (over_ || options_.stop.stop_requested()) return fail(cancelled());
            if (auto done = write_one(first_[at]); !done) {
                over_ = true;
                return done.take_failure();
            }
        }
        return ChunkAnswer<>{chunk};
    };
    auto report =
        run_batch(crew, {.name = "load", .safety = Safety::guarded, .stop = options_.stop}, options,
                  first_.size(), send);
    if (report.complete()) return {};
    const auto told = std::ranges::find_if(report.leftovers, [](const Leftover& left) {
        return left.failure.cause != Cause::cancelled;
    });
    const auto why = told == report.leftovers.end() ? report.leftovers.begin() : told;
    return fail(std::move(why->failure));
}

Result<CosmosOutcome> CosmosWrite::run(Caller& crew) {
    if (options_.stop.stop_requested()) return fail(cancelled());
    if (!first_.empty()) PERDURE_TRY(write_all(crew));
    for (Candidate& one : later_) PERDURE_TRY(write_one(one));
    return outcome();
}

CosmosOutcome CosmosWrite::outcome() const {
    CosmosOutcome sum{.rejected = unmade_, .met_keys = met_};
    for (const auto* some : {&first_, &later_})
        for (const Candidate& one : *some) {
            if (one.fate == Fate::written) ++sum.written;
            if (one.fate == Fate::present) ++sum.present;
            if (one.fate == Fate::differs)
                sum.rejected.push_back({.record = record_of(one), .reason = other_values});
            if (one.fate == Fate::refused)
                sum.rejected.push_back({.record = record_of(one), .reason = one.reason});
        }
    std::ranges::sort(sum.rejected, {}, &Rejected::record);
    return sum;
}

}  // namespace tool::load

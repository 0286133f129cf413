// SPDX-License-Identifier: Apache-2.0
//
// What does a container of Cosmos DB know about loads? A container `perdure_load` beside it has one item
// for each input, `entry`: who holds it, and all that is done. Every change replaces it by its etag.
//
// Whoever enters an input writes itself into the entry, so the next change by whoever held it before is
// refused, and it is told "taken". What that one still writes into the data is what the new holder
// writes too, under the same tokens (cosmos_write.hpp): only the entry says what counts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/target/cosmos/cosmos_ledger_items.hpp"
#include "load/target/target.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/query.hpp"

namespace tool::load {

// Safe for any number of threads.
class CosmosLedger {
public:
    // `container` is the one that is loaded.
    CosmosLedger(perdure::cosmos::Client& client, perdure::cosmos::ContainerName container);

    // What ids of records are made of, as in CosmosEntry. Before all but open, entry, done.
    void ids_from(std::string column) { ids_from_ = std::move(column); }

    // As those of Target.
    [[nodiscard]] Result<void> open();
    [[nodiscard]] Result<void> check_begun(std::string_view source);
    [[nodiscard]] Result<SourceEntry> enter(const SourceEntry& source);
    [[nodiscard]] Result<std::optional<SourceEntry>> entry(std::string_view source);
    [[nodiscard]] Result<std::vector<Range>> done(std::string_view source);
    [[nodiscard]] Result<void> merge(std::string_view source, std::uint64_t begin,
                                     std::uint64_t end);
    [[nodiscard]] Result<void> forget(std::string_view source);
    [[nodiscard]] Result<void>
    rejections(std::string_view source,
               const std::function<Result<void>(const KeptRejection&)>& each);

    // Before records of the range are written: the generation of the input, which they are marked with.
    // Failure "taken", as far as can be seen from here.
    [[nodiscard]] Result<std::string> begin(std::string_view source, const Range& range);
    // After they were written: their range, and with it what was rejected. Failure "taken": somebody
    // else does it.
    [[nodiscard]] Result<void> finish(const Order& order, const Range& range,
                                      std::span<const Rejected> rejected);

private:
    // An input we entered. The lock is held while the entry is being replaced.
    struct Held {
        Held(CosmosEntry known, bool before)
            : generation{known.generation}, went_on{before}, entry{std::move(known)} {}
        const std::string generation;
        const bool went_on;  // others were at it before us
        std::mutex mutex{};
        CosmosEntry entry;
    };
    using Change = std::function<Result<std::vector<Range>>(const std::vector<Range>&)>;

    [[nodiscard]] Result<std::string> load_of(std::string_view source) const;
    [[nodiscard]] Result<std::optional<CosmosEntry>> read(std::string_view source);
    [[nodiscard]] std::shared_ptr<Held> held(std::string_view source);
    [[nodiscard]] Result<void> refresh(Held& held);
    [[nodiscard]] Result<void> change(Held& held, const Change& made);
    // Of an input with bytes in it. Failure "other-ids".
    [[nodiscard]] Result<void> agree(const CosmosEntry& known) const;
    // Whether the container may have records of it.
    [[nodiscard]] Result<bool> left_records(const CosmosEntry& known);
    [[nodiscard]] Result<bool> finds_any(perdure::cosmos::Query query);
    // Its etag then; empty: it is there, and may have been changed since.
    [[nodiscard]] Result<std::string> put(const std::string& load, const CosmosEntry& entry);
    [[nodiscard]] Result<void> reject(const std::string& load, const std::string& generation,
                                      const Order& order, std::span<const Rejected> rejected);
    // What an earlier run left in a range that it never noted. Failure "taken".
    [[nodiscard]] Result<void> clear_unfinished(Held& held, const std::string& load,
                                                const Range& range);
    struct Version {
        std::string id{};
        std::string etag{};
    };
    // Rejected records in [begin, end).
    [[nodiscard]] Result<std::vector<Version>> rejected_in(const std::string& load,
                                                           const std::string& generation,
                                                           std::uint64_t begin, std::uint64_t end);
    // But for those that are gone, or another version by now.
    [[nodiscard]] Result<void> remove(const std::string& load, const std::vector<Version>& some);

    perdure::cosmos::Client& client_;
    const perdure::cosmos::ContainerName data_;
    const perdure::cosmos::ContainerName books_;
    const std::string holder_;  // who we are
    std::string ids_from_{};
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Held>, std::less<>> held_;
};

}  // namespace tool::load

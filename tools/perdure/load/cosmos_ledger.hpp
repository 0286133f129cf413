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

#include "load/cosmos_ledger_items.hpp"
#include "load/target.hpp"
#include "perdure/cosmos/client.hpp"

namespace tool::load {

// Safe for any number of threads.
class CosmosLedger {
public:
    // `container` is the one that is loaded.
    CosmosLedger(perdure::cosmos::Client& client, perdure::cosmos::ContainerName container);

    // As those of Target.
    [[nodiscard]] Result<void> open();
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
    [[nodiscard]] Result<std::string> put(const std::string& load, const CosmosEntry& entry);
    [[nodiscard]] Result<void> reject(const std::string& load, const std::string& generation,
                                      const Order& order, std::span<const Rejected> rejected);
    // Those in [begin, end).
    [[nodiscard]] Result<void> clear_rejected(const std::string& load,
                                              const std::string& generation, std::uint64_t begin,
                                              std::uint64_t end);

    perdure::cosmos::Client& client_;
    const perdure::cosmos::ContainerName data_;
    const perdure::cosmos::ContainerName books_;
    const std::string holder_;  // who we are
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<Held>, std::less<>> held_;
};

}  // namespace tool::load

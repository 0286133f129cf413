// SPDX-License-Identifier: Apache-2.0
//
// How is an order written to Cosmos DB, where only items of one partition are written as one? Each record
// is created by itself, under an id and with a token that are always the same for it, and their range is
// noted when all of them are there. Whoever does it again (after a lost answer, a kill, beside another
// load) meets its own tokens and takes the records as written.
//
//     CosmosWrite writing{client, container, rows, order, {.generation = generation}};
//     PERDURE_TRY_VALUE(const CosmosOutcome outcome, writing.run(crew));
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "load/target/cosmos/cosmos_rows.hpp"
#include "load/target/target.hpp"
#include "perdure/call/caller.hpp"
#include "perdure/cosmos/client.hpp"

namespace tool::load {

// What became of the rows.
struct CosmosOutcome {
    std::uint64_t written = 0;
    std::uint64_t present = 0;
    std::vector<Rejected> rejected{};  // by record
    bool met_keys = false;
};

struct CosmosWriteOptions {
    std::string generation{};
    std::stop_token stop{};
    int at_once = 8;
    bool look_first = false;   // keys are likely to be there
    bool unique_keys = false;  // the container has others than the id, so a free id may be refused
};

// One order's; used by the thread that writes it. What it is given outlives it.
class CosmosWrite {
public:
    CosmosWrite(perdure::cosmos::Client& client, const perdure::cosmos::ContainerName& container,
                const CosmosRows& rows, const Order& order, CosmosWriteOptions options);

    // `crew` spreads them over threads and repeats nothing by itself. A failure says why not all are
    // there; some of them may be.
    [[nodiscard]] Result<CosmosOutcome> run(perdure::Caller& crew);

private:
    enum class Fate : std::uint8_t { open, written, present, differs, refused };
    struct Candidate {
        std::size_t row = 0;  // in the order's rows
        CosmosItem item{};
        Fate fate = Fate::open;
        std::string reason{};  // of refused
    };

    void make_items();
    [[nodiscard]] Result<void> write_all(perdure::Caller& crew);
    // Fails only if it is not the record's fault.
    [[nodiscard]] Result<void> write_one(Candidate& one);
    [[nodiscard]] Result<bool> look_at(Candidate& one);
    [[nodiscard]] std::string token_of(const Candidate& one) const;
    [[nodiscard]] std::size_t record_of(const Candidate& one) const;
    [[nodiscard]] CosmosOutcome outcome() const;

    perdure::cosmos::Client& client_;
    const perdure::cosmos::ContainerName& container_;
    const CosmosRows& rows_;
    const Order& order_;
    const CosmosWriteOptions options_;
    std::vector<Candidate> first_;  // of each id
    std::vector<Candidate> later_;  // with an id that another one of the order has: after those
    std::vector<Rejected> unmade_;
    std::atomic<bool> met_{false};
    std::atomic<bool> over_{false};  // one has failed: no need to go on
};

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
//
// Which records are to be loaded next? The inputs one after the other, without what the ledger says is
// done. Each worker takes one batch, and the next when that one is dealt with.
//
//     Feed feed{target, inputs, limits, tally};
//     while (auto took = feed.take(batch); took && *took) { …write…; feed.done(batch.source, range); }
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "load/engine/account.hpp"
#include "load/source/source.hpp"
#include "load/target/target.hpp"

namespace tool::load {

struct Input {
    SourceOptions options{};
    std::string name{};  // under which the ledger knows it
    std::shared_ptr<Source>
        opened{};  // what was opened to be looked at, and of which nothing was taken
};

// Standard input, a pipe: what was read of it is gone.
[[nodiscard]] bool comes_once(const Input& input);

// Whether an input of the same name is what it was when its load began: failure invalid if not.
[[nodiscard]] Result<void> check_same(Source& source, const SourceEntry& entry,
                                      const std::vector<Range>& done);

// Safe for any number of threads. Splitting happens in turn, everything else side by side.
class Feed {
public:
    Feed(Target& target, std::vector<Input> inputs, const BatchLimits& limits, Tally& tally);

    // False: everything has been handed out. A failure is an input that cannot be read, or the ledger.
    [[nodiscard]] Result<bool> take(Batch& into);
    // A part of a batch is written. Joins the ledger's ranges now and then.
    [[nodiscard]] Result<void> done(std::size_t source, const Range& range);
    // A batch that was taken is dealt with, or will not be by us.
    void leave(std::size_t source);
    // When all workers have ended: one range in the ledger for each input that was read to its end.
    [[nodiscard]] Result<void> close();

    [[nodiscard]] const SourceEntry& entry(std::size_t source) const;
    [[nodiscard]] const Header& header(std::size_t source) const;
    // The input that is read now, or was when a failure ended it.
    [[nodiscard]] const std::string& current() const;
    // How far the input has been handed out.
    [[nodiscard]] std::uint64_t reached(std::size_t source) const;
    // Sums over this and earlier runs; of inputs that were opened.
    [[nodiscard]] Account whole() const;
    [[nodiscard]] const std::vector<Input>& inputs() const noexcept { return inputs_; }

private:
    struct Place {  // of one input; stays when the input was read to its end
        SourceEntry entry{};
        Header header{};
        std::shared_ptr<Source> source{};
        std::deque<Range> skip{};  // done by earlier runs, ahead of us
        std::map<std::uint64_t, std::uint64_t>
            joined{};  // done, begin to end, adjacent ones as one
        std::uint64_t first = 0;
        std::uint64_t reached = 0;         // by us
        std::uint64_t reached_before = 0;  // by an earlier run
        std::uint64_t consumed = 0;
        std::size_t rows = 0;     // of the ledger that could be joined
        std::size_t in_hand = 0;  // batches that workers have
        bool exhausted = false;
        Account account{};
    };

    [[nodiscard]] Result<void> open_next();
    [[nodiscard]] Result<void> check_rejected(const Source& source);
    [[nodiscard]] Result<SourceEntry> entry_of(const Input& input, Source& source);
    [[nodiscard]] Result<bool> take_from(Place& place, Batch& into);
    void note_consumed(Place& place);
    void join(Place& place, const Range& range);

    Target& target_;
    std::vector<Input> inputs_;
    const BatchLimits limits_;
    Tally& tally_;
    std::mutex joining_;  // one worker joins rows of the ledger, nobody waits for it
    mutable std::mutex mutex_;
    std::deque<Place> places_;  // those opened so far
    bool broken_ = false;
};

}  // namespace tool::load

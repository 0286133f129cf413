// SPDX-License-Identifier: Apache-2.0
//
// Which records are to be loaded next? The inputs one after the other, without what the ledger says is
// done. Each worker takes one batch, and the next when that one is dealt with.
//
//     Feed feed{target, inputs, {.identity = Identity::by_key}, tally};
//     while (auto took = feed.take(batch); took && *took) { …write…; feed.done(batch.source, range); }
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "load/engine/account.hpp"
#include "load/source/prefix_check.hpp"
#include "load/source/source.hpp"
#include "load/target/target.hpp"
#include "perdure/time/clock.hpp"

namespace tool::load {

enum class Named : unsigned char { by_path, by_user };

struct Input {
    SourceOptions options{};
    std::string name{};            // under which the ledger knows it
    Named named = Named::by_path;  // by_user: --as, so that content known by another name is loaded
    std::shared_ptr<Source>
        opened{};  // what was opened to be looked at, and of which nothing was taken
};

// Standard input, a pipe: what was read of it is gone.
[[nodiscard]] bool comes_once(const Input& input);

// How a record is told from others, and so what becomes of an input that has changed since it was
// loaded: with keys it is read again as a whole, without it is refused.
enum class Identity : unsigned char { by_place, by_key };

struct FeedOptions {
    BatchLimits limits{};
    Identity identity = Identity::by_place;
    // Whether content that was loaded under another name is recognised; not with --again.
    enum class Copies : unsigned char { recognised, loaded } copies = Copies::recognised;
};

// An input of which every record was loaded by an earlier run.
struct NothingNew {
    std::string path{};
    std::string loaded_as{};      // the name in the ledger, if it is another
    std::uint64_t loaded_at = 0;  // seconds since 1970; 0: not known
    Account account{};
};

// Safe for any number of threads. Splitting happens in turn, everything else side by side.
class Feed {
public:
    Feed(Target& target, std::vector<Input> inputs, const FeedOptions& options, Tally& tally,
         perdure::Clock& clock = perdure::system_clock());

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
    // Sums over this and earlier runs; of inputs that were opened.
    [[nodiscard]] Account whole() const;
    [[nodiscard]] const std::vector<Input>& inputs() const noexcept { return inputs_; }
    // Adds to the range of a part of a batch, which is written now, what the feed knows about it.
    void stamp(std::size_t source, Range& range) const;
    [[nodiscard]] std::vector<NothingNew> nothing_new() const;
    // Whether an input was read again because it had changed, by this run or by one before it.
    [[nodiscard]] bool read_again() const;
    [[nodiscard]] std::vector<std::string> remarks() const;

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
        bool seekable = false;
        bool restarted = false;   // by this run, because it had changed
        bool unfinished = false;  // by an earlier run, which did not join its ranges at the end
        std::uint64_t version = 0;
        std::uint64_t loaded_at = 0;  // by earlier runs
        std::uint64_t taken = 0;      // records handed out by this run
        std::string loaded_as{};      // the same content is in the ledger under this name
        Account account{};
    };
    // What the ledger holds of an input, and whether the input still begins with it.
    struct Known {
        SourceEntry entry{};
        std::vector<Range> done{};
        PrefixCheck check{};
        std::uint64_t version = 0;  // of the input, if `done` does not say it
        bool restarted = false;
    };

    using Lock = std::unique_lock<std::mutex>;
    [[nodiscard]] Result<void> open_next(Lock& lock);
    // Of inputs of this run that begin alike, until all of their batches are written.
    void await_copies(Source& source, Lock& lock);
    [[nodiscard]] Result<void> check_unchanged(Place& place);
    [[nodiscard]] Result<SourceEntry> entry_for(const Input& input, Source& source);
    [[nodiscard]] Result<Known> enter(const Input& input, Source& source);
    // What the ledger has of an input whose name is new: the one with the same content, or else one
    // that begins alike.
    [[nodiscard]] Result<std::optional<Known>> find_content(const SourceEntry& entry,
                                                            const Input& input, Source& source);
    // Inputs of which something was loaded, and that begin alike.
    [[nodiscard]] Result<std::vector<Known>> begun_alike(const SourceEntry& entry, Source& source);
    [[nodiscard]] Result<void> compare(std::vector<Known>& alike, const Input& input,
                                       Source& source);
    [[nodiscard]] Result<bool> has_records_behind(const Input& input, const Known& known);
    [[nodiscard]] Result<void> check_copy(const Input& input,
                                          const std::optional<Known>& known) const;
    [[nodiscard]] Result<PrefixCheck> check(const Input& input, Source& source,
                                            const std::vector<Range>& done);
    [[nodiscard]] Result<Known> start_over(const Input& input, Source& source, const Known& known,
                                           std::string_view how);
    [[nodiscard]] Result<void> add_place(std::shared_ptr<Source> source, Known known);
    void add_known_content(const Source& source, const Known& known);
    [[nodiscard]] Result<void> resume(Place& place, const Known& known);
    [[nodiscard]] Result<void> skip(Place& place);
    [[nodiscard]] Result<bool> take_from(Place& place, Batch& into);
    void note_consumed(Place& place);
    void join(Place& place, const Range& range);

    Target& target_;
    std::vector<Input> inputs_;
    const FeedOptions options_;
    Tally& tally_;
    perdure::Clock& clock_;
    std::mutex joining_;  // one worker joins rows of the ledger, nobody waits for it
    mutable std::mutex mutex_;
    std::deque<Place> places_;  // those opened so far
    std::vector<std::string> remarks_;
    bool broken_ = false;
    bool opening_ = false;  // one thread opens an input, the others wait
    std::condition_variable changed_;
};

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
//
// Where does a batch stand, and what comes next? The state machine both drivers of batches turn.
//
//     BatchProgress batch{memory, operation, options, puts.size(), {.now = now, .random = &random}};
//     BatchStep next = batch.next(now);               // attempt: send batch.chunk(next.lane)
//     batch.answered(next.lane, marks, now);          // or failed()
//     next = batch.next(now);                         // wait until …, attempt, finish
//
// It cuts, counts and remembers, and decides nothing about repeating: each lane is one call, with a
// Progress of its own. What a send left over stays in its lane as the call's next attempt, told by
// Progress::partial; after progress the chunk is filled up again from those not sent yet. A lane
// stays taken while it waits, so a service that throttles gets less, not the same from others.
// No clock, no sleep, no I/O.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "perdure/call/batch_chunk.hpp"
#include "perdure/call/batch_options.hpp"
#include "perdure/call/batch_report.hpp"
#include "perdure/call/progress.hpp"

namespace perdure {
inline namespace v0 {

// What becomes of a send that overruns its time. A blocking driver can only wait for it.
enum class Overrun : std::uint8_t { waited_for, cut_off };

struct BatchSetting {
    TimePoint now{};
    Random* random = nullptr;  // never null
    Observer* observer = nullptr;
    const Attempt* parent = nullptr;  // the attempt this batch is nested in
    Overrun overrun = Overrun::waited_for;
};

// The words of Progress, and the lane they are for (not for wait and finish). Never `ask`.
struct BatchStep {
    std::size_t lane = 0;
    Step step{};
};

// Owned by one batch; used by one thread at a time.
class BatchProgress {
public:
    BatchProgress(Memory& memory, const Operation& operation, const BatchOptions& options,
                  std::size_t items, const BatchSetting& setting);
    BatchProgress(const BatchProgress&) = delete;
    BatchProgress& operator=(const BatchProgress&) = delete;

    [[nodiscard]] BatchStep next(TimePoint now);
    // Whether another send could go out at once; for drivers that make threads when they are needed.
    [[nodiscard]] bool wants_more(TimePoint now) const noexcept;

    // After an `attempt`: what to send, and the attempt to send it in.
    [[nodiscard]] Chunk chunk(std::size_t lane) const;
    [[nodiscard]] Attempt attempt(const BatchStep& step, const Clock& clock,
                                  AttemptLink* link) const noexcept {
        return attempt_for(step.step, *lanes_[step.lane]->call, clock, link);
    }

    // The service spoke about every item of the chunk of the lane with this number.
    void answered(std::size_t number, ChunkMarks marks, TimePoint now);
    // It did not. `nested`: see Progress::failed.
    void failed(std::size_t number, Failure failure, Effect nested, TimePoint now);
    void prepared(std::size_t number, Result<void> outcome, TimePoint now);
    // The caller wants out: nothing goes out any more, sends under way are cut off if they can be.
    void cancelled(TimePoint now);

    [[nodiscard]] int limit() const noexcept { return sends_.limit(); }
    // After `finish`.
    [[nodiscard]] BatchTotals take_totals(TimePoint now);

private:
    struct Item {
        std::size_t index = 0;
        std::size_t bytes = 0;
        int sends = 0;
        Effect effect = Effect::none;  // the join over what is unresolved
        std::optional<Cause> first_cause{};
        Result<void> last{};  // why it was left; nothing when its chunk failed as a whole
    };
    enum class Busy : std::uint8_t { no, sending, preparing };
    struct Lane {
        explicit Lane(std::size_t place) noexcept : at{place} {}
        const std::size_t at;
        std::optional<Progress> call{};  // none: the lane is free
        std::vector<Item> items{};
        Busy busy = Busy::no;
        bool advanced = false;  // the latest answer left fewer than were sent
        int number = 0;
        std::uint64_t ticket = 0;
        TimePoint wake{};
    };

    [[nodiscard]] bool all_taken() const noexcept { return next_item_ == count_; }
    void fill(std::vector<Item>& items);
    bool open_lane(TimePoint now);
    void close_lane(Lane& lane, TimePoint now);

    std::optional<BatchStep> watch_sends(TimePoint now, TimePoint& until);
    Lane* first_due(TimePoint now, TimePoint& until) noexcept;
    std::optional<BatchStep> turn(Lane& lane, TimePoint now);
    void end_send(Lane& lane, SendEnd how) noexcept;
    void count_done(std::size_t done, std::size_t at_first_send, TimePoint now);
    [[nodiscard]] bool moves() const noexcept { return idle_sends_ < options_.parallel.most; }

    [[nodiscard]] Stop final_for(const Item& item, TimePoint now) const;
    void note(Item& item, const Failure& failure, Effect nested) const;
    [[nodiscard]] Failure summary(const std::vector<Item>& left, std::size_t sent) const;
    void leave(Item& item, const Failure& last, Stop stop, TimePoint now);
    void refuse_rest(const Failure& failure);

    Memory& memory_;
    Operation operation_;
    const BatchOptions options_;
    const BatchSetting setting_;
    const std::size_t count_;
    std::size_t next_item_ = 0;
    int idle_sends_;  // in a row that did nothing, over all lanes
    Parallelism sends_;
    std::vector<std::unique_ptr<Lane>> lanes_;  // a lane stays where it is: its call cannot move
    int open_ = 0;
    bool cancelled_ = false;
    BatchTotals totals_{};
};

}  // namespace v0
}  // namespace perdure

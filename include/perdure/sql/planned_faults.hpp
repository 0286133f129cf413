// SPDX-License-Identifier: Apache-2.0
//
// What does my code do when the link is lost in the middle of COMMIT? Try it, on a real database, with
// faults that come exactly when they were planned.
//
//     sql::PlannedFaults faults;
//     sql::Database bank{sql::with_faults(*sql::sqlite("bank.db"), faults)};
//     faults.commit({sql::Planned::fail_after});      // the next COMMIT is done, its answer is lost
//     sql::transact(bank, …);
//     EXPECT_EQ(faults.counts().commits, 1);
//
// Each planned failure also breaks the session it happened in. What is planned is used up in order;
// after that everything passes, or fails by chance if that was asked for.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "perdure/sql/driver.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

enum class Planned : std::uint8_t {
    pass,
    fail_before,  // nothing is done; a COMMIT is really rolled back
    fail_midway,  // of a statement with rows: the first row comes, then the failure
    fail_after,   // it is done, then the failure is told
    half_open,    // of COMMIT: the transaction stays open behind our back, a zombie
};

// How a zombie ends when its time comes.
enum class Ending : std::uint8_t { rolls_back, commits };

struct Fault {
    Fault(Planned planned) noexcept : what{planned} {}
    Fault(Planned planned, Failure failure) : what{planned}, tells{std::move(failure)} {}
    static Fault zombie(Ending ending, Duration lasts = never) noexcept {
        Fault fault{Planned::half_open};
        fault.ending = ending;
        fault.lasts = lasts;
        return fault;
    }

    Planned what;
    // Nothing: a lost link, code "planned"; effect unknown for COMMIT and for a statement by itself,
    // else none.
    std::optional<Failure> tells{};
    Ending ending = Ending::rolls_back;
    Duration lasts = never;  // of a zombie; never: until release()
};

// How often, from 0 to 1, each thing happens by chance.
struct Odds {
    double fail_before = 0;
    double fail_after = 0;
    double half_open = 0;  // of COMMIT only
};

struct FaultChances {
    std::uint64_t seed = 1;
    Odds open{};
    Odds begin{};
    Odds execute{};
    Odds commit{};
    Duration half_open_for = 50ms;  // then it commits or rolls back, by chance
};

// Calls that were made, the failed ones included. Statements of begin() and of resolving are not
// executions.
struct FaultCounts {
    int opens = 0;
    int begins = 0;
    int executions = 0;
    int commits = 0;
    int roll_backs = 0;
    int faults = 0;   // planned failures that were told
    int zombies = 0;  // transactions that are open behind our back now
};

class FaultBook;  // src/sql

// A handle: copies speak of the same plan. Safe for any number of threads. When the last copy and the
// last driver are gone, zombies end.
class PlannedFaults {
public:
    PlannedFaults();

    // Added behind what is planned already.
    void open(std::initializer_list<Fault> faults);
    void begin(std::initializer_list<Fault> faults);
    void execute(std::initializer_list<Fault> faults);
    void commit(std::initializer_list<Fault> faults);
    // What happens when nothing is planned.
    void by_chance(const FaultChances& chances);
    // Everything passes from now on; counts and zombies stay.
    void clear();

    // Ends every zombie as it was planned, and waits until that is done.
    void release();
    [[nodiscard]] FaultCounts counts() const;

private:
    friend std::shared_ptr<Driver> with_faults(std::shared_ptr<Driver> driver,
                                               const PlannedFaults& faults);
    std::shared_ptr<FaultBook> book_;
};

[[nodiscard]] std::shared_ptr<Driver> with_faults(std::shared_ptr<Driver> driver,
                                                  const PlannedFaults& faults);

}  // namespace sql
}  // namespace v0
}  // namespace perdure

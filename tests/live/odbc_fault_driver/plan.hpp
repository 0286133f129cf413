// SPDX-License-Identifier: Apache-2.0
//
// What shall go wrong, and when? A plan is a list, read from a text:
//
//     execute 2 before 1205/40001; commit 1 after 64/08S01 dead; open 1 hang
//
// The nth such call from now on fails before or after its work, with one or more records
// (1205/40001+3621/01000); `dead` also ends the link. `hang` waits until it is released, `wait` also
// ends when the statement is cancelled. "/" alone is a failure without records.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace odbc_fault {

struct Record {
    int native = 0;
    std::string state{};
    std::string message{};
};

enum class Event : std::uint8_t { open, execute, commit };
enum class When : std::uint8_t { before, after, hang, wait };

struct Fault {
    Event event = Event::execute;
    int nth = 1;
    When when = When::before;
    std::vector<Record> records{};
    bool dead = false;
};

// Shared by all connections of the process.
class Plan {
public:
    // Replaces what was planned and counts from zero again. false: the text cannot be read.
    bool set(std::string_view text);
    // One such call is made; what has been planned for it.
    std::optional<Fault> next(Event event);

    // Blocks until release(), or until `cancelled` is set by somebody who then calls wake().
    void hang(const bool* cancelled);
    // Holds until the next plan: who comes to hang later does not.
    void release();
    template <class Change>
    void wake(Change change) {
        const std::lock_guard lock{mutex_};
        change();
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Fault> faults_;
    std::map<Event, int> counts_;
    bool released_ = false;
};

Plan& plan();

}  // namespace odbc_fault

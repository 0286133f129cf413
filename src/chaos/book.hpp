// SPDX-License-Identifier: Apache-2.0
//
// Who keeps account? One book for all links, written by the proxy's thread and read by any.
//
//     book.count(&Counters::requests);
//     book.fault(Fault::reset_after, When::after);
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "perdure/chaos/record.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

// Every function may be called from any thread.
class Book {
public:
    explicit Book(std::size_t room) : room_{room} {}

    // A new plan: the rules count anew, everything else goes on.
    void begin(const Plan& plan);
    void fitted(std::size_t rule);
    void struck(std::size_t rule);

    void count(std::uint64_t Counters::* what);
    void closed();  // a connection
    void fault(Fault fault, When forwarding);
    void write(Record record);

    [[nodiscard]] Counters counters() const;
    [[nodiscard]] std::vector<Record> records() const;
    [[nodiscard]] std::vector<Record> take_records();

private:
    const std::size_t room_;
    mutable std::mutex mutex_;
    Counters counters_;
    std::deque<Record> records_;
};

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

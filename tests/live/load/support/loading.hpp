// SPDX-License-Identifier: Apache-2.0
//
// `perdure load` as a process of a test's own: started, watched, killed, and what it said in the end.
//
//     Loading loading{{.flags = {"orders.jsonl", "--to", url, "--table", "orders"}, .home = home}};
//     loading.kill();                       // SIGKILL
//     const LoadEnd end = loading.wait();   // its status and its words
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/duration.hpp"

#include <sys/types.h>

namespace perdure::live {

struct LoadOrders {
    std::vector<std::string> flags{};  // behind `perdure load`; --json is added
    std::string home{};                // where it stands; what it prints is kept there
    std::string given{};               // a file for its standard input
    std::uint64_t largest_file = 0;    // it may write none that is larger; 0: any
};

struct LoadEnd {
    int status = -1;  // of its own; 128 + n if signal n ended it; -1: it did not end in time
    std::string out{};
    std::string err{};

    // "read" of {"account":{"read":7}} is number("account", "read"); -1 if there is none.
    [[nodiscard]] std::int64_t number(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view group, std::string_view name) const;
    // All of what it said.
    [[nodiscard]] std::string words() const { return out + err; }
};

// Used by the thread that made it: the system ends the program with it.
class Loading {
public:
    explicit Loading(const LoadOrders& orders);
    Loading(const Loading&) = delete;
    Loading& operator=(const Loading&) = delete;
    ~Loading() { kill(); }

    [[nodiscard]] bool running();
    // Returns when it is gone.
    void kill();
    void signal(int number) const;
    LoadEnd wait(Duration at_most = 5min);
    // The most memory it has had so far; 0 when it has ended. (What wait4 tells of a child also counts
    // the memory of the test program, of which it is a copy until it becomes another.)
    [[nodiscard]] std::int64_t peak_kib() const;

private:
    void reap(int options);

    std::string out_;
    std::string err_;
    pid_t pid_ = -1;  // -1: it has ended
    int status_ = -1;
};

// To its end.
LoadEnd load(const LoadOrders& orders);

}  // namespace perdure::live

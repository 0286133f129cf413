// SPDX-License-Identifier: Apache-2.0
//
// A program of the system's that one test runs, and that never outlives it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perdure/duration.hpp"

#include <sys/types.h>

namespace perdure::live {

// Its path, also where only root looks; empty if it is not installed.
std::string find_program(const std::string& name);

// A port of the loopback that nobody had a moment ago.
std::uint16_t free_port();
// Whether somebody accepts connections there, waited for at most that long.
enum class Answers : std::uint8_t { yes, no };
Answers wait_for_port(std::uint16_t port, Duration at_most = 5s);

// Used by one thread at a time: the one that made it, because the system ends the program with it.
class Process {
public:
    // The program's path, then what it is told. What it prints goes into the log file, and from there
    // into the test's own output if a test has failed by the end.
    Process(std::vector<std::string> arguments, std::string log_path);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] bool running();
    // Asks it to end, and insists after two seconds.
    void stop();
    // Waits for its end by itself: its exit code, or -1 if it did not end in time.
    int wait(Duration at_most);
    [[nodiscard]] std::string log() const;

private:
    void reap(int options);

    pid_t pid_ = -1;  // -1: it has ended
    int exit_ = -1;
    std::string log_path_;
    std::string name_;
};

// Ends the tests: their surroundings are broken, and `words` says how.
[[noreturn]] void give_up(const std::string& words);

// Rounded up, as poll(2) takes it.
int poll_milliseconds(Duration duration);

// What a program printed, without the ends of line behind it.
std::string without_line_end(std::string text);

// Runs a program to its end and gives its exit code; `log` gets what it printed.
int run(const std::vector<std::string>& arguments, std::string* log = nullptr);

}  // namespace perdure::live

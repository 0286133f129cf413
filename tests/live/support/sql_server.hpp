// SPDX-License-Identifier: Apache-2.0
//
// What every database server in a test needs: a user that is not root, a port that stays its own, and
// a data directory copied from one that was made once for this build tree.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "live/support/process.hpp"
#include "live/support/temp_dir.hpp"

namespace perdure::live {

// What a commit survives: the second costs an fsync each.
enum class Durable : std::uint8_t { against_a_kill, against_a_power_cut };

// Database servers refuse to run as root: there the command runs as `user`, the package's own. It is
// killed when the thread that starts it ends.
std::vector<std::string> as_user(const std::string& user, std::vector<std::string> command);
// Why that user could not run a server with its files in the temporary directory; empty if it could.
std::string cannot_run_as(const std::string& user);
// Makes the directory its, if we are root, and lets others pass through it.
void give_to(const std::string& user, const std::string& directory);

// A port of the loopback below those that the system hands out by itself. So nobody is given it while
// its server is down, and no client that knocks there meanwhile is connected to itself.
std::uint16_t quiet_port();

// Runs a program to its end; ends the test program with its output if it fails. For preparations.
std::string must_run(const std::vector<std::string>& command, Duration at_most = 60s);

// A directory that is made once and kept for all test programs of this build tree: `make` gets a
// command that leaves it in a directory of that user's.
struct Template {
    std::string user{};
    std::string version{};  // another one has another template
    std::function<std::vector<std::string>(const std::string& directory)> make{};
};
// Copies it, made before if need be, into a directory that does not exist yet.
void copy_template(const Template& from, const std::string& to);

// "10.11.19-mariadb": of what a program prints when asked, letters, digits and dots.
std::string version_of(const std::string& program);

// Looks again every few milliseconds.
bool becomes_true(const std::function<bool()>& looks, Duration at_most = 10s);

// Processes whose parent that is, and whether one is still there (a zombie is not).
std::vector<pid_t> children_of(pid_t parent);
bool alive(pid_t process);

}  // namespace perdure::live

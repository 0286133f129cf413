// SPDX-License-Identifier: Apache-2.0
//
// How is a command run so that it ends? In a process group of its own, its output read up to a limit;
// what is too late or too much is killed with all it started.
//
// What a command that ends by itself leaves running, an agent perhaps, is left alone.
#pragma once

#include <cstdint>
#include <string>

#include "perdure/call/attempt.hpp"
#include "perdure/dynamodb/settings.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

enum class CommandEnd : std::uint8_t {
    exited,       // number: its status
    killed,       // the signal, somebody else's
    overdue,      // by us
    stopped,      // by us, because nobody wants it any more
    too_much,     // by us: more output than is allowed
    not_started,  // the errno
};

struct CommandRun {
    CommandEnd end = CommandEnd::exited;
    int number = 0;
    std::string output{};
};

inline constexpr std::size_t most_output = 65'536;

// `/bin/sh -c command`, without input; its standard error is discarded. Ends by the attempt's deadline, and at once after its stop.
// Leaves no zombie.
CommandRun run_command(const std::string& command, const Surroundings& surroundings,
                       const Attempt& attempt);

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

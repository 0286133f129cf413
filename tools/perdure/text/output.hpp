// SPDX-License-Identifier: Apache-2.0
//
// Where do words go? Results to standard output, where a failed write is a failure of the command;
// remarks to standard error, where it is not: a full disk under a log must not fail the work.
//
//     say("perdure: attempt 1 failed");
//     return print(report);
//
// What files, servers and arguments put into the words reaches no terminal as control characters, and
// passwords of URLs are left out: all words go through visible() and without_passwords() here, so that
// no command has to.
#pragma once

#include <string>
#include <string_view>

namespace tool {

// Where a standard stream is closed, the next file opened would take its place and our words would
// land in it. Holds the place, for us and not for commands we run.
void hold_standard_streams() noexcept;

// From here on the process ends with a sentence and a status when it gets no memory, instead of by an
// exception that some thread does not expect. Code of the library that could go on without memory
// (new(std::nothrow), a caught bad_alloc) ends the process too: the tool has nothing better to do then.
void end_without_memory() noexcept;
// The status: exit_code::usage until a command says what the lack of memory means where it is now.
void without_memory_means(int status) noexcept;

// One line, in one write, so that lines of processes side by side do not mix.
void say(std::string_view line) noexcept;
// The same for lines with colours of ours in them; the rest of them went through visible() before.
void say_drawn(std::string_view line) noexcept;

// An exit code: success, or output_failed after saying so.
int print(std::string_view text) noexcept;
// The same for a text that is somebody's data: to a file or a pipe it goes as it is.
int print_data(std::string_view bytes) noexcept;

// The bytes as they may be written there: as they are, unless it is a terminal.
[[nodiscard]] std::string bytes_for(int fd, std::string_view bytes);

}  // namespace tool

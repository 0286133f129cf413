// SPDX-License-Identifier: Apache-2.0
//
// What does the tool's exit status say? The same in every command; docs/reference/run.md has the
// table for people.
//
//     return exit_code::usage;
//
// The numbers from 124 on are those of env(1), timeout(1) and the shells, so that scripts written
// for them go on working.
#pragma once

namespace tool {

namespace exit_code {
inline constexpr int success = 0;
inline constexpr int output_failed = 1;  // what was asked for could not be written to stdout
inline constexpr int no_answer = 2;      // the input does not carry what was asked of it
inline constexpr int unreadable = 3;     // a file cannot be read, or is not what it should be
inline constexpr int rejected = 4;       // load: all is done, but some records were refused
inline constexpr int stopped = 5;        // load: not all is done, the same command goes on
inline constexpr int differs = 6;        // load: what was read back is not what was sent
inline constexpr int needs_person = 7;   // load: will not pass until a person has mended something
inline constexpr int trouble = 8;        // doctor: something is wrong, and it says what
inline constexpr int timed_out = 124;    // the deadline, or the last attempt's timeout
inline constexpr int usage = 125;        // perdure itself: wrong flags, or no process to be had
inline constexpr int not_executable = 126;  // found, but cannot be run
inline constexpr int not_found = 127;
inline constexpr int signal_offset = 128;  // plus the number of the signal
}  // namespace exit_code

}  // namespace tool

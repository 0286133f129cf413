// SPDX-License-Identifier: Apache-2.0
#include "run/run_outcome.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <unistd.h>

#include "exit_code.hpp"

namespace tool {

namespace {

std::string name_of(int signal) {
    const char* name = sigabbrev_np(signal);
    return name ? std::string{"SIG"} + name : "signal " + std::to_string(signal);
}

std::string cannot_run(const std::string& command, int why) {
    std::string text = "cannot run " + command + ": " + std::generic_category().message(why);
    const bool is_path = command.find('/') != std::string::npos;
    if (why == ENOENT && !is_path) return text + "; is it installed, and its folder in PATH?";
    if (why == ENOENT && access(command.c_str(), F_OK) == 0)
        return text + "; what its first line names is missing";
    if (why == EACCES) return text + "; is it a file, and executable? (chmod +x)";
    return text;
}

// A command that ran and failed may have done all of its work, or some: the effect is unknown. One
// that never began has done nothing, and where it is missing it stays missing.
Failure describe(const End& end, const std::string& command) {
    Failure failure{.origin = Origin::application, .status = end.number};
    switch (end.how) {
        case How::exited:
            failure.code = "exit";
            failure.message = "exit status " + std::to_string(end.number);
            break;
        case How::killed:
            failure.status = exit_code::signal_offset + end.number;
            failure.code = "signal";
            failure.message = "killed by " + name_of(end.number);
            break;
        case How::timed_out:
            failure.set_cause(Cause::timed_out);
            failure.status = exit_code::timed_out;
            failure.code = "timeout";
            failure.message = "timed out";
            break;
        case How::interrupted:
            failure.set_cause(Cause::cancelled);
            failure.status = exit_code::signal_offset + end.number;
            failure.code = "interrupted";
            failure.message = "stopped by " + name_of(end.number);
            break;
        case How::not_started:
            failure.set_cause(end.number == ENOENT ? Cause::not_found : Cause::forbidden);
            failure.status =
                end.number == ENOENT ? exit_code::not_found : exit_code::not_executable;
            failure.code = end.number == ENOENT ? "not-found" : "not-executable";
            failure.message = cannot_run(command, end.number);
            break;
        case How::no_process:
            failure.set_cause(Cause::exhausted);
            failure.status = exit_code::usage;
            failure.code = "no-process";
            failure.message =
                "cannot start a process: " + std::generic_category().message(end.number);
            break;
    }
    failure.effect = end.began ? default_effect(failure.cause) : Effect::none;
    return failure;
}

}  // namespace

Result<void> classify(const End& end, const Meaning& meaning, const std::string& command) {
    if (end.good()) return {};
    Failure failure = describe(end, command);
    // Only its own status is the command's word; a timeout of the same number is ours.
    if (end.how == How::exited && meaning.unchanged_on.contains(failure.status))
        failure.effect = Effect::none;
    const bool listed = meaning.retry_on.empty() || meaning.retry_on.contains(failure.status);
    const bool ours = end.how == How::no_process;  // says nothing about the command
    if (!ours && (!listed || meaning.stop_on.contains(failure.status))) failure.retry_after = never;
    if (end.left_running) {
        failure.message += "; something it started cannot be ended";
        failure.retry_after = never;  // it would run beside the next attempt
    }
    return fail(std::move(failure));
}

int exit_status_of(const Result<void>& result, int ended_by) {
    if (result) return exit_code::success;
    const Failure& failure = result.error();
    if (failure.stop == Stop::cancelled) return exit_code::signal_offset + ended_by;
    // Also when the last attempt ended by itself and only the next did not fit any more: which of
    // the two it is depends on the dice, and a status should not.
    if (failure.stop == Stop::deadline) return exit_code::timed_out;
    return failure.status;
}

}  // namespace tool

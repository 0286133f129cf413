// SPDX-License-Identifier: Apache-2.0
#include "process_credentials.hpp"

#include <system_error>
#include <utility>

#include "credentials_json.hpp"
#include "process_credentials_command.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// Its output is not repeated here, because it may hold a secret.
constexpr const char* see_for_yourself = "; run the command by hand to see what it says";

std::string words_for(const CommandRun& run) {
    switch (run.end) {
        case CommandEnd::exited:
            return "it ended with status " + std::to_string(run.number) + see_for_yourself;
        case CommandEnd::killed:
            return "it was ended by signal " + std::to_string(run.number) + see_for_yourself;
        case CommandEnd::overdue: return "it did not end in time";
        case CommandEnd::stopped: return "it is not wanted any more";
        case CommandEnd::too_much: return "it wrote more than 64 KB";
        case CommandEnd::not_started:
            return "it could not be started: " + std::generic_category().message(run.number);
    }
    return {};
}

Cause cause_of(CommandEnd end) {
    switch (end) {
        case CommandEnd::overdue: return Cause::timed_out;
        case CommandEnd::stopped: return Cause::cancelled;
        case CommandEnd::too_much: return Cause::too_large;
        case CommandEnd::not_started: return Cause::exhausted;
        default: return Cause::unavailable;
    }
}

class ProcessSource final : public KeySource {
public:
    ProcessSource(Setting command, Surroundings surroundings, Duration longest)
        : command_{std::move(command.value)},
          name_{"the credential_process of " + command.where},
          surroundings_{std::move(surroundings)},
          longest_{longest} {}

    Result<Keys> fetch(const Attempt& attempt) override {
        const CommandRun run = run_command(command_, surroundings_, attempt);
        if (run.end == CommandEnd::exited && run.number == 0) {
            auto keys = keys_from_json(run.output, KeysFrom::process);
            if (!keys) keys.error().message = "of its output, " + keys.error().message;
            return keys;
        }
        return fail({.cause = cause_of(run.end),
                     .effect = Effect::none,
                     .origin = Origin::application,
                     .code = "credential-process",
                     .message = words_for(run)});
    }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] Duration longest() const noexcept override { return longest_; }

private:
    std::string command_;
    std::string name_;
    Surroundings surroundings_;
    Duration longest_;
};

}  // namespace

std::unique_ptr<KeySource> process_source(Setting command, const Surroundings& surroundings,
                                          Duration longest) {
    return std::make_unique<ProcessSource>(std::move(command), surroundings, longest);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// perdure run: a command under attempts, backoff, timeout and deadline. The loop is the library's;
// here is only what an attempt is.
#include <algorithm>
#include <memory>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "perdure/call/caller.hpp"
#include "policy_flags.hpp"
#include "run/run_outcome.hpp"
#include "run/run_report.hpp"
#include "run/supervisor.hpp"
#include "text/output.hpp"

namespace tool {

namespace {

struct RunOptions {
    PolicyFlags policy;
    Meaning meaning;
    Duration spread{};
    Duration kill_after = 2s;
    bool once = false;
    bool json = false;
    bool quiet = false;
    std::vector<std::string> command;
};

constexpr const char* run_closing = R"(Examples:
  perdure run -- curl -fsS https://example.org/health
  perdure run --attempts 6 --timeout 10s --deadline 1m --stop-on 2 -- ./sync.sh
  perdure run --once --unchanged-on 75 -- ./charge-card.sh

D is a duration: 50ms, 1.5s, 2m, 1h30m.

A command may be repeated unless --once is given: then it is repeated only where it
surely did nothing, by its own word (--unchanged-on) or because it never began.

Exit status: the command's own; 124 when time was up (--timeout of the last attempt,
--deadline), 125 for wrong flags, 126 when the command cannot be executed, 127 when it is
not found, 128+N when signal N ended the command or perdure. In --retry-on and --stop-on
the same numbers stand for the same things.)";

// A tenth of the deadline at most: enough to end a command in peace, without costing it its work.
Duration reserve_of(const RunOptions& options) {
    if (!options.policy.deadline) return {};
    return std::min(options.kill_after, *options.policy.deadline / 10);
}

Plan plan_of(const RunOptions& options) {
    Plan plan = plan_from(options.policy, "command");
    // A budget weighs the retries of many calls against their successes; this process makes one
    // call, and knows nothing of its neighbours.
    plan.budget.kind = BudgetKind::none;
    plan.spread = options.spread;
    plan.shortest_attempt = reserve_of(options);
    return plan;
}

std::string contradictions_in(const RunOptions& options) {
    if (options.policy.deadline && options.spread >= *options.policy.deadline)
        return "--spread must be shorter than --deadline";
    for (const int status : options.meaning.retry_on) {
        const std::string number = std::to_string(status);
        if (options.meaning.stop_on.contains(status))
            return number + " stands in both --retry-on and --stop-on";
        if (options.once && !options.meaning.unchanged_on.contains(status))
            return "--once repeats only what changed nothing; if that is what " + number +
                   " means, say so: --unchanged-on " + number;
    }
    return problems_with(plan_of(options));
}

int run(const RunOptions& options) {
    if (const std::string wrong = contradictions_in(options); !wrong.empty()) {
        say("perdure run: " + wrong + "\nperdure run --help lists what there is.");
        return exit_code::usage;
    }
    hold_standard_streams();
    adopt_orphans();
    Signals signals;
    ListeningClock clock{signals};
    Supervisor supervisor{
        options.command, signals, clock, {options.kill_after, reserve_of(options)}};
    RunReport report{options.quiet ? Voice::quiet : Voice::speaks, options.policy.attempts};
    Diagnostics diagnostics;
    Caller caller{plan_of(options), {.clock = clock, .observer = &report}};
    Operation operation{.name = "run", .safety = options.once ? Safety::once : Safety::idempotent};
    operation.stop = signals.stop();
    operation.diagnostics = &diagnostics;
    const auto result = caller.run(operation, [&](const Attempt& attempt) {
        return classify(supervisor.run(attempt), options.meaning, options.command.front());
    });
    const int status = exit_status_of(result, signals.ended_by());
    if (options.json)
        say(to_json({options.command.front(), status, result, diagnostics, report.waited()}));
    return status;
}

}  // namespace

void add_run(CommandLine& line) {
    auto options = std::make_shared<RunOptions>();
    Section section =
        line.command("run", "run a command under attempts, backoff, timeout and deadline");
    section.wraps(options->command);
    add_policy_flags(section, options->policy);
    section.flag("--once", options->once, "do not repeat what may have taken effect");
    section.statuses("--unchanged-on", options->meaning.unchanged_on,
                     "exit statuses that mean: nothing was changed");
    section.statuses("--retry-on", options->meaning.retry_on, "repeat only these exit statuses");
    section.statuses("--stop-on", options->meaning.stop_on, "never repeat these");
    section.duration("--spread", options->spread,
                     "a random wait of up to this before the first attempt",
                     {.preset = "none", .zero = Zero::allowed});
    section.duration("--kill-after", options->kill_after, "from SIGTERM to SIGKILL when time is up",
                     {.preset = "2s", .zero = Zero::allowed});
    section.flag("--quiet", options->quiet, "no line about attempts on standard error");
    section.flag("--json", options->json,
                 "a summary as one line of JSON, the last one on standard error");
    section.closing(run_closing);
    section.runs([options] { return run(*options); });
}

}  // namespace tool

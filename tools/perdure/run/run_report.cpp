// SPDX-License-Identifier: Apache-2.0
#include "run/run_report.hpp"

#include <utility>

#include "text/duration_text.hpp"
#include "text/json_text.hpp"
#include "text/output.hpp"

namespace tool {

namespace {

std::string why(Stop stop) {
    switch (stop) {
        case Stop::permanent: return "this is not repeated";
        case Stop::unsafe:
            return "not repeated, because it may have taken effect and --once was given";
        case Stop::attempts: return "no attempts left";
        case Stop::deadline: return "no time left before the deadline";
        case Stop::cancelled: return "asked to stop";
        default: return std::string{to_string(stop)};
    }
}

bool never_began(const Failure& failure) {
    return failure.cause == Cause::not_found || failure.cause == Cause::forbidden;
}

}  // namespace

std::string RunReport::attempt_text(const Event& event) const {
    std::string text = "perdure: attempt " + std::to_string(event.number);
    if (attempts_ > 0) text += " of " + std::to_string(attempts_);
    text += event.failure ? " failed" : " was cut off";
    text += " after " + in_words(event.took);
    return event.failure ? text + ": " + event.failure->message : text;
}

void RunReport::on_event(const Event& event) noexcept {
    // Counted by when it ended, since a signal may cut it short.
    if (std::exchange(waits_, event.kind == EventKind::waiting)) waited_ += event.at - wait_began_;
    wait_began_ = event.at;

    std::string line;
    if (event.kind == EventKind::attempt_failed || event.kind == EventKind::attempt_cut_off) {
        attempt_ = attempt_text(event);
    } else if (event.kind == EventKind::waiting) {
        line = event.number == 0 ? "perdure: first attempt in "
                                 : std::exchange(attempt_, {}) + "; next one in ";
        line += in_words(event.wait);
    } else if (event.kind == EventKind::finished && event.failure) {
        line = attempt_.empty() ? "perdure: no further attempt" : std::exchange(attempt_, {});
        line += "; gave up after " + in_words(event.elapsed) + ": " + why(event.stop);
    }
    // A command that cannot be run at all is worth a word also to those who asked for none.
    const bool missing =
        event.kind == EventKind::finished && event.failure && never_began(*event.failure);
    if (missing) line = "perdure: " + event.failure->message;
    if (!line.empty() && (voice_ == Voice::speaks || missing)) say(line);
}

std::string to_json(const Summary& summary) {
    const Diagnostics& seen = summary.diagnostics;
    const Result<void>& result = summary.result;
    const auto attempts = static_cast<long long>(seen.attempts().size() + seen.left_out());
    JsonLine line;
    line.text("command", summary.command).number("exit_status", summary.exit_status);
    line.number("attempts", attempts);
    line.number("last_status", seen.attempts().empty() ? -1 : seen.attempts().back().status);
    line.text("stop", to_string(seen.stop()));
    line.text("effect", to_string(result ? Effect::applied : result.error().effect));
    line.raw("elapsed_ms", in_milliseconds(seen.elapsed()))
        .raw("waited_ms", in_milliseconds(summary.waited));
    line.raw("diagnostics", seen.to_json());
    return std::move(line).end();
}

}  // namespace tool

// SPDX-License-Identifier: Apache-2.0
#include "get/get_outcome.hpp"

#include <algorithm>
#include <utility>

#include "exit_code.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {

std::string_view why(Stop stop) {
    switch (stop) {
        case Stop::permanent: return "repeating would not help";
        case Stop::unsafe: return "not repeated, because that might do it twice";
        case Stop::attempts: return "no attempts left";
        case Stop::deadline: return "no time left before the deadline";
        case Stop::cancelled: return "asked to stop";
        default: return to_string(stop);
    }
}

std::string_view where(Phase phase) {
    switch (phase) {
        case Phase::pool: return "waiting for a free connection";
        case Phase::dns: return "looking up the name";
        case Phase::connect: return "connecting";
        case Phase::tls: return "shaking hands for TLS";
        case Phase::send: return "sending the request";
        case Phase::first_byte: return "waiting for the answer";
        case Phase::body: return "reading the answer";
    }
    return "?";
}

std::string what(const Failure& failure, const Phases* phases) {
    if (failure.cause == Cause::cancelled)
        return phases ? "stopped while " + std::string{where(phases->reached)}
                      : std::string{"stopped"};
    const std::string& words = failure.message;
    std::string text = words.empty() ? std::string{to_string(failure.cause)} : words;
    text += " [" + (failure.code.empty() ? std::string{to_string(failure.cause)} : failure.code);
    if (phases) text += ", while " + std::string{where(phases->reached)};
    return text + "]";
}

std::string_view effect_words(const GetOutcome& outcome, const Phases* phases) {
    const Effect effect = outcome.result.error().effect;
    const bool sent = phases && phases->sent != Sent::nothing;
    if (outcome.asked.request.safety() == Safety::read && (sent || effect != Effect::none))
        return "a read changes nothing";
    if (effect == Effect::applied)
        return "the server said yes and only its answer was lost: it took effect";
    if (effect == Effect::none) return sent ? "it took no effect" : "nothing was sent";
    if (!sent) return "an earlier attempt was sent; whether it took effect is unknown";
    if (phases->sent == Sent::partly)
        return "a part of the request was sent; whether it took effect is unknown";
    return "the request was sent; whether it took effect is unknown";
}

std::string counted(int attempts) {
    return std::to_string(attempts) + (attempts == 1 ? " attempt" : " attempts");
}

bool out_of_time(const Failure& failure) {
    return failure.stop == Stop::deadline || failure.cause == Cause::timed_out;
}

}  // namespace

void Legs::on_event(const Event& event) noexcept {
    if (event.kind == EventKind::call_started) {
        if (any_) {
            earlier_.push_back(std::exchange(ended_, {}));
            earlier_json_.push_back(std::exchange(ended_json_, {}));
        }
        if (!std::exchange(any_, true)) first_ = event.at;
        began_ = event.at - first_;
    } else if (event.kind == EventKind::finished) {
        ended_ = {began_, diagnostics_.attempts(), diagnostics_.left_out()};
        ended_json_ = diagnostics_.to_json();
    }
}

std::vector<Leg> Legs::all() const {
    std::vector<Leg> all = earlier_;
    // Asked again: what was cut off at the end is noted after it.
    all.push_back({began_, diagnostics_.attempts(), diagnostics_.left_out()});
    return all;
}

int Legs::attempts() const {
    std::size_t count = diagnostics_.attempts().size() + diagnostics_.left_out();
    for (const Leg& leg : earlier_) count += leg.attempts.size() + leg.left_out;
    return static_cast<int>(count);
}

const http::Response* answer_of(const GetOutcome& outcome) {
    if (outcome.result) return &*outcome.result;
    const Failure& failure = outcome.result.error();
    const bool complete = failure.cause != Cause::corrupt && !failure.code.ends_with("-timeout");
    return failure.status != 0 && complete && failure.status == outcome.last_answer.status
               ? &outcome.last_answer
               : nullptr;
}

const Phases* deciding_phases(const std::vector<AttemptRecord>& attempts) {
    const auto decides = [](const AttemptRecord& record) {
        return record.phases && !record.cut_off;
    };
    const auto won = std::ranges::find_if(
        attempts, [&](const auto& record) { return decides(record) && record.succeeded; });
    if (won != attempts.end()) return &*won->phases;
    const auto last = std::find_if(attempts.rbegin(), attempts.rend(), decides);
    // Cut off with nothing else under way: the caller was stopped in the middle of it. The loser of a
    // race began before the other's end.
    const auto stopped = [&] {
        const AttemptRecord& end = attempts.back();
        return end.cut_off && end.phases &&
               (last == attempts.rend() || end.started >= last->started + last->took);
    };
    if (!attempts.empty() && stopped()) return &*attempts.back().phases;
    return last == attempts.rend() ? nullptr : &*last->phases;
}

int exit_status_of(const GetOutcome& outcome) {
    if (outcome.result) return exit_code::success;
    const Failure& failure = outcome.result.error();
    if (failure.stop == Stop::cancelled && outcome.ended_by != 0)
        return exit_code::signal_offset + outcome.ended_by;
    const bool read = outcome.asked.request.safety() == Safety::read;
    const Effect effect = read ? Effect::none : failure.effect;
    if (effect == Effect::applied) return get_status::answer_lost;
    if (effect == Effect::unknown) return get_status::unknown;
    if (answer_of(outcome)) return get_status::failure_answered;
    return out_of_time(failure) ? exit_code::timed_out : get_status::nothing_done;
}

std::string sentence(const GetOutcome& outcome) {
    std::string text = outcome.asked.request.method() + " " + outcome.asked.shown + ": ";
    const std::string spent =
        counted(outcome.legs.attempts()) + " and " + in_words(outcome.legs.elapsed());
    if (outcome.result)
        return text + std::to_string(outcome.result->status) + " after " + spent + ".";
    const Failure& failure = outcome.result.error();
    const auto attempts = outcome.diagnostics.attempts();
    const Phases* const phases = deciding_phases(attempts);
    if (answer_of(outcome))
        text += "the server answered " + std::to_string(failure.status) + " " + failure.message;
    else text += what(failure, phases);
    text += "; " + std::string{effect_words(outcome, phases)};
    return text + "; gave up after " + spent + ": " + std::string{why(failure.stop)} + ".";
}

}  // namespace tool

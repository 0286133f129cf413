// SPDX-License-Identifier: Apache-2.0
#include "promises/support/tally.hpp"

#include <string_view>

namespace perdure::promises {
namespace {

void count(CallCounts& calls, Word word, int effects) {
    ++calls.calls;
    if (effects > 1) ++calls.doubled;
    else if (word == Word::unknown) ++calls.unknown;
    else if ((word == Word::done) != (effects == 1)) ++calls.wrong_word;
    else if (word == Word::done) ++calls.done_once;
    else ++calls.not_done;
}

// Numbers and the ids of requests differ from call to call: "after 1.2 s" and "after 1.3 s" are one
// reason.
std::string without_numbers(std::string text) {
    constexpr std::string_view id = ", request ";
    if (const auto at = text.find(id); at != std::string::npos)
        text.erase(at, text.find(';', at) - at);
    std::string plain;
    for (const char c : text) {
        if (c >= '0' && c <= '9') {
            if (!plain.ends_with('#')) plain += '#';
        } else {
            plain += c;
        }
    }
    return plain;
}

}  // namespace

Told told_by(const Failure& failure) {
    return {failure.effect == Effect::none ? Word::not_done : Word::unknown, to_string(failure)};
}

Tally tally_of(const std::vector<CallNote>& notes, const Break& at, const Effects& effects) {
    Tally tally;
    for (std::size_t number = 0; number < notes.size(); ++number) {
        const CallNote& note = notes[number];
        const auto found = effects.find(static_cast<std::int64_t>(number));
        const int times = found == effects.end() ? 0 : found->second;
        count(tally.all, note.told.word, times);
        if (note.ended <= at.from) continue;
        count(note.began < at.until ? tally.in_flight : tally.later, note.told.word, times);
        if (!note.told.why.empty()) ++tally.failures[without_numbers(note.told.why)];
    }
    return tally;
}

}  // namespace perdure::promises

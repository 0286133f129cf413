// SPDX-License-Identifier: Apache-2.0
//
// Who wants to know? Something that watches calls without being able to slow or fail them.
//
//     perdure::LineLog log{[](std::string_view line) noexcept { std::clog << line << '\n'; }};
//     perdure::Caller users{plan, {.observer = &log}};
#pragma once

#include <string>
#include <string_view>

#include "perdure/call/event.hpp"

namespace perdure {
inline namespace v0 {

class Diagnostics;

// Called on the thread that makes the call, possibly from many at once; must be quick.
class Observer {
public:
    virtual ~Observer();
    virtual void on_event(const Event& event) noexcept = 0;
    // An observer that wants calls is handed the whole record of each one that ended, whether its
    // owner asked for a record or not. Calls that an exception ended are not told.
    [[nodiscard]] virtual bool wants_calls() const noexcept;
    virtual void on_call(const Diagnostics& call) noexcept;
};

// One line for each failed attempt and for each call that ended without success.
class LineLog final : public Observer {
public:
    using Sink = void (*)(std::string_view line) noexcept;
    explicit LineLog(Sink sink) noexcept : sink_{sink} {}
    void on_event(const Event& event) noexcept override;

private:
    Sink sink_;
};

// "users load-profile: attempt 2 failed after 31 ms: timed_out, effect unknown"; empty for events
// that are not worth a line.
std::string to_line(const Event& event);

}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// What does a service want to hear over HTTP, and what do its answers mean? Written by each room that
// stands on HTTP; turned by http::Client, blocking or not.
//
//     class GetItem final : public http::Conversation {
//         http::Route& route(const Attempt&) override { return table_.route(); }
//         Result<void> write(std::string& out, const Attempt&, Duration) override { … sign … }
//         Result<void> judge(http::Response& response, const Attempt&) override { … classify … }
//     };
//
// It never repeats anything itself: that is Progress's business.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/call/attempt.hpp"
#include "perdure/http/parser.hpp"
#include "perdure/http/response.hpp"
#include "perdure/landed.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

class Route;  // where a request goes, with its connections: Client::route()

// What is done with a body in gzip. It is unpacked while it is received, in bounded steps, so that the
// attempt's timeout and the limits hold for the work too. A body that is damaged or too large fails the
// attempt, or with `unpack_if_valid` stays as it was received.
enum class GzipBody : std::uint8_t { keep, unpack, unpack_if_valid };

// Belongs to one call and is used by its thread.
class Conversation {
public:
    Conversation() = default;
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;
    virtual ~Conversation();

    // Whether this attempt can begin: zero, or how long until it is worth asking again, while
    // something that it needs is fetched elsewhere. A failure is the attempt's; nothing was sent.
    [[nodiscard]] virtual Result<Duration> ready(const Attempt& attempt, TimePoint now);
    // Where this attempt goes; asked once for each that is ready, also for copies.
    [[nodiscard]] virtual Route& route(const Attempt& attempt) = 0;
    // Appends the whole request. Asked once for each attempt, when its connection is ready, so that
    // signatures are fresh; `left` is the time this attempt has.
    [[nodiscard]] virtual Result<void> write(std::string& out, const Attempt& attempt,
                                             Duration left) = 0;
    // Sent after that, from where it lies: a body too large to be copied for each attempt.
    [[nodiscard]] virtual std::string_view large_body() const noexcept { return {}; }
    [[nodiscard]] virtual Answering answering() const noexcept { return Answering::with_body; }
    // For an answer of this status; asked once its head is there.
    [[nodiscard]] virtual GzipBody gzip_body(int status) const noexcept;
    // A failure if the answer is one. May change the response, which then goes to the caller.
    [[nodiscard]] virtual Result<void> judge(Response& response, const Attempt& attempt) = 0;
    // The place's name, for records; empty: the route's host and port.
    [[nodiscard]] virtual std::string place(const Attempt& attempt) const;
    // How the attempt ended; null: well. For marks on endpoints; and what a room knows better of a
    // failure, its remedies or its rule, is said here.
    virtual void ended(const Attempt& attempt, Failure* failure, TimePoint now);

    // How can it be found out whether an attempt took effect whose outcome is unknown? By another
    // conversation, a read, which lives as long as this one. Null: there is no way. Asked for once.
    [[nodiscard]] virtual Conversation* question() { return nullptr; }
    // What the answer to it says; `since` is the time from the end of the last attempt to the question,
    // for a request that is lost may still arrive. After `yes` the call gives back the response.
    [[nodiscard]] virtual Landed<void> landed(Response& answer, Duration since);
};

}  // namespace http
}  // namespace v0
}  // namespace perdure

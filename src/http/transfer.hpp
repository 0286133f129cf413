// SPDX-License-Identifier: Apache-2.0
//
// How does one attempt get through? A place in the pool, a name, a connection, TLS, the request out,
// the answer in: a state machine that never waits. It is sent once, whatever happens.
#pragma once

#include <optional>
#include <string>

#include "perdure/call/attempt.hpp"
#include "perdure/call/phases.hpp"
#include "perdure/http/conversation.hpp"
#include "perdure/net/dial.hpp"
#include "route.hpp"
#include "unpacking.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Until when an attempt may set up its connection, how long it then has, and when all is over.
struct TransferTimes {
    TimePoint started{};
    TimePoint set_up_until = TimePoint::max();
    Duration timeout = never;
    TimePoint end = TimePoint::max();
};

// Used by one thread at a time. Dying before the end cuts it off on the wire.
class Transfer {
public:
    // Without a conversation it ends as soon as it has a connection, and dying leaves that in the pool.
    Transfer(Route& route, Conversation* talk, const Attempt& attempt, const TransferTimes& times,
             net::Waker& waker);
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    ~Transfer();

    // Goes on until it has ended (true) or says what it waits for.
    bool turn(TimePoint now, net::Wants& wants);
    // After its end.
    [[nodiscard]] Result<Response>& outcome() noexcept { return *outcome_; }
    // Ends it early. What can have happened is in the failure.
    void cancel(TimePoint now);

    [[nodiscard]] const Attempt& attempt() const noexcept { return attempt_; }
    [[nodiscard]] const Phases& phases() const noexcept { return phases_; }
    // TimePoint::min() until the connection is ready.
    [[nodiscard]] TimePoint connected_at() const noexcept { return connected_at_; }
    // For reactors, which remember the connection's descriptor with it. Null while there is none.
    [[nodiscard]] Connection* connection() noexcept { return connection_.get(); }

private:
    enum class Stage : std::uint8_t {
        fresh,
        queued,
        waiting_to_dial,
        resolving,
        dialling,
        tunnelling,
        handshaking,
        exchanging,
        unpacking,  // all of the answer is here
        ended
    };

    bool advance(TimePoint now, net::Wants& wants);  // true: look again, the stage has changed
    bool wait_for_place(TimePoint now, net::Wants& wants);
    bool wait_to_dial(TimePoint now, net::Wants& wants);
    void reuse(std::unique_ptr<net::Pooled> pooled, TimePoint now);
    bool resolve(TimePoint now, net::Wants& wants);
    bool dial(TimePoint now, net::Wants& wants);
    bool tunnel(TimePoint now, net::Wants& wants);
    bool handshake(TimePoint now, net::Wants& wants);
    bool exchange(TimePoint now, net::Wants& wants);
    bool send(TimePoint now, net::Wants& wants);
    // last_words: the connection is lost, and what came before is read, all of it, to be unpacked later.
    enum class Reading : std::uint8_t { as_it_comes, last_words };
    bool receive(TimePoint now, net::Wants& wants, Reading reading = Reading::as_it_comes);
    bool take_in(std::string_view bytes, TimePoint now);
    void begin_unpacking();
    bool unpack(std::size_t& room, TimePoint now);
    bool unpack_rest(TimePoint now, net::Wants& wants);
    bool unreadable(Failure failure, TimePoint now);

    void not_resolved(Failure failure, TimePoint now);
    void not_connected(Failure failure, TimePoint now);
    void not_connected_in_time(Failure failure, TimePoint now);
    void use(net::Socket socket, TimePoint now);
    void refused_by_proxy(std::string_view problem, int error, TimePoint now);
    void talk_over_it(TimePoint now);
    void connected(TimePoint now);
    void complete(TimePoint now);
    void finish(TimePoint now);
    void lost(net::Io io, net::Doing doing, TimePoint now);
    void fail_with(Failure failure, TimePoint now);
    void time_out(TimePoint now);
    void enter(Phase phase, TimePoint now);
    [[nodiscard]] TimePoint limit() const noexcept;
    [[nodiscard]] bool all_sent() const noexcept { return sent_ == bytes_.size() + rest_.size(); }
    // What the answer so far proves; else what the bytes that left us allow.
    [[nodiscard]] Effect effect_so_far() const;

    Route& route_;
    Conversation* const talk_;
    net::Waker& waker_;
    Attempt attempt_;
    const TransferTimes times_;
    TimePoint until_ = TimePoint::max();  // of the request, once connected
    TimePoint connected_at_ = TimePoint::min();
    TimePoint phase_began_{};
    Phases phases_{};
    Stage stage_ = Stage::fresh;
    net::Pool::Place place_;
    net::Lookup lookup_;
    std::unique_ptr<net::Dial> dial_;  // most attempts find a connection in the pool
    net::Socket raw_;                  // while a proxy is asked for a tunnel
    std::unique_ptr<Connection> connection_;
    std::string bytes_;      // lent by the connection while there is one
    std::string_view rest_;  // of the request, sent from where it lies
    std::size_t sent_ = 0;
    ResponseParser parser_;
    bool head_taken_ = false;
    GzipBody gzip_body_ = GzipBody::keep;
    std::unique_ptr<Unpacking> unpacking_;  // null: the body is taken as it comes
    bool waited_ = false;                   // since the connection was ready
    bool more_than_asked_ = false;          // bytes after the end of the answer
    std::optional<Result<Response>> outcome_;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure

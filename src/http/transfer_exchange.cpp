// SPDX-License-Identifier: Apache-2.0
//
// The request out, the answer in, and what can have happened if it went wrong.
#include <algorithm>
#include <array>
#include <utility>

#include "perdure/http/classify.hpp"
#include "transfer.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// So that a fast peer cannot keep us from looking at the clock.
constexpr int most_reads_at_once = 16;
constexpr std::size_t most_sent_at_once = 4'194'304;
constexpr std::size_t read_size = 16'384;
// Bytes of gzip read and written together: less than a millisecond's work.
constexpr std::size_t most_unpacked_at_once = 262'144;
// An idle connection costs memory as long as it lives.
constexpr std::size_t most_kept = 1024;

struct Overdue {
    std::string_view code;
    std::string_view message;
};

constexpr Overdue overdue(Phase phase) noexcept {
    switch (phase) {
        case Phase::pool: return {"pool-full", "no connection became free in time"};
        case Phase::dns: return {"dns-timeout", "the name was not resolved in time"};
        case Phase::connect: return {"connect-timeout", "no connection in time"};
        case Phase::tls: return {"tls-timeout", "the TLS handshake did not end in time"};
        case Phase::send: return {"send-timeout", "the request could not be sent in time"};
        case Phase::first_byte: return {"first-byte-timeout", "no answer in time"};
        case Phase::body: return {"body-timeout", "the answer did not end in time"};
    }
    return {};
}

}  // namespace

void Transfer::enter(Phase phase, TimePoint now) {
    phases_[phases_.reached] += now - phase_began_;
    phases_.reached = phase;
    phase_began_ = now;
}

void Transfer::connected(TimePoint now) {
    connected_at_ = now;
    until_ = std::min(after(now, times_.timeout), times_.end);
    enter(Phase::send, now);
    stage_ = Stage::exchanging;
    bytes_ = std::move(connection_->bytes);
    bytes_.clear();
    sent_ = 0;
    if (!talk_) {
        outcome_.emplace(Response{});
        stage_ = Stage::ended;
        return;
    }
    parser_.expect(talk_->answering());
    // We may have been woken long after the time was over: nothing is sent then.
    if (now >= until_) return time_out(now);
    if (auto written = talk_->write(bytes_, attempt_, until_ - now); !written) {
        Failure failure = std::move(written.error());
        failure.effect = Effect::none;
        return fail_with(std::move(failure), now);
    }
    rest_ = talk_->large_body();
}

bool Transfer::exchange(TimePoint now, net::Wants& wants) {
    const bool had_sent = all_sent();
    // An answer that came early is read before a write can find the connection closed behind it.
    if (waited_ && !receive(now, wants)) return true;
    if (!had_sent && !send(now, wants)) return true;
    // Nobody answers in no time: straight after sending, waiting is cheaper than looking.
    const bool all = all_sent();
    waited_ = true;
    net::Stream& stream = *connection_->stream;
    // A server may answer before it has heard all.
    if (!all) wants.add(stream.fd(), net::Ready::both);
    else wants.add(stream.fd(), had_sent ? stream.blocked_on() : net::Ready::read);
    return false;
}

// True while there is reason to wait.
bool Transfer::send(TimePoint now, net::Wants& wants) {
    const std::size_t until_look = sent_ + most_sent_at_once;
    while (!all_sent()) {
        if (sent_ >= until_look) return wants.until(now), true;
        const std::string_view next = sent_ < bytes_.size() ? std::string_view{bytes_}.substr(sent_)
                                                            : rest_.substr(sent_ - bytes_.size());
        const net::Io io = connection_->stream->write(next.substr(0, most_sent_at_once));
        if (io.kind == net::IoKind::would_block) return true;
        if (io.kind != net::IoKind::done) {
            // Its reason may have come before the end of the connection: a 413, say.
            net::Wants unused;
            if (phases_.sent != Sent::nothing &&
                (!receive(now, unused, Reading::last_words) || stage_ == Stage::ended))
                return false;
            return lost(io, net::Doing::sending, now), false;
        }
        sent_ += io.bytes;
        phases_.sent = std::max(phases_.sent, Sent::partly);
    }
    if (phases_.sent == Sent::response_begun) return true;
    phases_.sent = Sent::all;
    enter(Phase::first_byte, now);
    return true;
}

// False when it has ended.
bool Transfer::receive(TimePoint now, net::Wants& wants, Reading reading) {
    std::array<char, read_size> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): written
    std::size_t room = most_unpacked_at_once;
    for (int reads = 0; reads < most_reads_at_once; ++reads) {
        if (unpacking_ && reading == Reading::as_it_comes) {
            if (!unpack(room, now)) return false;
            if (unpacking_ && unpacking_->more()) break;
        }
        const net::Io io = connection_->stream->read(buffer);
        switch (io.kind) {
            case net::IoKind::would_block: return true;
            case net::IoKind::failed: return lost(io, net::Doing::receiving, now), false;
            case net::IoKind::closed:
                if (parser_.begun() && parser_.end_of_stream() == Parsed::complete) complete(now);
                else lost(io, net::Doing::receiving, now);
                return false;
            case net::IoKind::done:
                // None of ours: TLS has been busy with itself, and may be for long.
                if (io.bytes > 0 && !take_in({buffer.data(), io.bytes}, now)) return false;
        }
    }
    wants.until(now);  // more is there: be back at once, with the time
    return true;
}

bool Transfer::take_in(std::string_view bytes, TimePoint now) {
    if (phases_.sent != Sent::response_begun) {
        phases_.sent = Sent::response_begun;
        enter(Phase::body, now);
    }
    std::size_t used = 0;
    const Parsed parsed = parser_.feed(bytes, used);
    if (!head_taken_ && parser_.head_complete()) begin_unpacking();
    if (unpacking_) unpacking_->received_more();
    switch (parsed) {
        case Parsed::more: return true;
        case Parsed::complete:
            more_than_asked_ = used < bytes.size();
            complete(now);
            return false;
        case Parsed::broken: break;
    }
    fail_with({.cause = parser_.kind() == Problem::too_large ? Cause::too_large : Cause::corrupt,
               .effect = effect_so_far(),
               .origin = Origin::network,
               .status = parser_.head_complete() ? parser_.status() : 0,
               .code = parser_.kind() == Problem::too_large ? "too-large" : "malformed",
               .message = std::string{parser_.problem()}},
              now);
    return false;
}

// The connection is free for others while the rest of the body is unpacked.
void Transfer::complete(TimePoint now) {
    const bool again = parser_.keep_alive() && !more_than_asked_ && all_sent();
    if (again) {
        if (bytes_.capacity() <= most_kept) connection_->bytes = std::move(bytes_);
        place_.give_back(std::move(connection_), now);
    }
    connection_.reset();
    place_.leave();
    stage_ = Stage::unpacking;
    if (!unpacking_) finish(now);
}

void Transfer::finish(TimePoint now) {
    enter(Phase::body, now);
    outcome_.emplace(parser_.take());
    stage_ = Stage::ended;
    if (!unpacking_) return;
    if (auto finished = unpacking_->finish(**outcome_); !finished)
        unreadable(std::move(finished.error()), now);
}

void Transfer::begin_unpacking() {
    head_taken_ = true;
    gzip_body_ = talk_->gzip_body(parser_.status());
    if (gzip_body_ != GzipBody::keep && is_gzip(parser_.headers()))
        unpacking_ = std::make_unique<Unpacking>(route_.options.limits.decompressed);
}

// As much as there is room for. False when it has ended.
bool Transfer::unpack(std::size_t& room, TimePoint now) {
    if (room == 0 || !unpacking_->more()) return true;
    auto did = unpacking_->step(parser_.body(), room);
    if (!did) return unreadable(std::move(did.error()), now);
    room -= std::min(room, *did);
    return true;
}

bool Transfer::unpack_rest(TimePoint now, net::Wants& wants) {
    std::size_t room = most_unpacked_at_once;
    if (!unpack(room, now)) return true;
    if (unpacking_ && unpacking_->more()) return wants.until(now), false;
    finish(now);
    return true;
}

// True if the body can be left as it was received.
bool Transfer::unreadable(Failure failure, TimePoint now) {
    unpacking_.reset();
    if (gzip_body_ == GzipBody::unpack_if_valid) return true;
    failure.effect = parser_.status() / 100 == 2 ? Effect::applied : Effect::unknown;
    fail_with(std::move(failure), now);
    return false;
}

// The connection ended before the answer did.
void Transfer::lost(net::Io io, net::Doing doing, TimePoint now) {
    Failure failure = net::tls_failure(*connection_->stream, io, doing);
    if (parser_.begun()) {
        failure.set_cause(Cause::corrupt);
        failure.code = "truncated";
        failure.message = "the connection ended in the middle of the answer";
        failure.status = parser_.head_complete() ? parser_.status() : 0;
    }
    // Also for a late word about certificates: the server may have read the request before.
    failure.effect = effect_so_far();
    fail_with(std::move(failure), now);
}

Effect Transfer::effect_so_far() const {
    if (!parser_.head_complete()) return effect_of(phases_.sent);
    if (parser_.status() < 300) return Effect::applied;
    if (parser_.status() < 400) return Effect::unknown;
    return row_of(parser_.status()).effect;
}

void Transfer::time_out(TimePoint now) {
    const auto [code, message] = overdue(phases_.reached);
    const bool ours = phases_.reached == Phase::pool;
    Failure failure{.cause = ours ? Cause::exhausted : Cause::timed_out,
                    .effect = effect_so_far(),
                    .origin = ours ? Origin::application : Origin::network,
                    .code = std::string{code},
                    .message = std::string{message}};
    if (phases_.reached < Phase::send) failure.effect = Effect::none;
    if (phases_.reached == Phase::dns || phases_.reached == Phase::connect)
        return not_connected_in_time(std::move(failure), now);
    if (parser_.head_complete() && phases_.reached == Phase::body)
        failure.status = parser_.status();
    fail_with(std::move(failure), now);
}

void Transfer::cancel(TimePoint now) {
    if (stage_ == Stage::ended) return;
    fail_with({.cause = Cause::cancelled,
               .effect = phases_.reached < Phase::send ? Effect::none : effect_so_far(),
               .origin = Origin::application},
              now);
}

void Transfer::fail_with(Failure failure, TimePoint now) {
    enter(phases_.reached, now);
    outcome_.emplace(fail(with_row(std::move(failure))));
    stage_ = Stage::ended;
    if (connection_) connection_->cut();
    connection_.reset();
    dial_.reset();
    raw_.close();
    lookup_ = {};
    place_.leave();
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

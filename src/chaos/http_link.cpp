// SPDX-License-Identifier: Apache-2.0
//
// A link that knows where requests and replies begin and end. A request is read whole before the
// rules are asked; a reply streams through unless it is to be rewritten. What is not changed goes on
// byte by byte as it came.
#include <algorithm>
#include <utility>

#include "chaos/cutter.hpp"
#include "chaos/link.hpp"
#include "chaos/messages.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

namespace {

// Enough for pipelined requests that wait their turn.
constexpr std::size_t most_waiting = 67'108'864;

class HttpLink final : public Link {
public:
    using Link::Link;
    void begin() override;

private:
    // tunnel: bytes go both ways unread, after CONNECT, a 101 or a reply that is no HTTP.
    enum class Phase : std::uint8_t { reading, replying, replied, tunnel };

    void received(Toward from, std::string_view bytes) override;
    void ended(Toward side) override;
    void broke(Toward side) override;
    void last_write(Toward side) override;
    void all_written(Toward side) override;

    [[nodiscard]] bool ends_with(Fault fault) const noexcept {
        return verdict_.ending && verdict_.ending->fault == fault;
    }
    [[nodiscard]] bool keeps_reply() const noexcept {
        return ends_with(Fault::reset_after) || ends_with(Fault::swallow_reply) ||
               ends_with(Fault::replace_reply);
    }
    void strike(When forwarding) { Link::strike(*verdict_.ending, forwarding, record_); }
    void read_requests();
    void refuse_request();
    void decide();
    void answer_ourselves(TimePoint due);
    void forward();
    void from_server(std::string_view bytes);
    void server_ended();
    void begin_reply();
    void relay_reply(std::string_view bytes);
    void pass_reply(std::string_view bytes, std::size_t head);
    void end_reply();
    void end_unreadable(std::string_view bytes);
    void send_paced(Toward toward, std::string_view bytes, std::size_t fast, TimePoint due);
    void finish();
    void go_on();

    Phase phase_ = Phase::reading;
    std::string waiting_;  // read from the client, not yet looked at
    std::string raw_;      // the request in hand
    std::string held_;     // the reply that is to be rewritten
    http::RequestParser request_;
    http::ResponseParser reply_;
    Verdict verdict_;
    Cutter cutter_;
    Record record_;
    std::vector<const Rule*> reply_rewrites_;
    std::uint64_t replied_ = 0;
    bool continued_ = false;
    bool in_hand_ = false;  // there is a request without a finished record
};

void HttpLink::begin() {
    verdict_ = around_.judge->connection();
    if (!verdict_.ending) return;
    Link::strike(*verdict_.ending, When::before, connection());
    around_.closed_until =
        std::max(around_.closed_until, after(now(), verdict_.ending->closed_for));
    reset_client();
}

void HttpLink::received(Toward from, std::string_view bytes) {
    if (phase_ == Phase::tunnel) return send(other(from), bytes);
    if (from == Toward::server) return from_server(bytes);
    if (waiting_.size() + bytes.size() > most_waiting) return drain();
    waiting_ += bytes;
    read_requests();
}

// Requests.

void HttpLink::read_requests() {
    while (phase_ == Phase::reading && open() && !waiting_.empty()) {
        std::size_t used = 0;
        const http::Parsed parsed = request_.feed(waiting_, used);
        raw_.append(waiting_, 0, used);
        waiting_.erase(0, used);
        if (parsed == http::Parsed::broken) return refuse_request();
        if (parsed == http::Parsed::complete) {
            decide();
            continue;
        }
        // The client waits for a word before it sends the body; the server has not seen the head.
        if (request_.head_complete() && request_.expects_continue() &&
            !std::exchange(continued_, true))
            send(Toward::client, "HTTP/1.1 100 Continue\r\n\r\n");
    }
}

void HttpLink::refuse_request() {
    around_.book.count(&Counters::malformed);
    send(Toward::client, refused(request_.kind()));
    drain();
}

// Queries hold tokens; records are kept in files and printed by tests that fail.
std::string_view path_of(std::string_view target) { return target.substr(0, target.find('?')); }

void HttpLink::decide() {
    record_ = {.connection = connection().connection,
               .request = ++around_.requests,
               .method = request_.method(),
               .path = std::string{path_of(request_.target())},
               .id = std::string{request_.headers().find(around_.id_header).value_or("")},
               .accepted = connection().accepted,
               .read = now()};
    in_hand_ = true;
    around_.book.count(&Counters::requests);
    verdict_ = around_.judge->request(
        {request_.method(), request_.target(), request_.headers(), request_.body()});
    cutter_.arm(verdict_.plan, verdict_.markers);
    for (const Rule* rule : verdict_.shaping)
        Link::strike(*rule, toward_of(*rule) == Toward::server ? When::before : When::after,
                     record_);
    if (ends_with(Fault::reset_before)) {
        strike(When::before);
        finish();
        reset_client();
    } else if (ends_with(Fault::black_hole)) {
        strike(When::before);
        finish();
        fall_silent();
    } else if (ends_with(Fault::inject)) {
        strike(When::before);
        record_.status = verdict_.ending->status;
        answer_ourselves(now() + verdict_.delay[index(Toward::server)] +
                         verdict_.delay[index(Toward::client)]);
    } else {
        forward();
    }
}

void HttpLink::answer_ourselves(TimePoint due) {
    const std::string reply = injected(*verdict_.ending, request_.method());
    phase_ = Phase::replied;
    replied_ = reply.size();
    send_paced(Toward::client, reply, reply.find("\r\n\r\n") + 4, due);
}

void HttpLink::forward() {
    if (continued_) raw_ = without_expect(raw_, request_.head_bytes());
    if (const auto rules = rewrites_toward(Toward::server, verdict_.rewrites); !rules.empty()) {
        raw_ = rewritten(request_, rules);
        for (const Rule* rule : rules) Link::strike(*rule, When::before, record_);
    }
    const auto cut = cutter_.pass(Toward::server, raw_, *around_.judge);
    const std::string_view passed = std::string_view{raw_}.substr(0, cut ? cut->pass : raw_.size());
    reply_.expect(http::answering(request_.method()));
    reply_rewrites_ = rewrites_toward(Toward::client, verdict_.rewrites);
    replied_ = 0;
    phase_ = Phase::replying;
    connect();
    if (!open()) return;
    send_paced(Toward::server, passed, raw_.find("\r\n\r\n") + 4,
               now() + verdict_.delay[index(Toward::server)]);
    record_.bytes_to_server = passed.size();
    if (!cut) return;
    const bool whole = passed.size() == raw_.size();
    if (whole) record_.forwarded = now();
    if (whole) around_.book.count(&Counters::forwarded);
    Link::strike(*cut->rule, whole ? When::after : When::before, record_);
    finish();
    reset_client();
}

// The first `fast` bytes are not slowed by a drip that is for the body alone.
void HttpLink::send_paced(Toward toward, std::string_view bytes, std::size_t fast, TimePoint due) {
    const Rule* drip = verdict_.drip[index(toward)];
    if (!drip || drip->part == Part::whole) fast = 0;
    fast = std::min(fast, bytes.size());
    send(toward, bytes.substr(0, fast), {.due = due});
    send(toward, bytes.substr(fast),
         {.due = due, .piece = drip ? drip->bytes : 0, .every = drip ? drip->delay : Duration{}});
}

void HttpLink::all_written(Toward side) {
    if (side == Toward::client) {
        if (phase_ == Phase::replied) finish();
        if (phase_ == Phase::reading) go_on();
        return;
    }
    if (phase_ != Phase::replying || record_.forwarded) return;
    record_.forwarded = now();
    around_.book.count(&Counters::forwarded);
    if (!ends_with(Fault::half_open) || !open()) return;
    strike(When::after);
    finish();
    fall_silent();
}

void HttpLink::last_write(Toward side) {
    // Before the client can have its answer, so that whoever has one finds it in the book.
    if (side == Toward::client && phase_ == Phase::replied) finish();
}

void HttpLink::finish() {
    if (!std::exchange(in_hand_, false)) return;
    record_.bytes_to_client = replied_;
    record_.ended = now();
    around_.book.write(std::exchange(record_, {}));
    if (phase_ == Phase::tunnel) return;
    phase_ = Phase::reading;
    continued_ = false;
    raw_.clear();
    held_.clear();
    request_.next();
}

void HttpLink::go_on() {
    if (!open()) return;
    read_requests();
    if (phase_ == Phase::reading && has_ended(Toward::client) && open()) drain();
}

// Replies.

void HttpLink::from_server(std::string_view bytes) {
    // What nobody asked for: a server that says 408 before it closes, or talks too much.
    if (phase_ != Phase::replying) return send(Toward::client, bytes);
    begin_reply();
    std::size_t used = 0;
    const http::Parsed parsed = reply_.feed(bytes, used);
    if (parsed == http::Parsed::broken) return end_unreadable(bytes);
    relay_reply(bytes.substr(0, used));
    if (parsed != http::Parsed::complete || phase_ != Phase::replying || !open()) return;
    end_reply();
    if (used < bytes.size() && open()) received(Toward::server, bytes.substr(used));
}

void HttpLink::begin_reply() {
    // A server may answer before it has all of the request; then it is not forwarded.
    if (!record_.answered) record_.answered = now();
}

void HttpLink::relay_reply(std::string_view bytes) {
    if (keeps_reply()) return;
    if (!reply_rewrites_.empty()) held_ += bytes;
    else pass_reply(bytes, reply_.head_complete() ? reply_.head_bytes() : replied_ + bytes.size());
}

// `head`: the part of the whole reply that is not its body.
void HttpLink::pass_reply(std::string_view bytes, std::size_t head) {
    const auto cut = cutter_.pass(Toward::client, bytes, *around_.judge);
    if (cut) bytes = bytes.substr(0, cut->pass);
    const bool closes =
        ends_with(Fault::close_after) && replied_ + bytes.size() >= verdict_.ending->bytes;
    if (closes) bytes = bytes.substr(0, verdict_.ending->bytes - replied_);
    send_paced(Toward::client, bytes, head - std::min<std::size_t>(head, replied_),
               *record_.answered + verdict_.delay[index(Toward::client)]);
    replied_ += bytes.size();
    if (!cut && !closes) return;
    if (record_.status == 0) record_.status = reply_.status();
    Link::strike(closes ? *verdict_.ending : *cut->rule, When::after, record_);
    finish();
    if (closes) drain();
    else reset_client();
}

void HttpLink::end_reply() {
    around_.book.count(&Counters::answered);
    record_.status = reply_.status();
    if (keeps_reply()) {
        strike(When::after);
        // The record keeps the server's own status: what was done, not what was said of it.
        if (ends_with(Fault::replace_reply))
            return answer_ourselves(*record_.answered + verdict_.delay[index(Toward::client)]);
        finish();
        if (ends_with(Fault::reset_after)) return reset_client();
        drop_server();
        return fall_silent();
    }
    const bool opens_tunnel = http::answering(request_.method()) == http::Answering::connect &&
                              reply_.status() / 100 == 2;
    if (!reply_rewrites_.empty()) {
        for (const Rule* rule : reply_rewrites_) Link::strike(*rule, When::after, record_);
        const std::string changed = rewritten(reply_.take(), reply_rewrites_);
        pass_reply(changed, changed.find("\r\n\r\n") + 4);
        if (!in_hand_) return;  // cut on its way
    }
    phase_ = opens_tunnel ? Phase::tunnel : Phase::replied;
    if (opens_tunnel || nothing_for(Toward::client)) finish();
    if (phase_ == Phase::reading) go_on();
}

// No HTTP, or one that turns into something else: from here on we only pass on.
void HttpLink::end_unreadable(std::string_view bytes) {
    record_.status = reply_.status();
    if (reply_.status() != 101) around_.book.count(&Counters::malformed);
    if (keeps_reply()) {
        end_reply();
        if (open()) drain();  // a replaced reply; what follows on the server's side is no reply
        return;
    }
    replied_ += held_.size() + bytes.size();
    send(Toward::client, held_);
    send(Toward::client, bytes);
    phase_ = Phase::tunnel;
    finish();
    send(Toward::server, std::exchange(waiting_, {}));
}

// Ends.

void HttpLink::ended(Toward side) {
    if (phase_ == Phase::tunnel) {
        shut(other(side));
        if (has_ended(other(side))) drain();
    } else if (side == Toward::server) {
        server_ended();
    } else if (phase_ == Phase::reading) {
        drain();
    } else {
        shut(Toward::server);
    }
}

void HttpLink::server_ended() {
    if (phase_ == Phase::replying) {
        if (reply_.end_of_stream() == http::Parsed::complete) {
            end_reply();
        } else {
            around_.book.count(&Counters::upstream_failed);
            replied_ += held_.size();
            send(Toward::client, held_);
            finish();
        }
    }
    if (open()) drain();
}

void HttpLink::broke(Toward /*side*/) {
    phase_ = Phase::tunnel;
    finish();
}

}  // namespace

std::unique_ptr<Link> http_link(Surroundings& around, net::Socket client, TimePoint now) {
    return std::make_unique<HttpLink>(around, std::move(client), now);
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

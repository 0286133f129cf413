// SPDX-License-Identifier: Apache-2.0
//
// A link whose bytes mean nothing to us. "The request" is what the client sends first, "the reply"
// what the server sends after that: a server may speak before it is asked.
#include <algorithm>
#include <utility>

#include "chaos/cutter.hpp"
#include "chaos/link.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

namespace {

class TcpLink final : public Link {
public:
    using Link::Link;
    void begin() override;

private:
    void received(Toward from, std::string_view bytes) override;
    void ended(Toward side) override;
    void broke(Toward /*side*/) override {}
    void all_written(Toward side) override;

    [[nodiscard]] bool ends_with(Fault fault) const noexcept {
        return verdict_.ending && verdict_.ending->fault == fault;
    }
    void strike(When forwarding) { Link::strike(*verdict_.ending, forwarding, connection()); }
    void from_client(std::string_view bytes);
    void from_server(std::string_view bytes);
    void relay(Toward toward, std::string_view bytes);
    void cut(const Rule& rule, When forwarding);
    [[nodiscard]] Pace pace(Toward toward) const noexcept;

    Verdict verdict_;
    Cutter cutter_;
    std::shared_ptr<const Plan> cut_plan_;  // keeps the rule of `awaits_answer_`
    const Rule* awaits_answer_ = nullptr;   // the link is cut when the server says something
    std::uint64_t replied_ = 0;
    bool swallowing_ = false;
    bool deaf_ = false;  // what the client says is dropped
};

void TcpLink::begin() {
    verdict_ = around_.judge->connection();
    if (verdict_.ending) switch (verdict_.ending->fault) {
            case Fault::refuse:
                strike(When::before);
                around_.closed_until =
                    std::max(around_.closed_until, after(now(), verdict_.ending->closed_for));
                return reset_client();
            case Fault::black_hole: strike(When::before); return fall_silent();
            case Fault::inject:
                strike(When::before);
                send(Toward::client, verdict_.ending->body, pace(Toward::client));
                return drain();
            default: break;
        }
    for (const Rule* rule : verdict_.shaping)
        Link::strike(*rule, toward_of(*rule) == Toward::server ? When::before : When::after,
                     connection());
    connect();
}

Pace TcpLink::pace(Toward toward) const noexcept {
    const Rule* drip = verdict_.drip[index(toward)];
    return {.due = now() + verdict_.delay[index(toward)],
            .piece = drip ? drip->bytes : 0,
            .every = drip ? drip->delay : Duration{}};
}

void TcpLink::received(Toward from, std::string_view bytes) {
    // A connection outlives plans: a pool's links are cut by the markers of today's.
    if (!cutter_.is_for(around_.judge->plan())) cutter_.arm_all(around_.judge->plan());
    if (from == Toward::client) from_client(bytes);
    else from_server(bytes);
}

void TcpLink::from_client(std::string_view bytes) {
    if (deaf_) return;
    if (!connection().read) connection().read = now();
    if (ends_with(Fault::reset_before)) {
        strike(When::before);
        return reset_client();
    }
    relay(Toward::server, bytes);
}

void TcpLink::all_written(Toward side) {
    if (side != Toward::server || connection().forwarded) return;
    connection().forwarded = now();
    around_.book.count(&Counters::forwarded);
    if (!ends_with(Fault::half_open) || !open()) return;
    strike(When::after);
    fall_silent();
}

void TcpLink::from_server(std::string_view bytes) {
    const bool reply = connection().forwarded.has_value();
    if (reply && !connection().answered) {
        connection().answered = now();
        around_.book.count(&Counters::answered);
    }
    if (awaits_answer_) return cut(*std::exchange(awaits_answer_, nullptr), When::after);
    if (deaf_) return;
    if (reply && ends_with(Fault::reset_after)) {
        strike(When::after);
        return reset_client();
    }
    if (reply && ends_with(Fault::swallow_reply)) {
        if (!std::exchange(swallowing_, true)) strike(When::after);
        return;
    }
    if (!ends_with(Fault::close_after)) return relay(Toward::client, bytes);
    const std::uint64_t left = verdict_.ending->bytes - replied_;
    if (bytes.size() < left) return relay(Toward::client, bytes);
    relay(Toward::client, bytes.substr(0, left));
    if (!open()) return;
    strike(reply ? When::after : When::before);
    drain();
}

void TcpLink::relay(Toward toward, std::string_view bytes) {
    const auto found = cutter_.pass(toward, bytes, *around_.judge);
    const std::string_view passed = found ? bytes.substr(0, found->pass) : bytes;
    if (toward == Toward::client) replied_ += passed.size();
    Pace paced = pace(toward);
    if (found) paced.due = after(paced.due, found->rule->delay);
    send(toward, passed, paced);
    if (!found) return;
    if (found->rule->when == When::answered) {
        cut_plan_ = around_.judge->plan();
        awaits_answer_ = found->rule;
        return;
    }
    const bool marker_passed = toward == Toward::client || found->rule->when == When::after;
    cut(*found->rule, marker_passed ? When::after : When::before);
}

void TcpLink::cut(const Rule& rule, When forwarding) {
    Link::strike(rule, forwarding, connection());
    switch (rule.then) {
        case Then::reset: return reset_client();
        case Then::half_open:
            return abandon_server(rule.open_for == 0ns ? TimePoint::max()
                                                       : after(now(), rule.open_for));
        case Then::swallow: deaf_ = true; return;
    }
}

void TcpLink::ended(Toward side) {
    shut(other(side));
    if (has_ended(Toward::server) && has_ended(Toward::client)) drain();
}

}  // namespace

std::unique_ptr<Link> tcp_link(Surroundings& around, net::Socket client, TimePoint now) {
    return std::make_unique<TcpLink>(around, std::move(client), now);
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

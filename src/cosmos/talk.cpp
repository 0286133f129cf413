// SPDX-License-Identifier: Apache-2.0
//
// What is sent. Where it goes is in talk_places.cpp, what comes back in talk_answers.cpp.
#include "talk.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "further_headers.hpp"
#include "perdure/time/id.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

void append_number(std::string& out, std::size_t number) {
    std::array<char, 20> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), written.ptr);
}

// About one item: a feed is asked for with POST too, and only reads.
bool is_point(const Envelope& envelope, const Order& order) {
    return envelope.resource == Resource::item &&
           (envelope.verb != Verb::post || order.safety() != Safety::read);
}

// Most stories are shown to nobody; the next one on this thread gets their memory.
thread_local std::unique_ptr<Story> spare_story;

}  // namespace

Talk::Talk(Client::Inside& client, Order& order, const CallOptions& options, Errand errand)
    : client_{client},
      order_{&order},
      about_{nullptr},
      options_{options},
      errand_{errand},
      id_{errand.purpose == Purpose::call ? new_id() : std::string{}},
      facts_{.id = id_} {}

Talk::Talk(Talk& about)
    : client_{about.client_},
      order_{nullptr},
      about_{&about},
      options_{about.options_},
      errand_{},
      facts_{about.facts_} {}

// Who took long is shown to whoever wants to see it.
Talk::~Talk() {
    if (about_ || errand_.purpose != Purpose::call || !client_.options.slow.show) return;
    const Story* const told = story();
    const SlowCalls& slow = client_.options.slow;
    if (told && told->call.attempts_made() > 0 &&
        told->call.elapsed() >= (is_point(envelope_, *order_) ? slow.point : slow.other))
        slow.show(*told);
    if (own_story_) spare_story = std::move(own_story_);
}

Story* Talk::story() noexcept {
    if (about_) return about_->story();
    return options_.story ? options_.story : own_story_.get();
}

Result<void> Talk::describe() {
    envelope_ = {};
    PERDURE_TRY(order_->describe(envelope_, facts_));
    const bool of_items = envelope_.container && envelope_.resource == Resource::item;
    shelved_ = of_items ? &client_.containers.at(*envelope_.container) : nullptr;
    if (about_ || options_.headers.empty()) return {};
    return add_headers(envelope_, options_.headers);
}

Result<void> Talk::open() {
    PERDURE_TRY(describe());
    if (options_.session.find_first_of("\r\n") != std::string::npos)
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "invalid-session-token",
                     .message = "the session token has a line end in it"});
    if (!about_ && errand_.purpose == Purpose::call && client_.options.slow.show && !options_.story)
        own_story_ = spare_story ? std::move(spare_story) : std::make_unique<Story>();
    return {};
}

Operation Talk::operation() {
    const Environment& environment = client_.options.environment;
    const TimePoint now = environment.clock.now();
    if (Story* const told = story()) {
        const ContainerName none;
        const ContainerName& name = envelope_.container ? *envelope_.container : none;
        const auto level = wanted_consistency();
        told->begin({.operation = order_->operation(),
                     .database = name.database,
                     .container = name.container,
                     .consistency = level ? to_string(*level) : std::string_view{}});
    }
    // A copy in the same place would not help, and the account may have asked for none.
    Copies copies = errand_.purpose == Purpose::call ? Copies::none : Copies::as_planned;
    if (errand_.purpose == Purpose::probe) copies = Copies::none;
    if (client_.options.hedge_after && errand_.purpose == Purpose::call && shelved_ &&
        does() == Does::read) {
        const auto topology = client_.regions->now(now);
        RegionList reads = topology ? topology->reads : RegionList{};
        leave_out_excluded(reads);
        if (topology && topology->may_hedge && reads.size() > 1) copies = Copies::as_planned;
    }
    Duration attempt_timeout{};
    if (options_.deadline.at() != TimePoint::max())
        attempt_timeout = std::max(options_.deadline.left(now) / 3, Duration{1ms});
    return {.name = order_->operation(),
            .safety = order_->safety(),
            .nested = options_.nested,
            .copies = copies,
            .deadline = options_.deadline,
            .attempt_timeout = attempt_timeout,
            .stop = options_.stop,
            .prepare = prepare_,
            .amend = options_.amend ? FunctionRef<bool(const Failure&)>{amend_}
                                    : FunctionRef<bool(const Failure&)>{},
            .places = places(),
            .diagnostics = story() ? &story()->call : nullptr};
}

bool Talk::Amend::operator()(const Failure& failure) const {
    if (!talk->options_.amend(failure)) return false;
    Talk& self = *talk;
    self.known_.reset();
    self.spots_ = {};  // they may be of another range's health
    self.container_ticket_ = 0;
    self.did_without_ = false;
    // A question about the old one must not answer for the new.
    self.open_.clear();
    self.order_->forget_question();
    if (self.question_) {
        self.question_->order_ = nullptr;
        self.question_->envelope_ = {};
    }
    return self.describe().has_value();
}

Result<void> Talk::write(std::string& out, const Attempt& attempt, Duration) {
    if (about_ && envelope_.path.empty()) {
        if (!order_) return fail({.cause = Cause::invalid, .origin = Origin::application});
        PERDURE_TRY(open());
    }
    Sent& now_sent = sent(attempt);
    if (question_) open_.emplace_back(attempt.number, now_sent.region);
    out.append(to_string(envelope_.verb)).append(" ").append(envelope_.path);
    out.append(" HTTP/1.1\r\nHost: ").append(now_sent.region->host).append("\r\n");
    out.append(client_.head);
    append_authorization(out, attempt);
    const std::string another =
        attempt.number == 1 && !id_.empty() ? std::string{} : new_id();  // for each attempt
    const std::string& activity = another.empty() ? id_ : another;
    out.append("x-ms-activity-id: ").append(activity).append("\r\n");
    if (Leg* const leg = story() ? story()->find(attempt.number) : nullptr)
        leg->activity_id = activity;
    if (envelope_.resource == Resource::item) {
        append_session(out, now_sent, attempt.clock->now());
        if (does() == Does::write) {
            out.append("x-ms-noretry-449: True\r\n");
            if (client_.options.writes == Writes::every_region)
                out.append("x-ms-cosmos-allow-tentative-writes: true\r\n");
        } else if (about_) {
            append_strategy(out);
        } else if (const auto level = wanted_consistency()) {
            out.append("x-ms-consistency-level: ").append(to_string(*level)).append("\r\n");
        }
    }
    out.append(envelope_.fields);
    if (!envelope_.body.empty()) {
        out.append("Content-Type: ").append(envelope_.content_type);
        out.append("\r\nContent-Length: ");
        append_number(out, envelope_.body.size());
        out.append("\r\n");
    } else if (envelope_.verb == Verb::post || envelope_.verb == Verb::put) {
        out.append("Content-Length: 0\r\n");
    }
    out.append("\r\n");
    if (large_body().empty()) out.append(envelope_.body);
    return {};
}

// A question reads a quorum of the region's replicas, whatever the account's level: Session and the weaker
// levels read one replica, which may not have the write yet. A strong account's own reads are stronger.
// Gateways refuse requests with both this field and x-ms-consistency-level.
void Talk::append_strategy(std::string& out) const {
    if (topology_ && topology_->consistency == Consistency::strong) return;
    out.append("x-ms-cosmos-read-consistency-strategy: LatestCommitted\r\n");
}

void Talk::append_authorization(std::string& out, const Attempt& attempt) {
    const Duration skew{client_.skew.load(std::memory_order_relaxed)};
    Sent& now_sent = sent(attempt);
    now_sent.skew = skew;
    now_sent.dated = attempt.clock->wall();
    const WallTime at = http::corrected(now_sent.dated, skew);
    out.append("x-ms-date: ");
    const std::size_t begin = out.size();
    append_date(out, at);
    const std::size_t length = out.size() - begin;
    out.append("\r\nauthorization: ");
    if (token_) {
        append_token_authorization(out, token_->kind, token_->text);
    } else {
        std::array<char, 40> date{};  // `out` may move while it is written to
        const std::size_t kept = std::min(length, date.size());
        out.copy(date.data(), kept, begin);
        client_.key->append_authorization(out, {.verb = to_string(envelope_.verb),
                                                .type = type_of(envelope_.resource),
                                                .link = envelope_.link,
                                                .date = {date.data(), kept}});
    }
    out.append("\r\n");
}

bool Talk::wants_session() const noexcept {
    if (!shelved_ || !given_session().empty() || envelope_.session == Envelope::Session::none ||
        !topology_)
        return false;
    const Consistency level = wanted_consistency().value_or(topology_->consistency);
    return level == Consistency::session && (does() == Does::read || topology_->multi_write) &&
           shelved_->sessions.any();
}

void Talk::append_session(std::string& out, Sent& now_sent, TimePoint now) {
    if (const std::string_view given = given_session(); !given.empty()) {
        out.append("x-ms-session-token: ").append(given).append("\r\n");
        return;
    }
    now_sent.range.clear();
    if (!wants_session()) return;
    const PartitionRange* range = nullptr;
    if (known_ && !shelved_->fits_sessions(*known_)) {
        if (known_->news < shelved_->sessions.news()) client_.clerk->suggest(*shelved_, now);
    } else if (known_ && known_->ranges) {
        if (!envelope_.range.empty()) range = known_->ranges->find(envelope_.range);
        else if (envelope_.key) range = Shelved::range_of(known_.get(), *envelope_.key);
    }
    if (range) now_sent.range = range->id;
    constexpr std::string_view name = "x-ms-session-token: ";
    std::string value;
    if (range) shelved_->sessions.append_for(value, *range);
    else shelved_->sessions.append_all(value);
    if (!value.empty()) out.append(name).append(value).append("\r\n");
}

std::string_view Talk::large_body() const noexcept {
    constexpr std::size_t small = 16'384;  // one TLS record: up to there one write is cheaper
    return envelope_.body.size() > small ? std::string_view{envelope_.body} : std::string_view{};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

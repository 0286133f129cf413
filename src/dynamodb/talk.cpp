// SPDX-License-Identifier: Apache-2.0
#include "talk.hpp"

#include <charconv>
#include <utility>

#include "checksum.hpp"
#include "perdure/dynamodb/classify.hpp"
#include "perdure/time/id.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::string_view target_prefix = "DynamoDB_20120810.";

void append_number(std::string& out, std::size_t number) {
    std::array<char, 20> digits{};
    const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    out.append(digits.data(), written.ptr);
}

// The keys are on their way; asking again soon costs nobody anything.
Failure no_keys_yet() {
    return {.cause = Cause::credentials,
            .effect = Effect::none,
            .origin = Origin::application,
            .remedies = {},
            .rule = "credentials-wait",
            .code = "no-credentials-yet",
            .message = "the credentials are being fetched"};
}

Failure expired_for_good() {
    return {.cause = Cause::forbidden,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "expired-credentials",
            .message = "the service calls the credentials expired, and there are no others"};
}

// Whether it is the service that speaks. Somebody on the way may say 200 too, to a page for logging in.
bool is_the_services(const http::Response& response) {
    const auto type = response.headers.find("content-type");
    return !type || type->find("json") != std::string_view::npos ||
           response.headers.find("x-amzn-requestid");
}

}  // namespace

Talk::Talk(Client::Inside& client, Order& order, const CallOptions& options)
    : client_{client},
      order_{&order},
      about_{nullptr},
      options_{options},
      id_{new_id()},
      facts_{.id = id_,
             .began = http::corrected(client.options.environment.clock.wall(), client.skew.told())},
      skew_{client.skew} {}

Talk::Talk(Talk& about)
    : client_{about.client_},
      order_{nullptr},
      about_{&about},
      options_{about.options_},
      facts_{about.facts_},
      skew_{about.client_.skew} {}

Talk::~Talk() {
    if (!about_) skew_.keep();
}

Result<void> Talk::open() {
    target_.reserve(48);
    target_.append(target_prefix).append(order_->operation());
    body_.reserve(512);
    return order_->append_body(body_, facts_);
}

// A repeat that comes when its token is forgotten would be done a second time.
Deadline Talk::ends_by() const noexcept {
    const Duration most = order_->lasts();
    if (most == never) return options_.deadline;
    return options_.deadline.tighter(Deadline::in(most, client_.options.environment.clock.now()));
}

Operation Talk::operation() noexcept {
    const bool adapts = client_.options.adapt == Adapt::per_table;
    return {.name = order_->operation(),
            .safety = order_->safety(),
            .nested = options_.nested,
            .deadline = ends_by(),
            .stop = options_.stop,
            .prepare = prepare_,
            .limiter = adapts ? client_.caller->limiter(order_->table()) : nullptr,
            .diagnostics = options_.diagnostics};
}

Result<void> Talk::Prepare::operator()(RemedySet remedies, const Attempt&) const {
    if (!remedies.has(Remedy::refresh_credentials) || !talk->keys_) return {};
    talk->refused_ = talk->keys_;
    talk->client_.credentials->renew(*talk->keys_);
    return {};
}

Result<std::shared_ptr<const Keys>> Talk::keys_now(WallTime now) {
    std::shared_ptr<const Keys> keys = client_.credentials->current(now);
    if (keys && (!refused_ || *keys != *refused_)) return keys;
    if (keys) return fail(expired_for_good());
    if (auto problem = client_.credentials->problem()) return fail(*std::move(problem));
    return fail(no_keys_yet());
}

Result<void> Talk::write(std::string& out, const Attempt& attempt, Duration) {
    if (!order_) {  // a question, which is put into words when it is asked
        order_ = about_->order_->question();
        if (!order_) return fail({.cause = Cause::invalid, .origin = Origin::application});
        PERDURE_TRY(open());
    }
    const WallTime now = attempt.clock->wall();
    auto keys = keys_now(now);
    if (!keys) return keys.take_failure();
    keys_ = *std::move(keys);
    signed_for(attempt) = {now, skew().used()};

    out.append(client_.head);
    append_number(out, body_.size());
    out.append("\r\n");
    std::string later;
    if (attempt.number != 1) {
        later = "attempt=";
        append_number(later, static_cast<std::size_t>(attempt.number));
        later.append(client_.most_attempts);
    }
    const std::string_view which = later.empty() ? client_.first_attempt : later;
    client_.signer->append_headers(out, *keys_, skew().signing_time(now),
                                   {.host = client_.host,
                                    .target = target_,
                                    .invocation_id = id_,
                                    .attempt = about_ ? std::string_view{} : which,
                                    .body = body_});
    out.append("\r\n");
    if (large_body().empty()) out.append(body_);
    return {};
}

std::string_view Talk::large_body() const noexcept {
    constexpr std::size_t small = 16'384;  // one TLS record: up to there one write is cheaper
    return body_.size() > small ? std::string_view{body_} : std::string_view{};
}

Result<void> Talk::judge(http::Response& response, const Attempt& attempt) {
    const WallTime received = attempt.clock->wall();
    if (verified(response.headers.find("x-amz-crc32"), response.body) == Checksum::wrong)
        return fail(checksum_mismatch({.status = response.status,
                                       .headers = &response.headers,
                                       .operation = order_->operation(),
                                       .now = received}));
    if (!response.ok()) return judge_failure(response, attempt, received);
    skew().heard({}, response.headers, signed_for(attempt).at, received);
    if (auto read = order_->read(response.body); !read) {
        Failure failure = std::move(read.error());
        failure.effect = is_the_services(response) ? Effect::applied : Effect::unknown;
        failure.status = response.status;
        return fail(std::move(failure));
    }
    return {};
}

Result<void> Talk::judge_failure(http::Response& response, const Attempt& attempt,
                                 WallTime received) {
    ServiceError said = parse_error(response.body);
    const auto [sent, used] = signed_for(attempt);
    const auto measured = http::measured_skew(response.headers, sent, received);
    const bool followed = measured && client_.skew.may_follow(*measured);
    skew().heard(said.code, response.headers, sent, received);
    if (order_->recognise(said, facts_) == Order::Whose::ours) return {};
    Failure failure =
        classify({.status = response.status,
                  .headers = &response.headers,
                  .error = &said,
                  .operation = order_->operation(),
                  .skew = followed ? std::optional{SkewEvidence{used, *measured}} : std::nullopt,
                  .now = received});
    if (measured && !followed && is_skew(said.code, used, *measured))
        failure.message +=
            "; " + http::unfollowed(response.headers, received, client_.skew.dates());
    if (options_.error && !about_) *options_.error = std::move(said);
    // Nobody prepares a question, so it sees to its own keys.
    if (about_) PERDURE_TRY(prepare_(failure.remedies, attempt));
    return fail(std::move(failure));
}

http::Conversation* Talk::question() {
    if (!order_ || !order_->has_question()) return nullptr;
    if (!question_) question_.reset(new Talk{*this});
    return question_.get();
}

Landed<void> Talk::landed(http::Response&, Duration since) {
    Landed<void> found = order_->landed(facts_);
    // What is not there yet may still be on its way.
    if (found.verdict() == Verdict::no && since < client_.options.settle)
        return Landed<void>::pending(client_.options.settle - since);
    return found;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

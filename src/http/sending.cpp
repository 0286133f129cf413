// SPDX-License-Identifier: Apache-2.0
#include "sending.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "perdure/http/classify.hpp"
#include "perdure/http/method.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

constexpr bool is_redirect(int status) noexcept {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// As browsers and curl do: 303 always becomes a GET, 301 and 302 only what was a POST.
bool becomes_get(int status, std::string_view method) noexcept {
    if (method == "GET" || method == "HEAD") return false;
    return status == 303 || (status != 307 && status != 308 && method == "POST");
}

// What may follow to another origin. Every other field may be a secret of this one, whatever its
// name is, or say who called. A condition goes along, because a write without it would do more than
// was asked.
constexpr std::array<std::string_view, 11> for_everybody = {
    "Accept",     "Accept-Charset", "Accept-Encoding", "Accept-Language",   "Range",
    "User-Agent", "If-Match",       "If-None-Match",   "If-Modified-Since", "If-Unmodified-Since",
    "If-Range"};
constexpr std::array<std::string_view, 3> about_the_body = {"Content-Type", "Content-Encoding",
                                                            "Content-Language"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) noexcept {
    return std::ranges::any_of(names, [&](std::string_view one) { return same_name(one, name); });
}

Headers for_another_origin(const Request& request) {
    const bool has_body = !request.body().empty();
    Headers kept;
    for (const auto& [name, value] : request.headers())
        if (is_one_of(for_everybody, name) || (has_body && is_one_of(about_the_body, name)))
            kept.add(name, value);
    return kept;
}

// Without its key a repeat is harmless only if the method makes it so.
Safety safety_without_key(const Request& request) noexcept {
    const bool by_key = request.safety() == Safety::guarded && request.key() != Key::none;
    return by_key ? safety_of(request.method()) : request.safety();
}

// The same logical call. Within an origin also the same key and safety; secrets and the key stay with
// the origin they are for.
Request redirected(const Request& from, const Url& to, int status, const PlainTalk& talk,
                   bool same_place) {
    Request request = same_place ? from : from.without_key();
    if (same_place && !talk.key().empty()) request.idempotency_key(talk.key());
    request.headers().remove("host");
    if (!same_place) request.headers() = for_another_origin(request);
    if (becomes_get(status, from.method())) {
        for (const std::string_view name : about_the_body) request.headers().remove(name);
        request.body({}).safety(Safety::read).retarget("GET", to.target);
    } else {
        request.safety(same_place ? from.safety() : safety_without_key(from))
            .retarget(from.method(), to.target);
    }
    return request;
}

// Only 307 and 308 say that the request is yet to be done where they lead.
Effect effect_of_redirect(int status, const Request& request) noexcept {
    const bool undone = status == 307 || status == 308 || request.safety() == Safety::read;
    return undone ? Effect::none : Effect::unknown;
}

Failure body_stays_here(int status, const Url& there, const Request& request) {
    return with_row({.cause = Cause::invalid,
                     .effect = effect_of_redirect(status, request),
                     .origin = Origin::application,
                     .status = status,
                     .code = "redirect-body",
                     .message = "the redirect to " + there.scheme + "://" + host_of(there) +
                                " would take the request's body to another origin "
                                "(bodies_to_other_origins)",
                     .stop = Stop::permanent});
}

}  // namespace

Sending::Sending(Client::Inside& client, const Request& request, const SendOptions& options,
                 net::Waker& waker, TimePoint now)
    : client_{client},
      options_{options},
      waker_{waker},
      operation_{.name = options.name.empty() ? std::string_view{request.method()} : options.name,
                 .nested = options.nested,
                 .deadline = options.deadline,
                 .stop = options.stop,
                 .diagnostics = options.diagnostics},
      redirects_left_{client.options.redirects} {
    auto checked = client.problem ? fail(*client.problem) : check(request);
    if (checked && !request.target().starts_with('/') && request.target() != "*")
        checked = fail({.cause = Cause::invalid,
                        .origin = Origin::application,
                        .code = "invalid-request",
                        .message = "the target must begin with /: the client knows the host"});
    if (!checked) refused_ = checked.take_failure().release();
    else begin(request, nullptr, now);
}

void Sending::begin(const Request& request, Route* fixed, TimePoint now) {
    request_ = &request;
    operation_.safety = request.safety();
    const Tell tell = elsewhere_ ? Tell::nothing : client_.options.tell;
    talk_.emplace(client_, request, options_.last_answer, fixed, tell);
    operation_.places = talk_->places();
    exchange_.emplace(client_.caller, *talk_, operation_, options_.within, waker_, now);
}

bool Sending::turn(TimePoint now, net::Wants& wants) {
    if (refused_) return true;
    do {
        if (!exchange_->turn(now, wants)) return false;
    } while (redirects_left_ > 0 && exchange_->answer() && follow(*exchange_->answer(), now));
    return true;
}

Result<Response> Sending::take() {
    if (refused_) return Fail{std::move(refused_)};
    Result<Response> result = exchange_->take();
    if (result && body_stays_) result = keep_body(*std::move(result));
    // Where the answer lies was not found; what was asked for first has been done all the same.
    if (!result) result.error().effect = join(result.error().effect, before_);
    return result;
}

bool Sending::follow(const Response& response, TimePoint now) {
    const auto location = response.headers.find("location");
    if (!is_redirect(response.status) || !location) return false;
    Url base = talk_->last_route().url;
    base.target = (redirected_ ? "" : talk_->last_route().prefix) + request_->target();
    const auto next = resolve(base, *location);
    // What was secret stays secret: the caller gets the answer and may decide otherwise.
    if (!next || (base.secure() && !next->secure())) return false;
    const bool same_place = same_origin(base, *next);
    const bool changes = becomes_get(response.status, request_->method());
    if (!same_place && !changes && !request_->body().empty() &&
        !client_.options.bodies_to_other_origins) {
        body_stays_ = std::make_unique<Url>(*next);
        return false;
    }
    auto route = client_.route(*next);
    if (!route) return false;
    --redirects_left_;
    elsewhere_ = elsewhere_ || !same_place;
    if (changes && request_->safety() != Safety::read)
        before_ = join(before_, response.status == 303 ? Effect::applied : Effect::unknown);
    operation_.deadline = exchange_->deadline();
    auto moved = std::make_unique<Request>(
        redirected(*request_, *next, response.status, *talk_, same_place));
    exchange_->close();
    exchange_.reset();
    talk_.reset();
    redirected_ = std::move(moved);
    route_ = *std::move(route);
    begin(*redirected_, route_.get(), now);
    return true;
}

Result<Response> Sending::keep_body(Response redirect) {
    Failure failure = body_stays_here(redirect.status, *body_stays_, *request_);
    if (options_.last_answer) *options_.last_answer = std::move(redirect);
    return fail(std::move(failure));
}

void Sending::cancel(TimePoint now) {
    if (exchange_) exchange_->cancel(now);
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

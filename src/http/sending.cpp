// SPDX-License-Identifier: Apache-2.0
#include "sending.hpp"

#include <utility>

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

// The same logical call: the same key, the same safety. Secrets stay with the origin they are for.
Request redirected(const Request& from, const Url& to, int status, const PlainTalk& talk,
                   bool same_place) {
    Request request = from;
    if (!talk.key().empty()) request.idempotency_key(talk.key());
    request.headers().remove("host");
    if (!same_place)
        for (const char* const secret : {"authorization", "cookie", "proxy-authorization"})
            request.headers().remove(secret);
    if (becomes_get(status, from.method())) {
        request.headers().remove("content-type");
        request.body({}).safety(Safety::read).retarget("GET", to.target);
    } else {
        request.safety(from.safety()).retarget(from.method(), to.target);
    }
    return request;
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
    talk_.emplace(client_, request, options_.last_answer, fixed);
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
    auto route = client_.route(*next);
    if (!route) return false;
    --redirects_left_;
    if (becomes_get(response.status, request_->method()) && request_->safety() != Safety::read)
        before_ = join(before_, response.status == 303 ? Effect::applied : Effect::unknown);
    operation_.deadline = exchange_->deadline();
    auto moved = std::make_unique<Request>(
        redirected(*request_, *next, response.status, *talk_, same_origin(base, *next)));
    exchange_->close();
    exchange_.reset();
    talk_.reset();
    redirected_ = std::move(moved);
    route_ = *std::move(route);
    begin(*redirected_, route_.get(), now);
    return true;
}

void Sending::cancel(TimePoint now) {
    if (exchange_) exchange_->cancel(now);
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

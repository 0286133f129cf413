// SPDX-License-Identifier: Apache-2.0
#include "plain_talk.hpp"

#include <array>
#include <string>
#include <utility>

#include "excerpt.hpp"
#include "perdure/http/classify.hpp"
#include "perdure/http/propagation.hpp"
#include "perdure/http/request_writer.hpp"
#include "perdure/time/id.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// The body is as it is; nobody has to look at the field again.
void drop_identity(Response& response) {
    const auto encoding = response.headers.find("content-encoding");
    if (encoding && !response.body.empty() && same_name(*encoding, "identity"))
        response.headers.remove("content-encoding");
}

}  // namespace

PlainTalk::PlainTalk(Client::Inside& client, const Request& request, Response* last_answer,
                     Route* redirected, Tell tell)
    : client_{client},
      request_{request},
      last_answer_{last_answer},
      fixed_{redirected ? redirected : client.only.load(std::memory_order_relaxed)},
      redirected_{redirected != nullptr},
      tell_{tell},
      journey_{client.endpoints},
      answering_{http::answering(request.method())} {
    if (request.key() == Key::per_call) key_ = new_id();
}

const std::string& PlainTalk::url_of(const Attempt& attempt) {
    return journey_.at(attempt.endpoint, attempt.clock->now()).name();
}

Route& PlainTalk::route(const Attempt& attempt) {
    if (fixed_) return *fixed_;
    // Endpoints that a refresh brought may be unreadable; the first that was given is not.
    auto found = client_.route(url_of(attempt));
    if (!found) found = client_.first_route();
    routes_.emplace_back(attempt.number, *std::move(found));
    return *routes_.back().second;
}

Route& PlainTalk::route_of(const Attempt& attempt) const {
    for (const auto& [number, route] : routes_)
        if (number == attempt.number) return *route;
    return *fixed_;
}

Result<void> PlainTalk::write(std::string& out, const Attempt& attempt, Duration left) {
    const Route& to = route_of(attempt);
    if (to.forwarded() && request_.target() == "*")
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "invalid-request",
                     .message = "a proxy cannot be asked for *"});
    std::array<Header, 8> extra;
    std::size_t count = 0;
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) extra[count++] = {name, value};
    };
    const ClientOptions& options = client_.options;
    const Propagated propagated{left, Retries::callers};
    if (tell_ == Tell::deadline_and_retries)
        for (const auto& [name, value] : propagated.headers()) add(name, value);
    add("User-Agent", options.user_agent);
    add("Accept-Encoding", options.encoding == AskFor::gzip ? "gzip" : "");
    add("Authorization", to.authorization);
    add(request_.key_header(), key_);
    if (to.forwarded()) add("Proxy-Authorization", to.options.proxy->authorization);
    const std::string_view path =
        redirected_ || request_.target() == "*" ? std::string_view{} : to.prefix;
    const std::string_view absolute =
        redirected_ ? std::string_view{to.absolute}.substr(0, to.absolute.size() - to.prefix.size())
                    : to.absolute;
    const std::string_view body = large_body().empty() ? request_.body() : std::string_view{};
    append_head(out, request_, to.host, {extra.data(), count}, to.forwarded() ? absolute : path,
                body.size());
    out.append(body);
    return {};
}

std::string_view PlainTalk::large_body() const noexcept {
    // One TLS record: up to there one write is cheaper than two.
    constexpr std::size_t small = 16'384;
    return request_.body().size() > small ? std::string_view{request_.body()} : std::string_view{};
}

GzipBody PlainTalk::gzip_body(int status) const noexcept {
    if (client_.options.encoding == AskFor::plain) return GzipBody::keep;
    // A refusal says what it says, also with a damaged body.
    return is_refusal(status) ? GzipBody::unpack_if_valid : GzipBody::unpack;
}

bool PlainTalk::is_refusal(int status) const noexcept {
    return status >= 400 && !request_.is_answer(status);
}

Result<void> PlainTalk::judge(Response& response, const Attempt& attempt) {
    last_ = &route_of(attempt);
    if (is_refusal(response.status)) {
        Failure failure = classify(response.status, response.headers, attempt.clock->wall());
        if (const std::string said = excerpt_of(response); !said.empty())
            failure.message += ": " + said;
        if (last_answer_) *last_answer_ = std::move(response);
        return fail(std::move(failure));
    }
    if (client_.options.encoding == AskFor::gzip) drop_identity(response);
    return {};
}

void PlainTalk::ended(const Attempt& attempt, Failure* failure, TimePoint now) {
    if (fixed_ || !failure || failure->cause == Cause::cancelled) return;
    if (failure->remedies.has(Remedy::mark_endpoint))
        client_.endpoints.mark(url_of(attempt), now, client_.options.environment.random);
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "exit_code.hpp"
#include "get/get_outcome.hpp"
#include "perdure/http/url.hpp"
#include "text/duration_text.hpp"
#include "text/json_text.hpp"

namespace tool {

namespace {

std::string object(JsonLine line) {
    std::string json = std::move(line).end();
    if (json.ends_with('\n')) json.pop_back();
    return json;
}

void text_or_null(JsonLine& line, std::string_view name, std::string_view value) {
    if (value.empty()) line.raw(name, "null");
    else line.text(name, value);
}

// What lets its reader in, or act as us, does not belong in a log.
std::string shown_value(const http::Header& header) {
    for (const std::string_view secret :
         {"set-cookie", "set-cookie2", "cookie", "authorization", "proxy-authorization",
          "www-authenticate", "proxy-authenticate", "authentication-info"})
        if (http::same_name(header.name, secret)) return "(hidden)";
    if (http::same_name(header.name, "location") ||
        http::same_name(header.name, "content-location"))
        if (const auto url = http::parse_url(header.value); url && !url->userinfo.empty())
            return to_string(*url);
    return std::string{header.value};
}

std::string headers_json(const http::Response* answer) {
    std::string json = "[";
    if (answer)
        for (const http::Header& header : answer->headers) {
            if (json.size() > 1) json += ',';
            json += "[" + json_text(header.name) + "," + json_text(shown_value(header)) + "]";
        }
    return json + "]";
}

Effect effect_of(const GetOutcome& outcome) {
    if (!outcome.result) return outcome.result.error().effect;
    return outcome.asked.request.safety() == Safety::read ? Effect::none : Effect::applied;
}

std::string outcome_json(const GetOutcome& outcome) {
    const Failure* const failure = outcome.result ? nullptr : &outcome.result.error();
    const int status = failure ? failure->status : outcome.result->status;
    const auto attempts = outcome.diagnostics.attempts();
    const Phases* const phases = deciding_phases(attempts);
    JsonLine line;
    line.raw("succeeded", failure ? "false" : "true");
    line.raw("status", status == 0 ? "null" : std::to_string(status));
    text_or_null(line, "cause", failure ? to_string(failure->cause) : "");
    line.text("effect", to_string(effect_of(outcome)));
    line.text("stop", to_string(failure ? failure->stop : Stop::none));
    text_or_null(line, "code", failure ? failure->code : "");
    text_or_null(line, "message", failure ? failure->message : "");
    text_or_null(line, "request_id", failure ? failure->request_id : "");
    text_or_null(line, "sent", phases ? to_string(phases->sent) : "");
    text_or_null(line, "phase", phases ? to_string(phases->reached) : "");
    return object(std::move(line));
}

std::string redirected_json(const Legs& legs) {
    std::string json = "[";
    for (const std::string& one : legs.earlier_json()) json += (json.size() > 1 ? "," : "") + one;
    return json + "]";
}

}  // namespace

std::string to_json(const GetOutcome& outcome, int exit_status) {
    const http::Response* const answer = answer_of(outcome);
    const bool kept = exit_status == exit_code::success && outcome.options.to_file();
    JsonLine line;
    line.text("method", outcome.asked.request.method()).text("url", outcome.asked.shown);
    line.text("safety", to_string(outcome.asked.request.safety()));
    line.number("exit_status", exit_status);
    line.raw("outcome", outcome_json(outcome));
    line.raw("elapsed_ms", in_milliseconds(outcome.legs.elapsed()));
    line.number("attempts", outcome.legs.attempts());
    line.raw("headers", headers_json(answer));
    line.raw("body_bytes", answer ? std::to_string(answer->body.size()) : "null");
    text_or_null(line, "output", kept ? outcome.options.output : "");
    line.raw("redirected", redirected_json(outcome.legs));
    line.raw("diagnostics", outcome.diagnostics.to_json());
    return std::move(line).end();
}

}  // namespace tool

// SPDX-License-Identifier: Apache-2.0
#include "chaos/messages.hpp"

#include <utility>

#include "chaos/judge.hpp"
#include "perdure/http/response_writer.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {

namespace {

void replace(std::string& text, const Rewrite& rewrite) {
    const auto& [header, find, by] = rewrite;
    if (find.empty()) return void(text = by);
    for (std::size_t at = 0; (at = text.find(find, at)) != std::string::npos; at += by.size())
        text.replace(at, find.size(), by);
}

void apply(const std::vector<const Rule*>& rules, http::Headers& headers, std::string& body) {
    for (const Rule* rule : rules) {
        const Rewrite& rewrite = rule->rewrite;
        if (rewrite.header.empty()) {
            replace(body, rewrite);
            continue;
        }
        const auto before = headers.find(rewrite.header);
        if (!before && !rewrite.find.empty()) continue;
        std::string value{before.value_or("")};
        replace(value, rewrite);
        if (value.empty()) headers.remove(rewrite.header);
        else headers.set(rewrite.header, value);
    }
}

bool is_framing(std::string_view name) {
    return http::same_name(name, "content-length") || http::same_name(name, "transfer-encoding") ||
           http::same_name(name, "trailer");
}

const char* reason_of(int status) {
    switch (status) {
        case 200: return "OK";
        case 400: return "Bad Request";
        case 404: return "Not Found";
        case 409: return "Conflict";
        case 413: return "Content Too Large";
        case 429: return "Too Many Requests";
        case 500: return "Internal Server Error";
        case 502: return "Bad Gateway";
        case 503: return "Service Unavailable";
        case 504: return "Gateway Timeout";
        default: return "Injected";
    }
}

}  // namespace

std::vector<const Rule*> rewrites_toward(Toward toward, const std::vector<const Rule*>& rules) {
    std::vector<const Rule*> found;
    for (const Rule* rule : rules)
        if (toward_of(*rule) == toward) found.push_back(rule);
    return found;
}

std::string rewritten(const http::RequestParser& request, const std::vector<const Rule*>& rules) {
    http::Headers headers = request.headers();
    std::string body = request.body();
    apply(rules, headers, body);
    std::string out = request.method() + " " + request.target() + " HTTP/1.1\r\n";
    for (const auto& [name, value] : headers)
        if (!is_framing(name) && !http::same_name(name, "expect"))
            ((out += name) += ": ").append(value) += "\r\n";
    const bool had_body = request.headers().find("content-length").has_value() ||
                          request.headers().find("transfer-encoding").has_value();
    if (had_body || !body.empty()) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return out + "\r\n" + body;
}

std::string rewritten(http::Response reply, const std::vector<const Rule*>& rules) {
    apply(rules, reply.headers, reply.body);
    std::string out;
    http::append_response(out, reply);
    return out;
}

std::string injected(const Rule& rule, std::string_view method) {
    http::Response reply{.status = rule.status, .reason = reason_of(rule.status)};
    for (const auto& [name, value] : rule.headers) reply.headers.add(name, value);
    reply.body = rule.body;
    std::string out;
    http::append_response(out, reply);
    if (http::answering(method) == http::Answering::head) out.resize(out.find("\r\n\r\n") + 4);
    return out;
}

std::string refused(http::Problem problem) {
    const int status = problem == http::Problem::too_large ? 413 : 400;
    http::Response reply{.status = status, .reason = reason_of(status)};
    reply.headers.add("Connection", "close");
    reply.body = "the fault proxy could not read this request\n";
    std::string out;
    http::append_response(out, reply);
    return out;
}

std::string without_expect(std::string_view raw, std::size_t head_bytes) {
    std::string out;
    for (std::size_t at = 0; at < head_bytes;) {
        const std::size_t end = raw.find("\r\n", at) + 2;
        const std::string_view line = raw.substr(at, end - at);
        if (!http::same_name(line.substr(0, line.find(':')), "expect")) out += line;
        at = end;
    }
    return out.append(raw.substr(head_bytes));
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "get/get_request.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "perdure/http/headers.hpp"
#include "perdure/http/method.hpp"
#include "perdure/http/url.hpp"
#include "perdure/try.hpp"
#include "text/small_file.hpp"

namespace tool {

namespace {

constexpr Duration default_deadline = 30s;
constexpr std::size_t megabyte = 1'048'576;
constexpr std::size_t largest_request = 256 * megabyte;

Fail refused(std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "usage",
                 .message = std::move(message)});
}

Fail unreadable(const std::string& name, const std::string& why,
                const std::string& flag = "--body-file") {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "unreadable",
                 .message = flag + ": cannot read '" + name + "': " + why});
}

Result<std::string> read_all(int fd, const std::string& name) {
    std::string text;
    std::array<char, 65536> piece{};
    for (;;) {
        const ssize_t got = read(fd, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return unreadable(name, std::generic_category().message(errno));
        if (got == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(got));
        if (text.size() > largest_request) return unreadable(name, "it has more than 256 MB");
    }
}

std::string contradiction_in(const GetOptions& given, bool has_body) {
    if (given.url.empty()) return "URL is missing: perdure get https://example.org/";
    if (!given.body.empty() && !given.body_file.empty()) return "--body or --body-file; give one";
    const auto streams = std::ranges::count(given.header_files, "-") +
                         (given.body_file == "-" ? 1 : 0) + (given.auth == "file:-" ? 1 : 0);
    if (streams > 1)
        return "standard input can be only one of --body-file, --header-file and --auth";
    if (!given.content_type.empty() && !has_body) return "--content-type without a body";
    if (!given.proxy.empty() && given.no_proxy) return "--proxy or --no-proxy; give one";
    if (given.insecure && !given.ca_file.empty())
        return "--insecure trusts everybody, --ca only some; give one";
    if (given.json && (given.include || given.fail_body))
        return "--json prints one object, with the headers in it; leave --include and --fail-body "
               "out";
    return {};
}

// Of a line 'Name: value'; without a colon: nothing.
std::string_view header_name(std::string_view line) {
    const std::size_t colon = line.find(':');
    return line.substr(0, colon == std::string_view::npos ? 0 : colon);
}

Result<void> add_header(http::Request& request, std::string_view line) {
    const std::size_t colon = header_name(line).size();
    if (colon == 0) return refused("--header: write 'Name: value'");
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
    request.header(line.substr(0, colon), value);
    return {};
}

Result<void> declare_safety(http::Request& request, const std::string& word) {
    constexpr std::array<std::pair<std::string_view, Safety>, 3> words{
        {{"read", Safety::read}, {"idempotent", Safety::idempotent}, {"once", Safety::once}}};
    if (word.empty()) return {};
    const auto* const found = std::ranges::find(words, word, &decltype(words)::value_type::first);
    if (found == words.end())
        return refused("--safety: '" + word + "' is none; write read, idempotent or once");
    request.safety(found->second);
    return {};
}

Result<void> add_answers(http::Request& request, const std::string& list) {
    if (list.empty()) return {};
    std::istringstream words{list + ","};
    for (std::string word; std::getline(words, word, ',');) {
        int status = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), status);
        if (error != std::errc{} || end != word.data() + word.size() || status < 400 ||
            status > 599)
            return refused("--answers: '" + word + "' is not a status from 400 to 599");
        request.answers(status);
    }
    return {};
}

Result<http::Request> request_of(const GetOptions& given, const http::Url& url, std::string body) {
    const bool has_body = !body.empty() || !given.body_file.empty();
    http::Request request{given.method.empty() ? (has_body ? "POST" : "GET") : given.method,
                          url.target};
    for (const std::string& line : given.headers) PERDURE_TRY(add_header(request, line));
    if (has_body) request.body(std::move(body), given.content_type);
    if (given.idempotency_key == GetOptions::new_key) request.idempotency_key();
    else if (!given.idempotency_key.empty()) request.idempotency_key(given.idempotency_key);
    PERDURE_TRY(declare_safety(request, given.safety));
    PERDURE_TRY(add_answers(request, given.answers));
    PERDURE_TRY(http::check(request));
    if (given.hedge && request.safety() != Safety::read)
        return refused("--hedge sends a second copy, so it is for reads only; where " +
                       request.method() + " is one, say --safety read");
    return request;
}

http::ClientOptions client_of(const GetOptions& given, Plan plan) {
    http::ClientOptions client{.plan = std::move(plan)};
    client.tls.ca_file = given.ca_file;
    if (given.insecure) client.tls.verify = net::TlsVerify::off;
    client.limits.body = static_cast<std::size_t>(given.max_body_mb) * megabyte;
    client.limits.decompressed = client.limits.body;
    client.redirects = given.redirects;
    if (given.gzip) client.encoding = http::AskFor::gzip;
    if (given.no_proxy) client.proxy_from = http::ProxyFrom::nowhere;
    if (!given.proxy.empty()) client.proxy_from = http::ProxyFrom::option;
    client.proxy = given.proxy;
    client.user_agent = "perdure/" PERDURE_VERSION;
    return client;
}

std::string origin_of(const http::Url& url) {
    return url.scheme + "://" + (url.userinfo.empty() ? "" : url.userinfo + "@") + host_of(url);
}

Result<http::Url> parsed(const char* flag, const std::string& text) {
    auto url = http::parse_url(text);
    if (url) return url;
    return refused(std::string{flag} + ": " + url.error().message);
}

// Not getenv, which is not safe beside threads.
const char* in_environment(std::string_view name) {
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text{*entry};
        if (text.starts_with(name) && text.substr(name.size()).starts_with('='))
            return *entry + name.size() + 1;
    }
    return nullptr;
}

std::string shown_name(const std::string& name) { return name == "-" ? "standard input" : name; }

Result<std::string> small_file(const std::string& flag, const std::string& name) {
    auto text = read_small_file(name);
    if (!text) return unreadable(shown_name(name), text.error().message, flag);
    // Some editors begin a file of UTF-8 so; it is no part of a name or a secret.
    if (constexpr std::string_view mark = "\xef\xbb\xbf"; text->starts_with(mark))
        text->erase(0, mark.size());
    return text;
}

void trim_end(std::string& text) { text.erase(text.find_last_not_of("\r\n \t") + 1); }

// The value of the header Authorization.
Result<std::string> authorization(const std::string& from) {
    std::string value;
    if (from.starts_with("env:")) {
        const std::string name = from.substr(4);
        const char* const found = in_environment(name);
        if (!name.empty() && found) value = found;
        trim_end(value);
        if (value.empty()) return refused("--auth: the variable it names is not set, or is empty");
    } else if (from.starts_with("file:")) {
        PERDURE_TRY_VALUE(value, small_file("--auth", from.substr(5)));
        trim_end(value);
        if (value.empty()) return refused("--auth: the file it names is empty");
    } else {
        // Not repeated: it may be the secret itself.
        return refused(
            "--auth: write env:NAME or file:PATH, whose content is the whole value of the "
            "header Authorization: Bearer …");
    }
    return value;
}

// Adds the lines of the file. A line that is no header is told by its place: it may be a secret.
Result<void> add_lines(std::vector<std::string>& headers, const std::string& name) {
    PERDURE_TRY_VALUE(const std::string text, small_file("--header-file", name));
    const std::string shown = "'" + shown_name(name) + "'";
    const std::size_t before = headers.size();
    std::istringstream lines{text};
    std::size_t number = 1;
    for (std::string line; std::getline(lines, line); ++number) {
        if (line.ends_with('\r')) line.pop_back();
        if (line.empty()) continue;
        if (!http::is_token(header_name(line)))
            return refused("--header-file: line " + std::to_string(number) + " of " + shown +
                           " is not 'Name: value'");
        headers.push_back(std::move(line));
    }
    if (headers.size() == before) return refused("--header-file: " + shown + " has no header");
    return {};
}

bool is_authorization(const std::string& line) {
    return http::same_name(header_name(line), "authorization");
}

}  // namespace

Result<void> read_secrets(GetOptions& options) {
    if (std::string wrong = contradiction_in(options, true); !wrong.empty())
        return refused(std::move(wrong));  // before standard input is read
    for (const std::string& name : options.header_files)
        PERDURE_TRY(add_lines(options.headers, name));
    if (options.auth.empty()) return {};
    if (std::ranges::any_of(options.headers, is_authorization))
        return refused("--auth or another header Authorization; give one");
    PERDURE_TRY_VALUE(const std::string value, authorization(options.auth));
    options.headers.push_back("Authorization: " + value);
    return {};
}

Plan plan_of(const GetOptions& options, Plan given) {
    given.deadline = options.policy.deadline.value_or(default_deadline);
    given.attempt_timeout = options.policy.timeout.value_or(Duration::zero());
    given.set_up = options.set_up.value_or(Duration::zero());
    if (options.hedge) given.hedge = HedgeOptions{.after = *options.hedge};
    // A budget weighs the retries of many calls against their successes; this process makes one.
    given.budget.kind = BudgetKind::none;
    return given;
}

Result<std::string> read_body(const GetOptions& options) {
    if (options.body_file.empty()) return options.body;
    if (options.body_file == "-") return read_all(STDIN_FILENO, "standard input");
    const int fd = open(options.body_file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return unreadable(options.body_file, std::generic_category().message(errno));
    auto text = read_all(fd, options.body_file);
    close(fd);
    return text;
}

Result<Asked> ask(const GetOptions& options, Plan plan, std::string body) {
    const bool has_body = !options.body.empty() || !options.body_file.empty();
    if (std::string wrong = contradiction_in(options, has_body); !wrong.empty())
        return refused(std::move(wrong));
    auto url = parsed("URL", options.url);
    if (!url) return url.take_failure();
    auto request = request_of(options, *url, std::move(body));
    if (!request) return request.take_failure();
    std::vector<std::string> endpoints{origin_of(*url)};
    for (const std::string& more : options.endpoints) {
        if (auto other = parsed("--endpoint", more); !other) return other.take_failure();
        endpoints.push_back(more);
    }
    url->target = url->target.substr(0, url->target.find('?'));
    http::ClientOptions client = client_of(options, std::move(plan));
    return Asked{.request = *std::move(request),
                 .endpoints = std::move(endpoints),
                 .client = std::move(client),
                 .shown = to_string(*url)};
}

}  // namespace tool

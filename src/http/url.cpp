// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/url.hpp"

#include <algorithm>
#include <charconv>

#include "perdure/net/resolver.hpp"
#include "perdure/try.hpp"
#include "text.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

constexpr std::string_view::size_type none = std::string_view::npos;

Fail refuse_url(std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "invalid-url",
                 .message = std::move(message)});
}

std::uint16_t usual_port(std::string_view scheme) noexcept { return scheme == "https" ? 443 : 80; }

std::string lowered(std::string_view text) {
    std::string low{text};
    std::transform(low.begin(), low.end(), low.begin(), detail::lower);
    return low;
}

// Browsers read a backslash as a slash and libraries do not: nobody may have it both ways.
bool is_clean(std::string_view text) noexcept {
    return detail::all_are(text, detail::target) && text.find('\\') == none;
}

bool is_host_name(std::string_view host) noexcept {
    return !host.empty() && std::all_of(host.begin(), host.end(), [](char byte) {
        const auto value = static_cast<unsigned char>(byte);
        return detail::is_letter(value) || detail::is_decimal(value) || byte == '-' ||
               byte == '.' || byte == '_';
    });
}

bool is_v6(std::string_view host) noexcept {
    const bool digits = std::all_of(host.begin(), host.end(), [](char byte) {
        return detail::is(byte, detail::hex) || byte == ':' || byte == '.';
    });
    return digits && std::count(host.begin(), host.end(), ':') >= 2;
}

// ":8080" or nothing.
Result<std::uint16_t> port_of(std::string_view text, std::uint16_t usual) {
    if (text.size() <= 1 && (text.empty() || text == ":")) return usual;
    std::uint16_t port = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data() + 1, end, port);
    if (text.front() != ':' || error != std::errc{} || stopped != end || port == 0)
        return refuse_url("the port is no number from 1 to 65535");
    return port;
}

Result<void> read_authority(std::string_view authority, Url& url) {
    if (const auto at = authority.rfind('@'); at != none) {
        url.userinfo = authority.substr(0, at);
        if (url.userinfo.find('@') != none) return refuse_url("more than one @ before the host");
        authority.remove_prefix(at + 1);
    }
    std::string_view host = authority;
    if (authority.starts_with('[')) {
        const auto bracket = authority.find(']');
        host = authority.substr(1, bracket == none ? 0 : bracket - 1);
        authority.remove_prefix(bracket == none ? 0 : bracket + 1);
        if (!is_v6(host)) return refuse_url("what is in brackets is no IPv6 address");
    } else {
        host = authority.substr(0, authority.find(':'));
        authority.remove_prefix(host.size());
        if (!is_host_name(host)) return refuse_url("the host is missing or is no name");
    }
    url.host = lowered(host);
    PERDURE_TRY_VALUE(url.port, port_of(authority, usual_port(url.scheme)));
    return {};
}

// RFC 3986, 5.2.4. An escaped dot ("%2e") is left alone: it is the server's to read.
std::string without_dots(std::string_view path) {
    std::string clean;
    while (!path.empty()) {
        const auto slash = path.find('/', 1);
        const std::string_view segment = path.substr(0, slash);
        path.remove_prefix(segment.size());
        if (segment == "/..") clean.resize(clean.empty() ? 0 : clean.rfind('/'));
        if (segment != "/." && segment != "/..") clean += segment;
        else if (path.empty()) clean += '/';
    }
    return clean.empty() ? "/" : clean;
}

// "mailto:", "https:": letters, digits and +-. before the first colon, if no slash comes earlier.
bool has_scheme(std::string_view text) noexcept {
    const auto colon = text.find_first_of(":/?#");
    if (colon == none || colon == 0 || text[colon] != ':') return false;
    const std::string_view scheme = text.substr(0, colon);
    return detail::is_letter(static_cast<unsigned char>(scheme.front())) &&
           detail::all_are(scheme, detail::token);
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
    if (!is_clean(text)) return refuse_url("a space, a backslash, a control character or no ASCII");
    const auto mark = text.find("://");
    Url url;
    url.scheme = lowered(text.substr(0, mark == none ? 0 : mark));
    if (url.scheme != "http" && url.scheme != "https")
        return refuse_url("it does not begin with http:// or https://");
    text.remove_prefix(mark + 3);
    text = text.substr(0, text.find('#'));
    const std::string_view authority = text.substr(0, text.find_first_of("/?"));
    PERDURE_TRY(read_authority(authority, url));
    text.remove_prefix(authority.size());
    url.target = text.starts_with('/') ? std::string{text} : "/" + std::string{text};
    return url;
}

Result<Url> resolve(const Url& base, std::string_view location) {
    if (!is_clean(location))
        return refuse_url("a space, a backslash, a control character or no ASCII");
    location = location.substr(0, location.find('#'));
    if (has_scheme(location) || location.starts_with("//")) {
        auto url = parse_url(has_scheme(location) ? std::string{location}
                                                  : base.scheme + ":" + std::string{location});
        if (url && url->userinfo.empty() && same_origin(base, *url)) url->userinfo = base.userinfo;
        return url;
    }
    Url url = base;
    if (location.empty()) return url;
    const std::string_view query = location.substr(std::min(location.find('?'), location.size()));
    std::string path{location.substr(0, location.size() - query.size())};
    const std::string_view base_path =
        std::string_view{base.target}.substr(0, base.target.find('?'));
    if (path.empty()) path = base_path;
    else if (!path.starts_with('/')) path.insert(0, base_path.substr(0, base_path.rfind('/') + 1));
    // "*" has no folder to start from; whatever comes after the host begins with a slash.
    if (!path.starts_with('/')) path.insert(0, "/");
    url.target = without_dots(path).append(query);
    return url;
}

std::string host_of(const Url& url) {
    const bool v6 = url.host.find(':') != std::string::npos;
    std::string host = v6 ? "[" + url.host + "]" : url.host;
    if (url.port != usual_port(url.scheme)) host += ":" + std::to_string(url.port);
    return host;
}

std::string to_string(const Url& url) { return url.scheme + "://" + host_of(url) + url.target; }

bool same_origin(const Url& a, const Url& b) noexcept {
    return a.scheme == b.scheme && a.host == b.host && a.port == b.port;
}

bool is_loopback_host(std::string_view host) { return net::is_loopback_host(host); }

}  // namespace http
}  // namespace v0
}  // namespace perdure

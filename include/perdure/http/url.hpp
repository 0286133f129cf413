// SPDX-License-Identifier: Apache-2.0
//
// Where does a URL lead? Scheme, host and port to connect to, and the target to ask for.
//
//     const auto url = http::parse_url("https://api.example.com/v1?limit=5");
//     const auto next = http::resolve(*url, *response.headers.find("location"));
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// A plain value.
struct Url {
    std::string scheme = "http";  // or "https"
    std::string host{};           // lower case; IPv6 without its brackets
    std::uint16_t port = 80;
    std::string target = "/";  // path and query, percent-encoded as they came; never a fragment
    std::string userinfo{};    // "name:password", as it came; printed nowhere

    [[nodiscard]] bool secure() const noexcept { return scheme == "https"; }
    friend bool operator==(const Url&, const Url&) noexcept = default;
};

// http and https only. Refuses what readers disagree about: control characters, spaces, backslashes,
// anything but ASCII. The failure is `invalid`, "invalid-url", and never shows the URL.
Result<Url> parse_url(std::string_view text);

// What a redirect's Location means, seen from `base`: absolute, //host/path, /path, a relative path
// with dot segments, ?query. Name and password stay only where host and port stay.
Result<Url> resolve(const Url& base, std::string_view location);

// "example.com", "[::1]:8080": the value of Host, without the scheme's own port.
std::string host_of(const Url& url);
// Without name and password.
std::string to_string(const Url& url);
// Same scheme, host and port: credentials may go there.
bool same_origin(const Url& a, const Url& b) noexcept;
// Whether `host` means this machine by itself: "localhost", or a loopback address written as one. A name
// that resolves to such an address does not count: an answer of DNS can be forged.
bool is_loopback_host(std::string_view host);

}  // namespace http
}  // namespace v0
}  // namespace perdure

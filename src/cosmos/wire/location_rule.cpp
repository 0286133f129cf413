// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/location_rule.hpp"

#include <algorithm>

#include "perdure/net/address.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::size_t longest_domain = 253;  // RFC 1035, 2.3.4, without the root's dot

bool is_decimal(char c) noexcept { return c >= '0' && c <= '9'; }

char lower_case(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// "Acct.Example." and "acct.example" are one host.
std::string_view without_root(std::string_view host) noexcept {
    return host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
}

bool same_host(std::string_view a, std::string_view b) noexcept {
    return std::ranges::equal(a, b, {}, lower_case, lower_case);
}

bool is_address(std::string_view host) { return net::Address::parse(host, 0).has_value(); }

// No name ends in a number: "127.1" and "0x7f.0x1" are addresses to some resolvers (WHATWG URL, 3.5).
bool ends_in_number(std::string_view host) noexcept {
    return is_decimal(host.substr(host.rfind('.') + 1).front());
}

bool is_name(std::string_view host) noexcept {
    if (host.empty() || host.size() > longest_domain || host.find(':') != std::string_view::npos)
        return false;
    if (host.front() == '.' || host.back() == '.' || host.find("..") != std::string_view::npos)
        return false;
    return !ends_in_number(host);
}

std::size_t labels_in(std::string_view name) noexcept {
    return static_cast<std::size_t>(std::ranges::count(name, '.')) + 1;
}

bool is_under(std::string_view host, std::string_view domain) noexcept {
    return host.size() > domain.size() + 1 && host[host.size() - domain.size() - 1] == '.' &&
           same_host(host.substr(host.size() - domain.size()), domain);
}

// "co.uk", "com.au": hosts under it belong to anybody. There is no list of these here; a short label below
// a country's is taken for one.
bool is_registry(std::string_view domain) noexcept {
    const std::size_t dot = domain.find('.');
    return labels_in(domain) == 2 && dot <= 3 && domain.size() - dot - 1 == 2;
}

bool shares_parent(std::string_view given, std::string_view host) noexcept {
    if (!is_name(given) || !is_name(host)) return false;
    const std::size_t dot = given.find('.');
    if (dot == std::string_view::npos) return false;
    const std::string_view parent = given.substr(dot + 1);
    return labels_in(parent) >= 2 && !is_registry(parent) && is_under(host, parent);
}

bool is_listed(std::string_view host, std::span<const std::string> domains) {
    return std::ranges::any_of(domains, [&](std::string_view domain) {
        domain = without_root(domain);
        if (same_host(host, domain)) return true;
        return is_name(domain) && is_name(host) && labels_in(domain) >= 2 && is_under(host, domain);
    });
}

}  // namespace

LocationCheck check_location(const http::Url& given, const http::Url& location,
                             std::span<const std::string> other_domains) {
    const std::string_view own = without_root(given.host), host = without_root(location.host);
    const bool same = same_host(own, host);
    const bool local = http::is_loopback_host(host);
    if (!location.secure() && (given.secure() || !(same || local)))
        return LocationCheck::weaker_scheme;
    if (same || (local && http::is_loopback_host(own)) || shares_parent(own, host) ||
        is_listed(host, other_domains))
        return LocationCheck::allowed;
    return LocationCheck::other_host;
}

std::string_view describe(LocationCheck check) noexcept {
    switch (check) {
        case LocationCheck::allowed: return "";
        case LocationCheck::weaker_scheme:
            return "it is plain HTTP, which is used only if the given endpoint is plain HTTP, and "
                   "only on this machine or on that endpoint's host";
        case LocationCheck::other_host: break;
    }
    return "its host is not under the domain of the given endpoint; "
           "RegionOptions::other_domains can allow it";
}

bool valid_domain(std::string_view text) {
    if (is_address(text)) return true;
    const auto fits = [](char c) {
        const char low = lower_case(c);
        return (low >= 'a' && low <= 'z') || is_decimal(c) || c == '-' || c == '_' || c == '.';
    };
    return is_name(without_root(text)) && std::ranges::all_of(text, fits);
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

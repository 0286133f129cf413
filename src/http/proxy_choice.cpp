// SPDX-License-Identifier: Apache-2.0
#include "proxy_choice.hpp"

#include <unistd.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <string>

#include "credentials.hpp"
#include "perdure/net/address.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// Read without getenv(), whose answer another thread may change while it is looked at all the same,
// but here at least nothing is kept.
std::string variable(std::string_view name) {
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text{*entry};
        if (text.starts_with(name) && text.size() > name.size() && text[name.size()] == '=')
            return std::string{text.substr(name.size() + 1)};
    }
    return {};
}

std::string first_of(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (std::string value = variable(name); !value.empty()) return value;
    return {};
}

// HTTP_PROXY in capitals is not looked at: in a CGI program the client could set it.
std::string proxy_by_environment(const Url& url) {
    if (exempt(first_of({"no_proxy", "NO_PROXY"}), url.host)) return {};
    return url.secure() ? first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                        : first_of({"http_proxy", "all_proxy", "ALL_PROXY"});
}

std::string without_case(std::string_view text) {
    std::string lower{text};
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

// "10.0.0.0/8" against "10.1.2.3", bit by bit.
bool in_network(std::string_view network, std::string_view host) {
    const std::size_t slash = network.find('/');
    if (slash == std::string_view::npos) return false;
    const auto base = net::Address::parse(network.substr(0, slash), 0);
    const auto address = net::Address::parse(host, 0);
    unsigned bits = 0;
    const std::string_view digits = network.substr(slash + 1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (!base || !address || base->family() != address->family() || digits.empty() ||
        read.ec != std::errc{} || read.ptr != digits.data() + digits.size())
        return false;
    std::array<std::byte, net::Address::longest> a{}, b{};
    base->write(a);
    address->write(b);
    const bool four = base->family() == net::Family::v4;
    const std::size_t offset = four ? 4 : 8;  // of the address in a sockaddr
    if (bits > (four ? 32U : 128U)) return false;
    for (unsigned bit = 0; bit < bits; ++bit) {
        const auto mask = static_cast<std::byte>(0x80U >> (bit % 8));
        if ((a[offset + bit / 8] & mask) != (b[offset + bit / 8] & mask)) return false;
    }
    return true;
}

}  // namespace

bool exempt(std::string_view no_proxy, std::string_view host) {
    const std::string name = without_case(host);
    while (!no_proxy.empty()) {
        const std::size_t end = no_proxy.find_first_of(", ");
        std::string entry = without_case(no_proxy.substr(0, end));
        no_proxy.remove_prefix(end == std::string_view::npos ? no_proxy.size() : end + 1);
        if (entry == "*") return true;
        if (entry.starts_with('[') && entry.ends_with(']'))
            entry = entry.substr(1, entry.size() - 2);
        while (entry.starts_with('.')) entry.erase(0, 1);
        if (entry.empty()) continue;
        if (name == entry || in_network(entry, name)) return true;
        if (name.size() > entry.size() && name.ends_with(entry) &&
            name[name.size() - entry.size() - 1] == '.')
            return true;
    }
    return false;
}

Result<std::optional<ProxyHop>> proxy_for(const Url& url, const ClientOptions& options) {
    std::string text;
    if (options.proxy_from == ProxyFrom::environment) text = proxy_by_environment(url);
    if (options.proxy_from == ProxyFrom::option) text = options.proxy;
    if (text.empty()) return std::optional<ProxyHop>{};
    if (text.find("://") == std::string::npos) text = "http://" + text;
    auto proxy = parse_url(text);
    if (!proxy || proxy->secure())
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "invalid-proxy",
                     .message = "only HTTP proxies can be used: http://host:port"});
    std::string authorization = basic_credentials(proxy->userinfo);
    return std::optional{ProxyHop{*std::move(proxy), std::move(authorization)}};
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

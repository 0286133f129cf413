// SPDX-License-Identifier: Apache-2.0
#include "net/host_name.hpp"

#include "perdure/net/resolver.hpp"

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

bool is_allowed(char c) noexcept { return c > ' ' && c < '\x7f' && c != '\\'; }
bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }

bool is_localhost(std::string_view name) noexcept {
    if (name.ends_with('.')) name.remove_suffix(1);
    return name == "localhost" || name.ends_with(".localhost");
}

}  // namespace

std::optional<HostName> HostName::parse(std::string_view text) noexcept {
    if (text.empty() || text.size() > longest) return std::nullopt;
    HostName name;
    bool zone = false;  // the name of an interface, where upper case matters
    for (const char c : text) {
        if (!is_allowed(c)) return std::nullopt;
        zone = zone || c == '%';
        name.bytes_[name.size_++] = is_upper(c) && !zone ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return name;
}

Addresses HostName::known_addresses() const {
    if (const auto address = Address::parse(text(), 0)) return {*address};
    if (!is_localhost(text())) return {};
    return {Address::v4({127, 0, 0, 1}, 0),
            Address::v6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0)};
}

bool is_loopback_host(std::string_view host) noexcept {
    const auto name = HostName::parse(host);
    if (!name) return false;
    const auto address = Address::parse(name->text(), 0);
    return address ? address->loopback() : is_localhost(name->text());
}

}  // namespace net
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "place.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "perdure/net/resolver.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace mariadb_inside {
namespace {

// Never the text itself: it may hold a password.
Fail wrong(std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "url",
                 .message = std::move(message)});
}

int digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

Result<std::string> decoded(std::string_view text, std::string_view part) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
        const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
        if (high < 0 || low < 0 || high + low == 0)
            return wrong("the URL's " + std::string{part} + " has a bad percent sign");
        plain += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return plain;
}

Result<std::uint16_t> port_of(std::string_view text) {
    std::uint16_t port = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || port == 0)
        return wrong("a port must be a number from 1 to 65535");
    return port;
}

Result<Host> host_of(std::string_view text) {
    std::string_view name = text;
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) return wrong("the URL's host has no closing bracket");
        name = text.substr(1, end - 1);
        if (end + 1 < text.size()) port = text.substr(end + 1);
        if (!port.empty() && !port.starts_with(':')) return wrong("the URL's host cannot be read");
    } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        name = text.substr(0, colon);
        port = text.substr(colon);
    }
    Host host;
    PERDURE_TRY_VALUE(host.name, decoded(name, "host"));
    if (!port.empty()) {
        PERDURE_TRY_VALUE(host.port, port_of(port.substr(1)));
    }
    return host;
}

Result<MariadbTls> tls_of(std::string_view text) {
    if (text == "verified") return MariadbTls::verified;
    if (text == "required") return MariadbTls::required;
    if (text == "off") return MariadbTls::off;
    return wrong("tls is verified, required or off");
}

Result<SessionLock> session_lock_of(std::string_view text) {
    if (text == "if-direct") return SessionLock::if_direct;
    if (text == "always") return SessionLock::always;
    if (text == "never") return SessionLock::never;
    return wrong("session-lock is if-direct, always or never");
}

Result<void> take_parameter(std::string_view pair, Place& place) {
    const std::size_t equals = pair.find('=');
    const std::string_view name = pair.substr(0, equals);
    PERDURE_TRY_VALUE(
        std::string value,
        decoded(equals == std::string_view::npos ? "" : pair.substr(equals + 1), "parameter"));
    if (name == "socket") {
        place.socket = std::move(value);
    } else if (name == "tls") {
        PERDURE_TRY_VALUE(place.tls, tls_of(value));
    } else if (name == "tls-ca") {
        place.tls_ca = std::move(value);
    } else if (name == "defaults-file") {
        place.defaults_file = std::move(value);
    } else if (name == "session-lock") {
        PERDURE_TRY_VALUE(place.session_lock, session_lock_of(value));
    } else {
        return wrong("the URL has a parameter that is none of socket, tls, tls-ca, defaults-file, "
                     "session-lock");
    }
    return {};
}

// Calls `take` with each part between the separators; empty parts are left out.
template <class Take>
Result<void> each(std::string_view text, char separator, Take take) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) PERDURE_TRY(take(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
}

Result<void> take_user(std::string_view text, Place& place) {
    const std::size_t colon = text.find(':');
    PERDURE_TRY_VALUE(place.user, decoded(text.substr(0, colon), "user"));
    if (colon != std::string_view::npos) {
        PERDURE_TRY_VALUE(place.password, decoded(text.substr(colon + 1), "password"));
    }
    return {};
}

std::string_view value_in(const Settings& settings, std::string_view name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string_view{} : std::string_view{found->second};
}

void fill(std::string& field, const Settings& settings, std::string_view name) {
    if (field.empty()) field = value_in(settings, name);
}

}  // namespace

Result<Place> read_url(std::string_view url) {
    const std::size_t scheme = url.find("://");
    if (scheme == std::string_view::npos ||
        (url.substr(0, scheme) != "mariadb" && url.substr(0, scheme) != "mysql"))
        return wrong("a URL here begins with mariadb:// or mysql://");
    url.remove_prefix(scheme + 3);
    const std::size_t question = std::min(url.find('?'), url.size());
    const std::string_view parameters = url.substr(std::min(question + 1, url.size()));
    url = url.substr(0, question);

    Place place;
    const std::size_t slash = std::min(url.find('/'), url.size());
    std::string_view hosts = url.substr(0, slash);
    // The last one: people forget to encode an @ in a password.
    if (const std::size_t at = hosts.rfind('@'); at != std::string_view::npos) {
        PERDURE_TRY(take_user(hosts.substr(0, at), place));
        hosts.remove_prefix(at + 1);
    }
    PERDURE_TRY(each(hosts, ',', [&](std::string_view text) -> Result<void> {
        PERDURE_TRY_VALUE(Host host, host_of(text));
        place.hosts.push_back(std::move(host));
        return {};
    }));
    if (slash < url.size()) {
        PERDURE_TRY_VALUE(place.database, decoded(url.substr(slash + 1), "database"));
    }
    PERDURE_TRY(each(parameters, '&', [&](std::string_view pair) -> Result<void> {
        return take_parameter(pair, place);
    }));
    if (!place.socket.empty() && !place.hosts.empty())
        return wrong("a URL names a host or a socket, not both");
    return place;
}

Result<Place> complete(Place place, const Settings& environment, const Settings& option_file) {
    fill(place.user, option_file, "user");
    fill(place.password, environment, "MYSQL_PWD");
    fill(place.password, option_file, "password");
    fill(place.database, option_file, "database");
    fill(place.tls_ca, option_file, "ssl-ca");
    if (place.hosts.empty() && place.socket.empty()) {
        std::string host;
        fill(host, environment, "MYSQL_HOST");
        if (host.empty()) fill(place.socket, environment, "MYSQL_UNIX_PORT");
        if (place.socket.empty()) fill(host, option_file, "host");
        if (host.empty()) fill(place.socket, option_file, "socket");
        if (place.socket.empty()) place.hosts.push_back({host.empty() ? "localhost" : host, 0});
    }
    std::string port;
    fill(port, environment, "MYSQL_TCP_PORT");
    fill(port, option_file, "port");
    std::uint16_t number = usual_port;
    if (!port.empty()) {
        PERDURE_TRY_VALUE(number, port_of(port));
    }
    for (Host& host : place.hosts)
        if (host.port == 0) host.port = number;
    return place;
}

MariadbTls tls_for(const Place& place, std::string_view host) noexcept {
    if (place.tls != MariadbTls::by_host) return place.tls;
    return net::is_loopback_host(host) ? MariadbTls::off : MariadbTls::verified;
}

std::string name_of(const Place& place) {
    std::string name = "mariadb ";
    for (const Host& host : place.hosts) {
        if (!name.ends_with(' ')) name += ',';
        const bool v6 = host.name.find(':') != std::string::npos;
        name += v6 ? "[" + host.name + "]" : host.name;
        name += ":" + std::to_string(host.port);
    }
    if (place.hosts.empty()) name += place.socket;
    return name + "/" + place.database;
}

}  // namespace mariadb_inside
}  // namespace sql
}  // namespace v0
}  // namespace perdure

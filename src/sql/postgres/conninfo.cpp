// SPDX-License-Identifier: Apache-2.0
#include "conninfo.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "handles.hpp"
#include "perdure/net/resolver.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

Fail refused_conninfo(std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "url",
                 .message = "postgres: " + std::move(message)});
}

// No server has such an attribute, so libpq fills in all settings, checks them, and connects to
// nothing.
constexpr const char* no_such_attribute = "perdure-looks-only";

using Values = std::map<std::string, std::string, std::less<>>;

Values values_of(const PQconninfoOption* options) {
    Values values;
    for (const PQconninfoOption* option = options; option && option->keyword; ++option)
        if (option->val && *option->val) values.emplace(option->keyword, option->val);
    return values;
}

// What libpq quotes may be a piece of a password, except for the name of a setting it does not know.
std::string without_quotes(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    if (text.starts_with("invalid connection option") ||
        text.starts_with("invalid URI query parameter"))
        return std::string{text};
    std::string shown;
    bool inside = false;
    for (const char c : text) {
        if (c == '"') {
            if (!inside) shown += "\"…";
            else shown += '"';
            inside = !inside;
        } else if (!inside) {
            shown += c;
        }
    }
    return shown;
}

// What the user wrote himself, and whether it can be read at all.
Result<Values> written(const std::string& text) {
    const std::size_t scheme = text.find("://");
    if (scheme != std::string::npos && text.find('=') > scheme &&
        !text.starts_with("postgres://") && !text.starts_with("postgresql://"))
        return refused_conninfo("a URL begins with postgres:// or postgresql://");
    if (!text.empty() && scheme == std::string::npos && text.find('=') == std::string::npos)
        return refused_conninfo(
            "neither a URL (postgres://host/database) nor settings (host=… dbname=…)");
    char* why = nullptr;
    const OptionsHandle options{PQconninfoParse(text.c_str(), &why)};
    if (options) return values_of(options.get());
    const std::string message = why ? without_quotes(why) : "out of memory";
    PQfreemem(why);
    return refused_conninfo(message);
}

// The same with all that libpq adds to it.
Result<Values> filled_in(const std::string& text) {
    const std::array keywords{text.empty() ? "application_name" : "dbname", "target_session_attrs",
                              static_cast<const char*>(nullptr)};
    const std::array values{text.c_str(), no_such_attribute, static_cast<const char*>(nullptr)};
    const ConnectionHandle never_opened{PQconnectStartParams(keywords.data(), values.data(), 1)};
    if (!never_opened) return refused_conninfo("out of memory");
    const std::string_view why = PQerrorMessage(never_opened.get());
    if (why.find(no_such_attribute) == std::string_view::npos) {
        std::string message{why.substr(0, why.find_last_not_of('\n') + 1)};
        return refused_conninfo(std::move(message));
    }
    const OptionsHandle options{PQconninfo(never_opened.get())};
    return values_of(options.get());
}

std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> parts;
    for (;;) {
        const std::size_t comma = list.find(',');
        parts.emplace_back(list.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        list.remove_prefix(comma + 1);
    }
}

std::string taken(Values& values, std::string_view key) {
    const auto found = values.find(key);
    if (found == values.end()) return {};
    std::string value = std::move(found->second);
    values.erase(found);
    return value;
}

Result<int> number_in(std::string_view text, std::string_view field, int most) {
    int number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || number > most)
        return refused_conninfo(std::string{field} + " is not a number up to " +
                                std::to_string(most));
    return number;
}

Result<std::vector<Host>> hosts_of(Values& values) {
    const std::vector<std::string> names = split(taken(values, "host"));
    const std::vector<std::string> addresses = split(taken(values, "hostaddr"));
    const std::vector<std::string> ports = split(taken(values, "port"));
    std::vector<Host> hosts(std::max(names.size(), addresses.size()));
    if (ports.size() > 1 && ports.size() != hosts.size())
        return refused_conninfo("port: there are " + std::to_string(ports.size()) +
                                " of them for " + std::to_string(hosts.size()) + " hosts");
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (i < names.size()) hosts[i].name = names[i];
        // More likely the tail of a password than a host: it must not be shown or looked up.
        // (A socket has a path or, if it is an abstract one, an @ at the front.)
        if (!hosts[i].name.starts_with('/') &&
            hosts[i].name.find_first_of("@#?&= ", 1) != std::string::npos)
            return refused_conninfo(
                "a host name has characters no host name has; in a URL, percent-encode "
                "@, :, / and # in user and password");
        if (i < addresses.size()) hosts[i].address = addresses[i];
        const std::string& port = ports[ports.size() > 1 ? i : 0];
        if (port.empty()) continue;
        PERDURE_TRY_VALUE(const int number, number_in(port, "port", 65'535));
        if (number < 1) return refused_conninfo("port must be 1 or more");
        hosts[i].port = static_cast<std::uint16_t>(number);
    }
    return hosts;
}

// libpq would look at these only when it connects.
Result<void> check_numbers(const Values& values) {
    for (const std::string_view field :
         {"connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
          "keepalives_count", "tcp_user_timeout"})
        if (const auto found = values.find(field); found != values.end())
            PERDURE_TRY(number_in(found->second, field, 2'000'000'000));
    return {};
}

// Which server is taken follows from what is asked of it, transaction by transaction.
Result<void> check_attributes(const Values& own) {
    const auto found = own.find(std::string_view{"target_session_attrs"});
    if (found == own.end() || found->second == "any" || found->second == "read-write" ||
        found->second == "primary")
        return {};
    return refused_conninfo(
        "target_session_attrs: only any, read-write and primary; ask for Role::any "
        "where a standby will do");
}

bool in_environment(std::string_view variable) {
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text{*entry};
        if (text.starts_with(variable) && text.substr(variable.size()).starts_with('='))
            return true;
    }
    return false;
}

std::string name_of(const Target& target, const Values& values) {
    std::string name = "postgres ";
    for (const Host& host : target.hosts) {
        if (name.back() != ' ') name += ',';
        name += host.shown();
    }
    const auto database = values.find(std::string_view{"dbname"});
    if (database != values.end()) name += "/" + database->second;
    return name;
}

}  // namespace

bool Host::on_this_machine() const noexcept {
    return local() || net::is_loopback_host(address.empty() ? name : address);
}

std::string Host::shown() const {
    if (local()) return (name.empty() ? "local socket" : name) + ":" + std::to_string(port);
    const std::string& where = name.empty() ? address : name;
    const bool v6 = where.find(':') != std::string::npos;
    return (v6 ? "[" + where + "]" : where) + ":" + std::to_string(port);
}

Result<Target> parse_target(std::string_view url_or_conninfo) {
    const std::string text{url_or_conninfo};
    if (text.find('\0') != std::string::npos) return refused_conninfo("a URL has no NUL in it");
    PERDURE_TRY_VALUE(const Values own, written(text));
    PERDURE_TRY(check_attributes(own));
    PERDURE_TRY_VALUE(Values values, filled_in(text));
    PERDURE_TRY(check_numbers(values));
    Target target;
    PERDURE_TRY_VALUE(target.hosts, hosts_of(values));
    // Of a service file that says `prefer` it is not seen that it says so.
    const auto sslmode = values.find(std::string_view{"sslmode"});
    target.says_sslmode = own.contains("sslmode") || in_environment("PGSSLMODE") ||
                          (sslmode != values.end() && sslmode->second != "prefer");
    if (const std::string limit = taken(values, "connect_timeout"); !limit.empty() && limit != "0")
        target.connect_timeout = std::chrono::seconds{std::stol(limit)};
    for (const char* const done : {"service", "target_session_attrs", "client_encoding"})
        values.erase(done);
    if (!own.contains("gssencmode") && !in_environment("PGGSSENCMODE"))
        values.insert_or_assign("gssencmode", "disable");
    if (const auto user = values.find(std::string_view{"user"}); user != values.end())
        target.user = user->second;
    target.name = name_of(target, values);
    target.settings.assign(values.begin(), values.end());
    return target;
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure

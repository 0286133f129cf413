// SPDX-License-Identifier: Apache-2.0
#include "opening.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

namespace {

// libpq before version 16 does not know where the system keeps the certificates it trusts.
std::string trusted_certificates() {
    if (PQlibVersion() >= 160'000) return "system";
    for (const char* const file :
         {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
          "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"})
        if (::access(file, R_OK) == 0) return file;
    return "/etc/ssl/certs/ca-certificates.crt";
}

class Keywords {
public:
    explicit Keywords(const Settings& settings) : settings_{settings} {}

    void set(std::string_view key, std::string value) {
        std::erase_if(settings_, [key](const auto& setting) { return setting.first == key; });
        settings_.emplace_back(key, std::move(value));
    }
    void suggest(std::string_view key, std::string value) {
        if (!has(key)) settings_.emplace_back(key, std::move(value));
    }
    [[nodiscard]] bool has(std::string_view key) const {
        return std::ranges::any_of(settings_,
                                   [key](const auto& setting) { return setting.first == key; });
    }
    [[nodiscard]] ConnectionHandle start() const {
        std::vector<const char*> keys;
        std::vector<const char*> values;
        for (const auto& [key, value] : settings_) {
            keys.push_back(key.c_str());
            values.push_back(value.c_str());
        }
        keys.push_back(nullptr);
        values.push_back(nullptr);
        return ConnectionHandle{PQconnectStartParams(keys.data(), values.data(), 0)};
    }

private:
    Settings settings_;
};

// A sender hangs without the first, a waiter without the others.
void give_up_dead_links(Keywords& keywords, Duration after) {
    if (after == never) return;
    const auto seconds =
        std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(after).count());
    const std::int64_t idle = std::max<std::int64_t>(1, seconds * 2 / 5);
    keywords.suggest("tcp_user_timeout",
                     std::to_string(std::chrono::ceil<std::chrono::milliseconds>(after).count()));
    keywords.suggest("keepalives_idle", std::to_string(idle));
    keywords.suggest("keepalives_interval",
                     std::to_string(std::max<std::int64_t>(1, (seconds - idle) / 3)));
    keywords.suggest("keepalives_count", "3");
}

void name_server(Keywords& keywords, const Host& host, const std::optional<net::Address>& address) {
    // The name is kept beside the address: certificates and the password file go by it.
    if (!host.name.empty()) keywords.set("host", host.name);
    if (address) keywords.set("hostaddr", address->host());
    keywords.set("port", std::to_string(host.port));
}

void verify_by_default(Keywords& keywords, const Common& common, const Host& host) {
    if (common.target.says_sslmode || host.on_this_machine()) return;
    keywords.set("sslmode", "verify-full");
    keywords.suggest("sslrootcert", trusted_certificates());
}

FailedLogin failed_login(const Link& link) {
    return {.text = PQerrorMessage(link.get()),
            .needs_password = PQconnectionNeedsPassword(link.get()) != 0,
            .used_password = PQconnectionUsedPassword(link.get()) != 0};
}

Failure explained(Failure failure, const Common& common) {
    if (failure.code.starts_with("tls") && !common.target.says_sslmode)
        failure.message += "; unless the URL says localhost, a loopback address or a socket, a "
                           "server must show a certificate for its name: name its issuer "
                           "(sslrootcert=FILE) or say sslmode=require or sslmode=disable in the "
                           "URL to do without";
    return failure;
}

}  // namespace

Result<Link> open_link(const Common& common, const Host& host,
                       const std::optional<net::Address>& address, const Bounds& bounds,
                       Clock& clock) {
    Keywords keywords{common.target.settings};
    name_server(keywords, host, address);
    verify_by_default(keywords, common, host);
    give_up_dead_links(keywords, common.options.link_dead_after);
    keywords.set("client_encoding", "UTF8");
    keywords.suggest("fallback_application_name", "perdure");
    Link link{keywords.start(), clock};
    if (!link.get())
        return fail({.cause = Cause::exhausted, .code = "ENOMEM", .message = "out of memory"});
    // So that the text of a refusal has its SQLSTATE in it; there is no other way to it.
    PQsetErrorVerbosity(link.get(), PQERRORS_VERBOSE);
    if (!link.broken()) {
        const Wait wait = link.connecting(bounds);
        if (wait != Wait::ready) return fail(cut_off(wait, During::connecting));
    }
    if (link.broken())
        return fail(explained(refused_entry(failed_login(link), common.wording()), common));
    PQsetErrorVerbosity(link.get(), PQERRORS_DEFAULT);
    PQsetnonblocking(link.get(), 1);
    return link;
}

// Servers from version 14 on say it by themselves; older ones and poolers are asked.
Result<void> check_writable(Link& link, const Wording& wording, const Bounds& bounds) {
    const char* const standby = PQparameterStatus(link.get(), "in_hot_standby");
    const char* const read_only = PQparameterStatus(link.get(), "default_transaction_read_only");
    bool writable = true;
    std::string what = "is a standby";
    if (standby && read_only) {
        writable = std::string_view{standby} != "on" && std::string_view{read_only} != "on";
        if (std::string_view{standby} != "on") what = "is read-only";
    } else {
        const Reply reply = link.ask("SHOW transaction_read_only", bounds);
        if (!reply.good()) return fail(failure_of(reply, link, During::connecting, wording));
        writable = std::string_view{PQgetvalue(reply.last.get(), 0, 0)} != "on";
        what = "is a standby or read-only";
    }
    if (writable) return {};
    return fail(sql::failure_of(row_of(Product::postgres, "25006"), During::connecting, what));
}

// A statement whose client has gone is given up by the server; otherwise it would go on and even
// commit. Some platforms cannot, and say so.
Result<void> settle(Link& link, const Common& common, const Bounds& bounds) {
    if (common.options.pooler != Pooler::none || PQserverVersion(link.get()) < 140'000) return {};
    const Reply reply = link.ask("SET client_connection_check_interval=500", bounds);
    if (reply.good() || (reply.error && !link.broken())) return {};
    return fail(failure_of(reply, link, During::connecting, common.wording()));
}

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// Bytes are an account document, a container and an item; before them may stand a line with the endpoint that
// the user gave, and a domain beside it. What is taken must be fit to be used: hosts to connect to that may
// have the user's key, a key to route by, a text that is still JSON with a marker in it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/cosmos/wire/account_document.hpp"
#include "perdure/cosmos/wire/container_properties.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/cosmos/wire/location_rule.hpp"

namespace {

using namespace perdure;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

// Said again in other words, so that a slip in the rule is not repeated here.
std::string without_dot(std::string host) {
    if (host.ends_with('.')) host.pop_back();
    return host;
}

bool ends_with_label(const std::string& host, const std::string& domain) {
    return host == domain || host.ends_with('.' + domain);
}

std::string parent_of(const std::string& host) {
    const std::string parent = host.substr(std::min(host.find('.'), host.size() - 1) + 1);
    const bool name = host.find(':') == std::string::npos && !host.empty() &&
                      (host[host.rfind('.') + 1] < '0' || host[host.rfind('.') + 1] > '9');
    return name && parent.find('.') != std::string::npos ? parent : std::string{};
}

void try_trust(const http::Url& given, const http::Url& url, const std::string& domain) {
    const std::vector<std::string> others(domain.empty() ? 0 : 1, domain);
    if (cosmos::check_location(given, url, others) != cosmos::LocationCheck::allowed) {
        must(given.host != url.host || (given.secure() && !url.secure()),
             "the given host can be used");
        return;
    }
    must(url.secure() || !given.secure(), "nothing goes from https to http");
    const std::string own = without_dot(given.host), host = without_dot(url.host);
    const bool same = own == host;
    const bool local = http::is_loopback_host(host);
    must(url.secure() || same || local, "plain http stays on this machine or the given host");
    const std::string parent = parent_of(own);
    const bool kin = !parent.empty() && ends_with_label(host, parent);
    const bool listed = !domain.empty() && ends_with_label(host, domain);
    const bool both_local = local && http::is_loopback_host(own);
    must(same || kin || listed || both_local, "a key stays in its domain");
}

struct Trust {
    http::Url given = http::parse_url("https://acct.documents.azure.com/").value();
    std::string domain{};
};

// "https://acct.documents.azure.com/ corp.example"
Trust trust_in(std::string_view line) {
    Trust trust;
    const auto space = std::min(line.find(' '), line.size());
    if (auto url = http::parse_url(line.substr(0, space))) trust.given = *std::move(url);
    const std::string domain{line.substr(std::min(space + 1, line.size()))};
    const bool lower = domain.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
    if (lower && !domain.ends_with('.') && cosmos::valid_domain(domain)) trust.domain = domain;
    return trust;
}

void try_location(const cosmos::Location& location, const Trust& trust) {
    try_trust(trust.given, location.endpoint, trust.domain);
    for (const char* const given : {"https://acct.documents.azure.com/", "http://localhost:8081/",
                                    "http://gateway.corp.example/", "https://10.1.2.3/"})
        try_trust(http::parse_url(given).value(), location.endpoint, {});
    if (const auto made = cosmos::regional_endpoint(trust.given, location.name))
        try_trust(trust.given, *made, trust.domain);
    must(!location.name.empty() && !location.endpoint.host.empty(), "a location can be gone to");
    must(location.endpoint.host.find_first_of(" \r\n/@") == std::string::npos, "a host is a host");
    must(location.endpoint.userinfo.empty(), "no endpoint brings a password");
}

void try_item(std::string_view json) {
    if (!cosmos::valid_item(json) || cosmos::read_text(json, "/_mark\"")) return;
    const std::string marked = cosmos::with_property(json, "_mark\"", "\"m\"");
    const auto valid = cosmos::valid_item(marked);
    must(valid || valid.error().code == "item-too-large", "a marked item is an item");
    must(cosmos::Document{marked}.string_at("/_mark\"").has_value(), "the marker is there");
    must(cosmos::Document{marked}.id() == cosmos::Document{json}.id(), "its id is as it was");
    const std::string paths[] = {"/id", "/a/b", "/_etag"};
    if (const auto key = cosmos::partition_key_of(json, paths)) {
        const std::string text = key->header_text();
        const auto again = cosmos::PartitionKey::parse(text);
        must(again && *again == *key, "a key is read as it was written");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view json{reinterpret_cast<const char*>(data), size};
    const bool given = json.starts_with("http");
    const std::size_t line = given ? std::min(json.find('\n'), json.size()) : 0;
    const Trust trust = given ? trust_in(json.substr(0, line)) : Trust{};
    json.remove_prefix(given ? std::min(line + 1, json.size()) : 0);
    if (const auto account = cosmos::parse_account(json)) {
        must(!account->writable.empty() || !account->readable.empty(), "there is a location");
        for (const auto& location : account->writable) try_location(location, trust);
        for (const auto& location : account->readable) try_location(location, trust);
    }
    if (const auto container = cosmos::parse_container(json))
        must(!container->id.empty() && container->key.paths.size() <= 3, "a container has bounds");
    try_item(json);
    return 0;
}

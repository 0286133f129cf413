// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/account_document.hpp"

#include <algorithm>
#include <utility>

#include "json_scan.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::size_t longest_name = 256;

Trouble read_endpoint(JsonScan& scan, http::Url& endpoint) {
    std::string text;
    if (const Trouble trouble = scan.string(text)) return trouble;
    auto url = http::parse_url(text);
    // With a name and a password in it our requests would go where somebody else says.
    if (!url || !url->userinfo.empty()) return "the endpoint of a location is no URL";
    endpoint = *std::move(url);
    return fine;
}

Trouble read_location(JsonScan& scan, std::vector<Location>& to) {
    if (to.size() == most_locations) return "it names more than 64 locations";
    Location location;
    const Trouble trouble = scan.members([&](std::string_view name) {
        if (name == "name") return scan.string(location.name);
        if (name == "databaseAccountEndpoint") return read_endpoint(scan, location.endpoint);
        return fine;
    });
    if (trouble) return trouble;
    if (location.name.empty() || location.name.size() > longest_name)
        return "a location has no name, or far too long a one";
    if (location.endpoint.host.empty()) return "a location has no endpoint";
    to.push_back(std::move(location));
    return fine;
}

Trouble read_locations(JsonScan& scan, std::vector<Location>& to) {
    to.clear();
    if (scan.next() == JsonType::null) return fine;
    return scan.elements([&] { return read_location(scan, to); });
}

Trouble read_flag(JsonScan& scan, std::optional<bool>& to) {
    if (scan.next() == JsonType::null) return fine;
    bool flag = false;
    const Trouble trouble = scan.truth(flag);
    if (!trouble) to = flag;
    return trouble;
}

Trouble read_policy(JsonScan& scan, std::optional<Consistency>& to) {
    if (scan.next() != JsonType::object) return fine;
    return scan.members([&](std::string_view name) {
        if (name != "defaultConsistencyLevel") return fine;
        std::string level;
        if (const Trouble trouble = scan.string(level)) return trouble;
        to = parse_consistency(level);
        return fine;
    });
}

Trouble read_member(JsonScan& scan, AccountDocument& account, std::string_view name) {
    if (name == "id") return scan.string(account.id);
    if (name == "writableLocations") return read_locations(scan, account.writable);
    if (name == "readableLocations") return read_locations(scan, account.readable);
    if (name == "enableMultipleWriteLocations") return read_flag(scan, account.multi_write);
    if (name == "disableCrossRegionalHedging") return read_flag(scan, account.hedging_disabled);
    if (name == "enablePerPartitionFailoverBehavior")
        return read_flag(scan, account.per_partition_failover);
    if (name == "userConsistencyPolicy") return read_policy(scan, account.consistency);
    return fine;
}

Trouble read_account(std::string_view json, AccountDocument& account) {
    if (!is_utf8(json)) return "it is not UTF-8";
    JsonScan scan{json};
    const auto member = [&](std::string_view name) { return read_member(scan, account, name); };
    if (const Trouble trouble = scan.members(member)) return trouble;
    if (const Trouble trouble = scan.end()) return trouble;
    if (account.id.size() > longest_name) return "its id is far too long";
    if (account.writable.empty() && account.readable.empty()) return "it names no location";
    return fine;
}

}  // namespace

Result<AccountDocument> parse_account(std::string_view json) {
    AccountDocument account;
    if (const Trouble trouble = read_account(json, account))
        return fail(unreadable("the account document", trouble));
    return account;
}

bool same_region(std::string_view a, std::string_view b) noexcept {
    const auto next = [](std::string_view& name) -> int {
        while (name.starts_with(' ')) name.remove_prefix(1);
        if (name.empty()) return -1;
        const auto c = static_cast<unsigned char>(name[0]);
        name.remove_prefix(1);
        return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
    };
    for (;;) {
        const int left = next(a), right = next(b);
        if (left != right) return false;
        if (left < 0) return true;
    }
}

std::string region_key(std::string_view name) {
    std::string key;
    for (const char c : name)
        if (c != ' ') key += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    return key;
}

std::optional<http::Url> regional_endpoint(const http::Url& global, std::string_view region) {
    const std::string key = region_key(region);
    const auto dot = global.host.find('.');
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    // An address has no label that could be extended.
    const bool named = dot != std::string::npos && dot > 0 &&
                       global.host.find(':') == std::string::npos &&
                       (global.host.back() < '0' || global.host.back() > '9');
    if (!named || key.empty() || !std::ranges::all_of(key, fits)) return {};
    http::Url made = global;
    made.host.insert(dot, "-" + key);
    return made;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

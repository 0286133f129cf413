// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/envelope.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

bool is_plain(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '~';
}

void append_segment(std::string& path, std::string_view name) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (;;) {
        const auto odd = std::ranges::find_if_not(name, is_plain);
        const auto plain = static_cast<std::size_t>(odd - name.begin());
        path.append(name, 0, plain);
        if (odd == name.end()) return;
        const auto byte = static_cast<unsigned char>(*odd);
        path += '%';
        path += digits[byte >> 4U];
        path += digits[byte & 15U];
        name.remove_prefix(plain + 1);
    }
}

// "dbs/shop": in the link as it is, in the path percent-encoded.
void add_entity(Envelope& envelope, std::string_view type, std::string_view name) {
    if (!envelope.link.empty()) envelope.link += '/';
    envelope.link.append(type).append("/").append(name);
    envelope.path.append("/").append(type).append("/");
    append_segment(envelope.path, name);
}

// What is signed for a feed is its parent.
void add_feed(Envelope& envelope, std::string_view type) { envelope.path.append("/").append(type); }

void begin(Envelope& envelope, Resource resource) {
    envelope.resource = resource;
    envelope.link.clear();
    envelope.path.clear();
}

void add_container(Envelope& envelope, const ContainerName& name) {
    // Room for most items' ids too.
    constexpr std::size_t rest = 64;
    envelope.link.reserve(name.database.size() + name.container.size() + rest);
    envelope.path.reserve(name.database.size() + name.container.size() + rest);
    add_entity(envelope, "dbs", name.database);
    add_entity(envelope, "colls", name.container);
}

}  // namespace

std::string_view to_string(Verb verb) noexcept {
    switch (verb) {
        case Verb::get: return "GET";
        case Verb::post: return "POST";
        case Verb::put: return "PUT";
        case Verb::patch: return "PATCH";
        case Verb::remove: return "DELETE";
    }
    return "GET";
}

std::string_view type_of(Resource resource) noexcept {
    switch (resource) {
        case Resource::account: return "";
        case Resource::database: return "dbs";
        case Resource::container: return "colls";
        case Resource::ranges: return "pkranges";
        case Resource::item: return "docs";
    }
    return "";
}

void Envelope::add_field(std::string_view name, std::string_view value) {
    fields.append(name).append(": ").append(value).append("\r\n");
}

void address_account(Envelope& envelope) {
    begin(envelope, Resource::account);
    envelope.path = "/";
}

void address_databases(Envelope& envelope) {
    begin(envelope, Resource::database);
    add_feed(envelope, "dbs");
}

void address_database(Envelope& envelope, std::string_view database) {
    begin(envelope, Resource::database);
    add_entity(envelope, "dbs", database);
}

void address_containers(Envelope& envelope, std::string_view database) {
    begin(envelope, Resource::container);
    add_entity(envelope, "dbs", database);
    add_feed(envelope, "colls");
}

void address_container(Envelope& envelope, const ContainerName& name) {
    begin(envelope, Resource::container);
    add_container(envelope, name);
}

void address_ranges(Envelope& envelope, const ContainerName& name) {
    begin(envelope, Resource::ranges);
    add_container(envelope, name);
    add_feed(envelope, "pkranges");
}

void address_items(Envelope& envelope, const ContainerName& name) {
    begin(envelope, Resource::item);
    add_container(envelope, name);
    add_feed(envelope, "docs");
}

void address_item(Envelope& envelope, const ContainerName& name, std::string_view id) {
    begin(envelope, Resource::item);
    add_container(envelope, name);
    add_entity(envelope, "docs", id);
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

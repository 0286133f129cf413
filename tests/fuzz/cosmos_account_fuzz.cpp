// SPDX-License-Identifier: Apache-2.0
//
// Bytes are an account document, a container and an item. What is taken must be fit to be used: hosts to
// connect to, a key to route by, a text that is still JSON with a marker in it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "perdure/cosmos/wire/account_document.hpp"
#include "perdure/cosmos/wire/container_properties.hpp"
#include "perdure/cosmos/wire/document.hpp"

namespace {

using namespace perdure;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

void try_location(const cosmos::Location& location) {
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
    const std::string_view json{reinterpret_cast<const char*>(data), size};
    if (const auto account = cosmos::parse_account(json)) {
        must(!account->writable.empty() || !account->readable.empty(), "there is a location");
        for (const auto& location : account->writable) try_location(location);
        for (const auto& location : account->readable) try_location(location);
    }
    if (const auto container = cosmos::parse_container(json))
        must(!container->id.empty() && container->key.paths.size() <= 3, "a container has bounds");
    try_item(json);
    return 0;
}

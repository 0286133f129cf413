// SPDX-License-Identifier: Apache-2.0
#include "item_body.hpp"

#include <algorithm>
#include <utility>

#include "perdure/call/json_text.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/cosmos/wire/limits.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

std::string quoted(std::string_view text) {
    std::string json;
    append_json_text(json, text);
    return json;
}

// A path of one name, whatever the name holds.
std::string path_to(std::string_view property) { return "/" + quoted(property); }

}  // namespace

void append_text_field(std::string& json, std::string_view name, std::string_view text) {
    json.append(",\"").append(name).append("\":");
    append_json_text(json, text);
}

Failure invalid_request(std::string message) {
    return {.cause = Cause::invalid,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "invalid-request",
            .message = std::move(message)};
}

Result<void> check_field(std::string_view what, std::string_view value) {
    const auto breaks = [](char c) { return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f; };
    if (value.empty()) return fail(invalid_request("the " + std::string{what} + " is empty"));
    if (std::ranges::any_of(value, breaks))
        return fail(invalid_request("the " + std::string{what} + " holds control characters"));
    return {};
}

namespace {

Fail invalid_id(std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "invalid-id",
                 .message = std::move(message)});
}

}  // namespace

Result<void> check_item_id(std::string_view id) {
    PERDURE_TRY(check_id(id));
    if (id != "." && id != "..") return {};
    return invalid_id("an id may not be . or .., which paths read otherwise");
}

Result<void> check_name(std::string_view name) {
    PERDURE_TRY(check_item_id(name));
    if (name.find('?') == std::string_view::npos) return {};
    return invalid_id("the name of a database or a container may not hold '?'");
}

Result<void> check_container(const ContainerName& name) {
    PERDURE_TRY(check_name(name.database));
    return check_name(name.container);
}

Result<void> check_size(std::string_view body) {
    if (body.size() <= largest_request) return {};
    return fail({.cause = Cause::too_large,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "request-too-large",
                 .message = "the request has " + std::to_string(body.size()) +
                            " bytes, and may have " + std::to_string(largest_request)});
}

namespace {

Result<void> begin_in(Envelope& envelope, Verb verb, const ContainerName& container,
                      const PartitionKey& key) {
    PERDURE_TRY(check_container(container));
    PERDURE_TRY(check(key));
    envelope.verb = verb;
    envelope.container = &container;
    envelope.key = &key;
    envelope.fields.append("x-ms-documentdb-partitionkey: ");
    key.append_to(envelope.fields);
    envelope.fields.append("\r\n");
    return {};
}

}  // namespace

Result<void> begin_items(Envelope& envelope, Verb verb, const ContainerName& container,
                         const PartitionKey& key) {
    PERDURE_TRY(begin_in(envelope, verb, container, key));
    address_items(envelope, container);
    return {};
}

Result<void> begin_item(Envelope& envelope, Verb verb, const ContainerName& container,
                        std::string_view id, const PartitionKey& key) {
    PERDURE_TRY(check_item_id(id));
    PERDURE_TRY(begin_in(envelope, verb, container, key));
    address_item(envelope, container, id);
    return {};
}

Result<void> add_etag(Envelope& envelope, const std::optional<std::string>& etag) {
    if (!etag) return {};
    PERDURE_TRY(check_field("etag", *etag));
    envelope.add_field("If-Match", *etag);
    return {};
}

Result<void> add_continuation(Envelope& envelope, std::string_view continuation) {
    if (continuation.empty()) return {};
    PERDURE_TRY(check_field("continuation", continuation));
    envelope.add_field("x-ms-continuation", continuation);
    return {};
}

void add_number(Envelope& envelope, std::string_view name, long long number) {
    envelope.add_field(name, std::to_string(number));
}

void add_minimal(Envelope& envelope) { envelope.add_field("Prefer", "return=minimal"); }

Result<std::string> item_with_id(std::string_view json, std::string_view id) {
    PERDURE_TRY(valid_item(json));
    const auto own = Document{json}.id();
    if (!own) return with_property(json, "id", quoted(id));
    if (*own != id)
        return fail(invalid_request("the item has another id than the one it is to replace"));
    return std::string{json};
}

Result<std::string> item_with_some_id(std::string_view json, std::string_view id) {
    PERDURE_TRY(valid_item(json));
    if (read_text(json, "/id")) return std::string{json};
    return with_property(json, "id", quoted(id));
}

Result<void> check_marker(std::string_view property, std::string_view whose) {
    if (property.empty() || property == "id" || property.front() == '_')
        return fail(invalid_request("the marker needs a property of its own"));
    if (whose.empty()) return fail(invalid_request("the token is empty"));
    return {};
}

std::string with_marker(std::string_view json, std::string_view property, std::string_view whose) {
    const std::string value = quoted(whose);
    const auto there = read_text(json, path_to(property));
    if (!there) return with_property(json, property, value);
    const auto at = static_cast<std::size_t>(there->data() - json.data());
    std::string marked{json};
    return marked.replace(at, there->size(), value);
}

std::string marker_in(std::string_view json, std::string_view property) {
    return Document{json}.string_at(path_to(property)).value_or("");
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/containers.hpp"

#include <utility>

#include "item_body.hpp"
#include "perdure/call/json_text.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/try.hpp"
#include "throughput_fields.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

Result<void> begin_container(Envelope& envelope, Verb verb, const ContainerName& name) {
    PERDURE_TRY(check_container(name));
    envelope.verb = verb;
    envelope.container = &name;
    envelope.session = Envelope::Session::none;
    address_container(envelope, name);
    return {};
}

Result<Container> read_container(Reply& reply) {
    auto properties = parse_container(reply.response.body);
    if (!properties) return properties.take_failure();
    Container container;
    container.properties = *std::move(properties);
    container.etag = reply.field("etag");
    if (container.etag.empty()) container.etag = Document{reply.response.body}.etag().value_or("");
    container.charge = reply.charge;
    container.json = std::move(reply.response.body);
    return container;
}

Result<void> check_paths(const std::vector<std::string>& paths) {
    if (paths.empty() || paths.size() > PartitionKey::most_parts)
        return fail(invalid_request("a container has one to three partition key paths"));
    for (const std::string& path : paths) {
        if (path.size() < 2 || path.front() != '/')
            return fail(invalid_request("a partition key path begins with / and leads somewhere"));
        PERDURE_TRY(Value{path}.check());
    }
    return {};
}

void append_key(std::string& body, const KeyDefinition& key) {
    body += "\"partitionKey\":{\"paths\":[";
    for (const std::string& path : key.paths) {
        if (&path != &key.paths.front()) body += ',';
        append_json_text(body, path);
    }
    body += key.kind == KeyKind::hash ? R"(],"kind":"Hash","version":)"
                                      : R"(],"kind":"MultiHash","version":)";
    body += key.version == KeyVersion::v1 ? "1}" : "2}";
}

}  // namespace

Result<void> CreateContainer::describe(Envelope& envelope, const CallFacts&) const {
    PERDURE_TRY(check_container(name_));
    PERDURE_TRY(check_paths(key_.paths));
    if (key_.kind == KeyKind::multi_hash && key_.version == KeyVersion::v1)
        return fail(invalid_request("hierarchical keys have no version 1"));
    envelope.verb = Verb::post;
    envelope.container = &name_;
    envelope.session = Envelope::Session::none;
    address_containers(envelope, name_.database);
    PERDURE_TRY(add_throughput(envelope, throughput_, autoscale_));
    std::string& body = envelope.body;
    body = "{\"id\":";
    append_json_text(body, name_.container);
    body += ',';
    append_key(body, key_);
    for (const auto& [property, value] : more_) {
        PERDURE_TRY(Value{property}.check());
        PERDURE_TRY(value.check());
        if (property == "id" || property == "partitionKey")
            return fail(invalid_request("id and partition key of a container are given as such"));
        body += ',';
        append_json_text(body, property);
        body.append(":").append(value.json());
    }
    body += '}';
    return {};
}

Result<Container> CreateContainer::read(Reply& reply, const CallFacts&) const {
    return read_container(reply);
}

Result<void> ReadContainer::describe(Envelope& envelope, const CallFacts&) const {
    return begin_container(envelope, Verb::get, name_);
}

Result<Container> ReadContainer::read(Reply& reply, const CallFacts&) const {
    return read_container(reply);
}

Result<void> ReplaceContainer::describe(Envelope& envelope, const CallFacts&) const {
    PERDURE_TRY(begin_container(envelope, Verb::put, name_));
    PERDURE_TRY_VALUE(envelope.body, item_with_id(json_, name_.container));
    return add_etag(envelope, etag_);
}

Result<Container> ReplaceContainer::read(Reply& reply, const CallFacts&) const {
    return read_container(reply);
}

Result<void> DeleteContainer::describe(Envelope& envelope, const CallFacts&) const {
    return begin_container(envelope, Verb::remove, name_);
}

Result<Deleted> DeleteContainer::read(Reply& reply, const CallFacts&) const {
    return read_deleted(reply);
}

Result<void> ListContainers::describe(Envelope& envelope, const CallFacts&) const {
    PERDURE_TRY(check_name(database_));
    envelope.verb = Verb::get;
    envelope.session = Envelope::Session::none;
    address_containers(envelope, database_);
    return add_continuation(envelope, continuation_);
}

Result<Page> ListContainers::read(Reply& reply, const CallFacts&) const {
    return read_page(reply, "DocumentCollections");
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

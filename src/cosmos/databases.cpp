// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/databases.hpp"

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

Result<void> begin_database(Envelope& envelope, Verb verb, std::string_view id) {
    PERDURE_TRY(check_name(id));
    envelope.verb = verb;
    envelope.session = Envelope::Session::none;
    address_database(envelope, id);
    return {};
}

Result<Database> read_database(Reply& reply) {
    const Document document{reply.response.body};
    auto id = document.id();
    if (!id) return fail(unreadable_answer("a database has no id"));
    Database database;
    database.id = *std::move(id);
    database.rid = document.string_at("/_rid").value_or("");
    database.charge = reply.charge;
    database.json = std::move(reply.response.body);
    return database;
}

}  // namespace

Result<void> CreateDatabase::describe(Envelope& envelope, const CallFacts&) const {
    PERDURE_TRY(check_name(id_));
    envelope.verb = Verb::post;
    envelope.session = Envelope::Session::none;
    address_databases(envelope);
    PERDURE_TRY(add_throughput(envelope, throughput_, autoscale_));
    envelope.body = "{\"id\":";
    append_json_text(envelope.body, id_);
    envelope.body += '}';
    return {};
}

Result<Database> CreateDatabase::read(Reply& reply, const CallFacts&) const {
    return read_database(reply);
}

Result<void> ReadDatabase::describe(Envelope& envelope, const CallFacts&) const {
    return begin_database(envelope, Verb::get, id_);
}

Result<Database> ReadDatabase::read(Reply& reply, const CallFacts&) const {
    return read_database(reply);
}

Result<void> DeleteDatabase::describe(Envelope& envelope, const CallFacts&) const {
    return begin_database(envelope, Verb::remove, id_);
}

Result<Deleted> DeleteDatabase::read(Reply& reply, const CallFacts&) const {
    return read_deleted(reply);
}

Result<void> ListDatabases::describe(Envelope& envelope, const CallFacts&) const {
    envelope.verb = Verb::get;
    envelope.session = Envelope::Session::none;
    address_databases(envelope);
    return add_continuation(envelope, continuation_);
}

Result<Page> ListDatabases::read(Reply& reply, const CallFacts&) const {
    return read_page(reply, "Databases");
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "chaos/cosmos/query.hpp"
#include "chaos/cosmos/turn.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

std::string seconds_of(WallTime wall) { return std::to_string(epoch_seconds(wall)); }

void give(Answer& answer, int status, const Json& definition) {
    answer.status = status;
    answer.body = definition.dump();
    answer.headers.add("etag", definition.word("_etag"));
}

// Without a query everything.
template <class All>
Answer feed_of(const All& all, std::string_view rid, std::string_view name, const Query* query) {
    Answer answer;
    std::size_t count = 0;
    std::string& text = answer.body = "{\"_rid\":" + quoted(rid) + ',' + quoted(name) + ":[";
    for (const auto& [id, one] : all) {
        if (query && !query->fits(one->definition)) continue;
        const auto result = query ? query->project(one->definition) : one->definition;
        if (!result) continue;
        text += count++ > 0 ? "," : "";
        result->append_to(text);
    }
    text += "],\"_count\":" + std::to_string(count) + '}';
    answer.headers.add("x-ms-item-count", std::to_string(count));
    return answer;
}

}  // namespace

Answer Turn::create_database() {
    auto body = Json::parse(asked_.body);
    if (!body || !trouble_with_name(body->word("id")).empty())
        return refuse(400, 0, "a database needs an id");
    const std::string id{body->word("id")};
    if (account_.databases.contains(id))
        return refuse(409, 0, "Resource with specified id or name already exists.");
    auto made = std::make_unique<Database>();
    made->id = id;
    made->number = account_.next_database++;
    made->rid = database_rid(made->number);
    Json& out = made->definition = Json::object();
    out.set("id", Json::text(id));
    out.set("_rid", Json::text(made->rid));
    out.set("_self", Json::text("dbs/" + made->rid + '/'));
    out.set("_etag", Json::text(account_.new_etag(0)));
    out.set("_colls", Json::text("colls/"));
    out.set("_users", Json::text("users/"));
    out.set("_ts", Json::number(seconds_of(asked_.wall)));
    Answer answer;
    give(answer, 201, out);
    if (auto content = wanted_throughput())
        make_offer(out.word("_self"), made->rid, std::move(*content));
    account_.databases.emplace(id, std::move(made));
    return answer;
}

// All of them, or what a query chooses.
template <class All>
Answer Turn::metadata_feed(const All& all, std::string_view rid, std::string_view name) const {
    if (asked_.method == "GET") return feed_of(all, rid, name, nullptr);
    const auto body = Json::parse(asked_.body);
    if (!body) return refuse(400, 0, "The request payload is invalid JSON.");
    std::string problem;
    const auto query = Query::read(*body, problem);
    if (!query) return refuse(400, 0, problem);
    if (query->needs_all())
        return refuse(400, 0,
                      "ORDER BY, COUNT, OFFSET and TOP are served by this gateway for items only.");
    return feed_of(all, rid, name, &*query);
}

Answer Turn::offers_feed() {
    if (is_write(asked_, resource_)) return refuse(405, 0, "offers are made with their containers");
    return metadata_feed(account_.offers, "", "Offers");
}

Answer Turn::on_database() {
    Answer answer;
    if (resource_.level == Resource::Level::feed)
        return is_write(asked_, resource_) ? create_database()
                                           : metadata_feed(account_.databases, "", "Databases");
    auto found = account_.databases.find(resource_.id);
    if (found == account_.databases.end())
        found = std::ranges::find_if(
            account_.databases, [&](const auto& one) { return one.second->rid == resource_.id; });
    if (found == account_.databases.end()) return refuse(404, 0, "Resource Not Found.");
    if (asked_.method == "DELETE") {
        account_.databases.erase(found);
        answer.status = 204;
        return answer;
    }
    if (asked_.method != "GET") return refuse(405, 0, "a database can be read or deleted");
    give(answer, 200, found->second->definition);
    return answer;
}

Answer Turn::create_container(Database& database) {
    auto body = Json::parse(asked_.body);
    if (!body || !trouble_with_name(body->word("id")).empty())
        return refuse(400, 0, "a container needs an id");
    const std::string id{body->word("id")};
    if (database.containers.contains(id))
        return refuse(409, 0, "Resource with specified id or name already exists.");
    const Json* wanted = body->find("partitionKey");
    std::string problem = "Containers without a partitionKey are not served by this gateway.";
    const auto keys = wanted ? KeyDefinition::read(*wanted, problem) : std::nullopt;
    if (!keys) return refuse(400, 0, problem);
    problem = problem_of(*body);
    if (!problem.empty()) return refuse(400, 0, problem);
    auto made = std::make_unique<Container>();
    made->id = id;
    made->number = database.next_container++;
    made->rid = container_rid(database.number, made->number);
    made->database_rid = database.rid;
    made->link = "dbs/" + database.id + "/colls/" + id;
    made->keys = *keys;
    made->rules = ItemRules::of(*body);
    made->spent.resize(account_.regions.size());
    made->ranges.push_back(std::make_unique<Range>("0", "", "FF", account_.regions.size()));
    made->next_range = 1;
    // Always the range of the most keys, so that they stay about the same size.
    for (std::size_t next = 0; made->ranges.size() < account_.options.partitions; next += 2) {
        if (next >= made->ranges.size()) next = 0;
        made->finish_split(*made->ranges[next]);
    }
    // A new container begins with ranges that come from nowhere.
    made->next_range = 0;
    made->topology = 1;
    made->heirs.clear();
    for (const auto& range : made->ranges) {
        range->id = std::to_string(made->next_range++);
        range->parents.clear();
        range->changed = 1;
    }
    Json& out = made->definition = std::move(*body);
    if (!out.find("partitionKey")->find("kind"))
        out.find("partitionKey")->set("kind", Json::text("Hash"));
    complete_indexing(out);
    out.set("_rid", Json::text(made->rid));
    out.set("_ts", Json::number(seconds_of(asked_.wall)));
    out.set("_self", Json::text("dbs/" + database.rid + "/colls/" + made->rid + '/'));
    out.set("_etag", Json::text(account_.new_etag(0)));
    out.set("_docs", Json::text("docs/"));
    out.set("_sprocs", Json::text("sprocs/"));
    out.set("_triggers", Json::text("triggers/"));
    out.set("_udfs", Json::text("udfs/"));
    out.set("_conflicts", Json::text("conflicts/"));
    Answer answer;
    give(answer, 201, out);
    answer.headers.add("x-ms-alt-content-path", "dbs/" + database.id);
    answer.headers.add("x-ms-content-path", database.rid);
    make_container_offer(database, *made);
    database.containers.emplace(id, std::move(made));
    return answer;
}

Answer Turn::replace_container() {
    Container& its = *account_.container(resource_.database, resource_.id);
    auto body = Json::parse(asked_.body);
    if (!body || body->word("id") != its.id) return refuse(400, 0, "the id cannot be changed");
    std::string problem = problem_of(*body);
    if (!problem.empty()) return refuse(400, 0, problem);
    if (const Json* wanted = body->find("partitionKey");
        wanted && KeyDefinition::read(*wanted, problem) != its.keys)
        return refuse(400, 0, "The partition key of a container cannot be changed.");
    if (body->find("uniqueKeyPolicy") && ItemRules::of(*body).unique_keys != its.rules.unique_keys)
        return refuse(400, 0, "The unique keys of a container cannot be changed.");
    problem = problem_of_change(its.definition, *body);
    if (!problem.empty()) return refuse(400, 0, problem);
    for (const char* kept : {"_rid", "_self", "_docs", "_sprocs", "_triggers", "_udfs",
                             "_conflicts", "partitionKey", "uniqueKeyPolicy"})
        if (const Json* was = its.definition.find(kept)) body->set(kept, *was);
    complete_indexing(*body);
    body->set("_etag", Json::text(account_.new_etag(0)));
    body->set("_ts", Json::number(seconds_of(asked_.wall)));
    its.rules = ItemRules::of(*body);
    its.definition = std::move(*body);
    Answer answer;
    give(answer, 200, its.definition);
    return answer;
}

Answer Turn::on_container() {
    auto database = account_.databases.find(resource_.database);
    if (database == account_.databases.end())
        database = std::ranges::find_if(account_.databases, [&](const auto& one) {
            return one.second->rid == resource_.database;
        });
    if (database == account_.databases.end())
        return refuse(404, 0, "Owner resource does not exist");
    if (resource_.level == Resource::Level::feed)
        return is_write(asked_, resource_)
                   ? create_container(*database->second)
                   : metadata_feed(database->second->containers, database->second->rid,
                                   "DocumentCollections");
    Answer answer;
    const Container* its = account_.container(resource_.database, resource_.id);
    if (!its) return refuse(404, 0, "Resource Not Found.");
    answer.headers.add("x-ms-alt-content-path", "dbs/" + database->first);
    answer.headers.add("x-ms-content-path", database->second->rid);
    if (asked_.method == "PUT") return replace_container();
    if (asked_.method == "DELETE") {
        database->second->containers.erase(its->id);
        answer.status = 204;
        return answer;
    }
    if (asked_.method != "GET")
        return refuse(405, 0, "a container can be read, replaced or deleted");
    // Indexes are always up to date here.
    answer.headers.add("x-ms-documentdb-collection-index-transformation-progress", "100");
    give(answer, 200, its->definition);
    return answer;
}

// A feed of changes: with If-None-Match only what has come since, or 304.
Answer Turn::pkranges() {
    Answer answer;
    const std::string etag = '"' + std::to_string(container_->topology) + '"';
    answer.headers.add("etag", etag);
    answer.headers.add("x-ms-content-path", container_->rid);
    answer.headers.add("x-ms-alt-content-path", container_->link);
    std::uint64_t since = 0;
    std::string_view known = asked_.header("if-none-match");
    while (known.starts_with('"')) known.remove_prefix(1);
    (void)std::from_chars(known.data(), known.data() + known.size(), since);
    if (since >= container_->topology) {
        answer.status = 304;
        return answer;
    }
    std::string list;
    std::size_t count = 0;
    for (const auto& range : container_->ranges) {
        if (range->changed <= since) continue;
        std::string parents;
        for (const std::string& parent : range->parents)
            parents += (parents.empty() ? "" : ",") + quoted(parent);
        const std::string rid = item_rid(container_->rid, 0x5000'0000'0000'0000U + count);
        list += (count++ > 0 ? "," : "") + std::string{"{\"_rid\":"} + quoted(rid) +
                ",\"id\":" + quoted(range->id) + ",\"_etag\":\"\\\"0000-" +
                std::to_string(range->changed) + "\\\"\"" +
                ",\"minInclusive\":" + quoted(range->min) +
                ",\"maxExclusive\":" + quoted(range->max) + ",\"ridPrefix\":" + range->id +
                ",\"_self\":" +
                quoted("dbs/" + container_->database_rid + "/colls/" + container_->rid +
                       "/pkranges/" + rid + '/') +
                ",\"throughputFraction\":1,\"status\":\"online\",\"parents\":[" + parents +
                "],\"_ts\":" + seconds_of(asked_.wall) + '}';
    }
    answer.body = "{\"_rid\":" + quoted(container_->rid) + ",\"PartitionKeyRanges\":[" + list +
                  "],\"_count\":" + std::to_string(count) + '}';
    answer.headers.add("x-ms-item-count", std::to_string(count));
    return answer;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

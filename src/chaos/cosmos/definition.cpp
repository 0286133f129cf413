// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/definition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "chaos/cosmos/key.hpp"
#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

using namespace std::string_view_literals;

// Of what is no array, none.
const std::vector<Json>& list_of(const Json* object, std::string_view name) noexcept {
    static const std::vector<Json> none;
    const Json* list = object ? object->find(name) : nullptr;
    return list ? list->elements() : none;
}

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) noexcept {
    return std::ranges::any_of(words, [&](auto one) { return http::same_name(one, word); });
}

bool within(const Json& number, double least, double most) noexcept {
    if (!number.is_number()) return false;
    const double value = number.as_double();
    return value >= least && value <= most && value == std::floor(value);
}

std::string not_served(std::string_view feature) {
    return std::string{feature} + " are not served by this gateway.";
}

// Features that would change answers, and do not here.
std::string unserved_feature(const Json& definition) {
    if (!list_of(&definition, "computedProperties").empty())
        return not_served("Computed properties");
    if (definition.find("materializedViewDefinition")) return not_served("Materialized views");
    if (const Json* ttl = definition.find("analyticalStorageTtl"); ttl && ttl->as_double() != 0)
        return not_served("Analytical stores");
    if (const Json* feed = definition.find("changeFeedPolicy"))
        if (const Json* kept = feed->find("retentionDuration"); kept && kept->as_double() != 0)
            return not_served("Change feeds of all versions and deletes");
    if (const Json* policy = definition.find("conflictResolutionPolicy")) {
        const std::string_view path = policy->word("conflictResolutionPath");
        if (http::same_name(policy->word("mode"), "Custom") || (!path.empty() && path != "/_ts"))
            return not_served("Conflict resolutions other than the last writer's by _ts");
    }
    return "";
}

std::string composite_problem(const Json* policy) {
    for (const Json& index : list_of(policy, "compositeIndexes")) {
        if (index.elements().size() < 2)
            return "A composite index in the indexing policy needs at least two paths.";
        for (const Json& part : index.elements()) {
            const std::string_view path = part.word("path");
            if (!path.starts_with('/') || path.ends_with('*') || path.ends_with('?'))
                return "The composite index path '" + std::string{path} + "' is invalid.";
            const Json* order = part.find("order");
            if (order && !is_one_of(order->text(), std::array{"ascending"sv, "descending"sv}))
                return "The composite index order '" + order->text() + "' is invalid.";
        }
    }
    return "";
}

std::string spatial_problem(const Json& definition, const Json* policy) {
    const Json* config = definition.find("geospatialConfig");
    const bool flat = config && http::same_name(config->word("type"), "Geometry");
    for (const Json& index : list_of(policy, "spatialIndexes")) {
        if (!index.word("path").starts_with('/'))
            return "The spatial index path '" + std::string{index.word("path")} + "' is invalid.";
        for (const Json& type : list_of(&index, "types"))
            if (!is_one_of(type.text(),
                           std::array{"Point"sv, "LineString"sv, "Polygon"sv, "MultiPolygon"sv}))
                return "The spatial index type '" + type.text() + "' is invalid.";
        if (flat && !index.find("boundingBox"))
            return "A spatial index needs a boundingBox where the geospatial type is Geometry.";
        if (!flat && index.find("boundingBox"))
            return "A boundingBox is not allowed where the geospatial type is Geography.";
    }
    return "";
}

// Limits as azure-cosmos 4.16's tests/test_vector_policy.py expects the service to name them; the
// largest number of dimensions is the service's documented one.
constexpr double most_dimensions = 4096;

std::string embedding_problem(const Json& embedding) {
    if (!embedding.word("path").starts_with('/'))
        return "The Vector Embedding Policy has an invalid Path:" +
               std::string{embedding.word("path")};
    if (!is_one_of(embedding.word("dataType"),
                   std::array{"float32"sv, "float16"sv, "int8"sv, "uint8"sv}))
        return "The Vector Embedding Policy has an invalid DataType:" +
               std::string{embedding.word("dataType")};
    if (!is_one_of(embedding.word("distanceFunction"),
                   std::array{"euclidean"sv, "cosine"sv, "dotproduct"sv}))
        return "The Vector Embedding Policy has an invalid DistanceFunction:" +
               std::string{embedding.word("distanceFunction")};
    const Json* size = embedding.find("dimensions");
    const std::string text = size ? size->text() : "";
    if (size && size->is_number() && size->as_double() > most_dimensions)
        return "The Vector Embedding Policy has Dimensions:" + text +
               " which is more than the maximum supported value: 4096";
    if (!size || !within(*size, 1, most_dimensions))
        return "The Vector Embedding Policy has Dimensions:" + text +
               ", it should be a positive integer";
    return "";
}

std::string range_problem(const Json& index, std::string_view field, std::string_view name,
                          int least, int most) {
    const Json* value = index.find(field);
    if (!value || within(*value, least, most)) return "";
    return "The Vector Indexing Policy parameter " + std::string{name} +
           " value :: " + value->text() + " is out of range. The allowed range is between " +
           std::to_string(least) + " and " + std::to_string(most) + ".";
}

std::string shard_problem(const Json& index) {
    const Json* shards = index.find("vectorIndexShardKey");
    if (!shards) return "";
    if (!shards->is_array()) return "One of the specified inputs is invalid: vectorIndexShardKey";
    if (shards->elements().size() > 1)
        return "The number of shard paths defined in the Vector Indexing Policy: " +
               std::to_string(shards->elements().size()) + " exceeds the maximum: 1.";
    for (const Json& path : shards->elements())
        if (!path.text().starts_with('/'))
            return "The Vector Indexing Policy has an invalid Shard Path: " + path.text() + ".";
    return "";
}

std::string vector_problem(const Json& definition, const Json* policy) {
    const std::vector<Json>& embeddings =
        list_of(definition.find("vectorEmbeddingPolicy"), "vectorEmbeddings");
    for (const Json& embedding : embeddings)
        if (std::string problem = embedding_problem(embedding); !problem.empty()) return problem;
    for (const Json& index : list_of(policy, "vectorIndexes")) {
        const std::string path{index.word("path")};
        if (!is_one_of(index.word("type"), std::array{"flat"sv, "quantizedFlat"sv, "diskANN"sv}))
            return "The Vector Indexing Policy's Index Type::" + std::string{index.word("type")} +
                   " is invalid.";
        if (std::ranges::none_of(embeddings,
                                 [&](const Json& one) { return one.word("path") == path; }))
            return "The Vector Indexing Policy's path::" + path +
                   " not matching in Embedding's path.";
        for (std::string problem :
             {range_problem(index, "quantizationByteSize", "QuantizationByteSize", 1, 256),
              range_problem(index, "indexingSearchListSize", "IndexingSearchListSize", 25, 500),
              shard_problem(index)})
            if (!problem.empty()) return problem;
    }
    return "";
}

std::string unique_keys_problem(const Json& definition) {
    for (const Json& key : list_of(definition.find("uniqueKeyPolicy"), "uniqueKeys")) {
        if (list_of(&key, "paths").empty()) return "A unique key needs at least one path.";
        for (const Json& path : list_of(&key, "paths"))
            if (!path.text().starts_with('/') || path.text().size() < 2)
                return "The unique key path '" + path.text() + "' is invalid.";
    }
    return "";
}

}  // namespace

std::optional<std::int64_t> time_to_live(const Json& value) noexcept {
    constexpr double longest = 2147483647;
    if (!within(value, -1, longest) || value.as_double() == 0) return std::nullopt;
    return static_cast<std::int64_t>(value.as_double());
}

std::string problem_of(const Json& definition) {
    if (std::string problem = unserved_feature(definition); !problem.empty()) return problem;
    if (const Json* ttl = definition.find("defaultTtl"); ttl && !time_to_live(*ttl))
        return "The input defaultTtl '" + ttl->dump() +
               "' is invalid. It is -1, or a positive integer up to 2147483647.";
    const Json* policy = definition.find("indexingPolicy");
    const Json* mode = policy ? policy->find("indexingMode") : nullptr;
    if (mode && !is_one_of(mode->text(), std::array{"consistent"sv, "lazy"sv, "none"sv}))
        return "The indexing mode '" + mode->text() + "' is invalid.";
    for (std::string problem :
         {composite_problem(policy), spatial_problem(definition, policy),
          vector_problem(definition, policy), unique_keys_problem(definition)})
        if (!problem.empty()) return problem;
    return "";
}

void complete_indexing(Json& definition) {
    if (!definition.find("geospatialConfig"))
        definition.set("geospatialConfig", *Json::parse(R"({"type":"Geography"})"));
    if (!definition.find("indexingPolicy")) definition.set("indexingPolicy", Json::object());
    Json& policy = *definition.find("indexingPolicy");
    if (!policy.is_object()) return;
    const auto add = [&](const char* name, const char* json) {
        if (!policy.find(name)) policy.set(name, *Json::parse(json));
    };
    add("indexingMode", R"("consistent")");
    if (http::same_name(policy.word("indexingMode"), "none")) return;
    add("automatic", "true");
    add("includedPaths", R"([{"path":"/*"}])");
    add("excludedPaths", "[]");
    constexpr std::string_view etag = R"(/"_etag"/?)";
    std::vector<Json>& excluded = policy.find("excludedPaths")->elements();
    if (std::ranges::any_of(excluded, [&](const Json& one) { return one.word("path") == etag; }))
        return;
    excluded.push_back(Json::object());
    excluded.back().set("path", Json::text(etag));
}

std::string problem_of_change(const Json& from, const Json& to) {
    const auto kept = [](const std::vector<Json>& before, const std::vector<Json>& after) {
        return std::ranges::all_of(before, [&](const Json& one) {
            return std::ranges::any_of(
                after, [&](const Json& other) { return other.dump() == one.dump(); });
        });
    };
    if (!kept(list_of(from.find("vectorEmbeddingPolicy"), "vectorEmbeddings"),
              list_of(to.find("vectorEmbeddingPolicy"), "vectorEmbeddings")))
        return "Paths in existing embedding policy cannot be modified in Collection Replace.";
    if (!kept(list_of(from.find("indexingPolicy"), "vectorIndexes"),
              list_of(to.find("indexingPolicy"), "vectorIndexes")))
        return "Paths in existing vector indexing policy cannot be modified in Collection Replace.";
    return "";
}

ItemRules ItemRules::of(const Json& definition) {
    ItemRules rules;
    if (const Json* ttl = definition.find("defaultTtl")) rules.ttl = time_to_live(*ttl);
    for (const Json& key : list_of(definition.find("uniqueKeyPolicy"), "uniqueKeys")) {
        std::vector<Path>& paths = rules.unique_keys.emplace_back();
        for (const Json& path : list_of(&key, "paths")) paths.push_back(steps_of(path.text()));
    }
    return rules;
}

std::vector<std::string> ItemRules::unique_values(const Json& item) const {
    std::vector<std::string> values;
    for (const std::vector<Path>& key : unique_keys) {
        std::string& text = values.emplace_back();
        for (const Path& path : key) {
            const Json* value = at_path(item, path);
            text += value ? value->dump() : "null";
            text += '\n';
        }
    }
    return values;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

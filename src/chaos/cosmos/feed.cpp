// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "chaos/cosmos/query.hpp"
#include "chaos/cosmos/turn.hpp"
#include "perdure/http/date.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

constexpr std::size_t usual_page = 100;
constexpr std::size_t largest_page = 1000;

std::size_t page_size(std::string_view header) noexcept {
    int wanted = 0;
    (void)std::from_chars(header.data(), header.data() + header.size(), wanted);
    if (wanted == 0) return usual_page;
    return wanted < 0 ? largest_page : std::min(static_cast<std::size_t>(wanted), largest_page);
}

// Where the next page begins. Its range may have been split since: what was read of the parent has
// been read of its children.
struct Place {
    enum class Kind : std::uint8_t { start, empty, item, offset };
    Kind kind = Kind::start;
    std::uint64_t number = 0;  // empty pages so far, the last item read, or results given
    std::string min{}, max{};
    std::uint64_t rest = 0;  // the same for [max, rest_max): a child whose sibling is being read
    std::string rest_max{};

    static std::optional<Place> read(std::string_view text) {
        if (text.empty()) return Place{};
        const auto body = Json::parse(text);
        if (!body) return std::nullopt;
        constexpr std::string_view names[] = {"", "empty", "rid", "skip"};
        for (std::size_t i = 1; i < 4; ++i)
            if (const Json* number = body->find(names[i])) {
                Place place{.kind = static_cast<Kind>(i)};
                const std::string& digits = number->text();
                (void)std::from_chars(digits.data(), digits.data() + digits.size(), place.number);
                place.min = body->word("min");
                place.max = body->word("max");
                place.rest_max = body->word("rest_max");
                if (const Json* rest = body->find("rest"))
                    place.rest = static_cast<std::uint64_t>(rest->as_double());
                return place;
            }
        return std::nullopt;
    }
    [[nodiscard]] std::string write() const {
        const std::string digits = std::to_string(number);
        if (kind == Kind::empty) return "{\"empty\":" + digits + '}';
        if (kind == Kind::offset) return "{\"skip\":" + digits + '}';
        std::string text = "{\"rid\":" + digits + ",\"min\":" + quoted(min);
        if (!rest_max.empty())
            text += ",\"rest\":" + std::to_string(rest) + ",\"rest_max\":" + quoted(rest_max);
        return text + ",\"max\":" + quoted(max) + '}';
    }
    // The last item of this range that was read.
    [[nodiscard]] std::uint64_t read_of(const Range& range) const {
        if (kind != Kind::item) return 0;
        if (range.min < max && min < range.max) return number;
        return range.min < rest_max ? rest : 0;
    }
    // After an item of this range.
    [[nodiscard]] Place moved_to(const Range& range, std::uint64_t item) const {
        Place next{.kind = Kind::item, .number = item, .min = range.min, .max = range.max};
        if (kind != Kind::item) return next;
        const bool inside = range.max < max;
        next.rest = inside ? number : rest;
        next.rest_max = inside ? max : rest_max;
        if (next.rest_max <= range.max) next.rest_max.clear();
        return next;
    }
    [[nodiscard]] bool past(const Range& range) const {
        return kind == Kind::item && range.max <= min;
    }
};

struct Page {
    std::vector<std::string> results{};
    std::optional<Place> next{};
    std::size_t looked_at = 0;
};

struct Reading {
    const Query* query = nullptr;  // null: everything
    const Key* key = nullptr;
    std::optional<KeyBounds> part{};
    const Container* container = nullptr;
    WallTime now{};
    std::size_t region = 0;
    std::size_t size = usual_page;
    std::vector<const Range*> ranges{};

    // Whether the request is about this item, whatever its query says.
    [[nodiscard]] bool reaches(const Item& item) const {
        return (!key || item.key.text.starts_with(key->text)) &&
               (!part || part->holds(item.key.effective)) && !container->expired(item, now);
    }
};

Reading reading_of(const Container& container, const Destination& destination, const Asked& asked,
                   std::size_t region, std::string& problem) {
    Reading reading{.key = destination.key ? &*destination.key : nullptr,
                    .part = KeyBounds::of(asked, problem),
                    .container = &container,
                    .now = asked.wall,
                    .region = region,
                    .size = page_size(asked.header("x-ms-max-item-count"))};
    // Of a hierarchical key's beginning all that follows, which may lie in several ranges.
    for (const auto& range : container.ranges)
        if (destination.includes(*range) &&
            (!reading.part || range->overlaps(reading.part->from, reading.part->to)))
            reading.ranges.push_back(range.get());
    return reading;
}

// In the order of ranges, then of items, as far as a page goes.
Page read_page(const Reading& reading, const Place& from) {
    Page page;
    Place last = from;
    for (const Range* range : reading.ranges) {
        if (from.past(*range)) continue;
        const auto& items = range->feed(reading.region);
        for (auto at = items.upper_bound(from.read_of(*range)); at != items.end(); ++at) {
            if (page.results.size() >= reading.size) {
                page.next = std::move(last);
                return page;
            }
            const Item& item = *at->second;
            last = from.moved_to(*range, item.number);
            if (!reading.reaches(item)) continue;
            ++page.looked_at;
            if (!reading.query) {
                page.results.push_back(item.text);
                continue;
            }
            const auto json = Json::parse(item.text);
            if (!json || !reading.query->fits(*json)) continue;
            if (auto result = reading.query->project(*json)) page.results.push_back(result->dump());
        }
    }
    return page;
}

std::vector<Json> all_fitting(const Reading& reading, Page& page) {
    std::vector<Json> found;
    for (const Range* range : reading.ranges)
        for (const auto& [number, item] : range->feed(reading.region)) {
            if (!reading.reaches(*item)) continue;
            ++page.looked_at;
            auto json = Json::parse(item->text);
            if (json && reading.query->fits(*json)) found.push_back(std::move(*json));
        }
    return found;
}

// Items without the value are left out; those with the same one stay as they are.
void put_in_order(std::vector<Json>& items, const Query& query) {
    struct Placed {
        Json item, value;
        std::size_t at = 0;
    };
    std::vector<Placed> placed;
    for (Json& item : items)
        if (const Json* found = at_path(item, *query.order)) {
            Json value = *found;
            placed.push_back({std::move(item), std::move(value), placed.size()});
        }
    std::ranges::sort(placed, [&](const Placed& left, const Placed& right) {
        const int order = compare(left.value, right.value);
        if (order == 0) return left.at < right.at;
        return query.descending ? order > 0 : order < 0;
    });
    items.clear();
    for (Placed& one : placed) items.push_back(std::move(one.item));
}

// Counts, orders and cuts: from all of them at once.
Page read_whole(const Reading& reading, const Place& from) {
    Page page;
    const Query& query = *reading.query;
    std::vector<Json> found = all_fitting(reading, page);
    if (query.select == Query::Select::count || query.select == Query::Select::count_object) {
        const std::string count = std::to_string(found.size());
        const bool bare = query.select == Query::Select::count;
        page.results.push_back(bare ? count
                                    : "{" + quoted(query.fields[0].name) + ":" + count + "}");
        return page;
    }
    if (query.order) put_in_order(found, query);
    const std::uint64_t done = from.kind == Place::Kind::offset ? from.number : 0;
    const std::uint64_t end = std::min<std::uint64_t>(
        found.size(), query.limit ? query.offset + *query.limit : found.size());
    std::uint64_t at = query.offset + done;
    for (; at < end && page.results.size() < reading.size; ++at)
        if (auto result = query.project(found[at])) page.results.push_back(result->dump());
    if (at < end) page.next = Place{.kind = Place::Kind::offset, .number = at - query.offset};
    return page;
}

}  // namespace

Answer Turn::feed() {
    std::string problem;
    Reading reading = reading_of(*container_, destination_, asked_, region_, problem);
    if (!problem.empty()) return refuse(400, 0, problem);
    const bool narrowed = destination_.key || reading.part;
    std::optional<Query> query;
    if (asked_.method == "POST") {
        const auto body = Json::parse(asked_.body);
        if (!body) return refuse(400, 0, "The request payload is invalid JSON.");
        query = Query::read(*body, problem);
        if (!query) return refuse(400, 0, problem);
        if (!range_ && !narrowed && !asked_.flagged("x-ms-documentdb-query-enablecrosspartition"))
            return refuse(400, 0,
                          "Cross partition query is required but disabled. Please set "
                          "x-ms-documentdb-query-enablecrosspartition to true.");
    }
    reading.query = query ? &*query : nullptr;
    const bool in_one = range_ || (narrowed && reading.ranges.size() == 1);
    if (query && query->needs_all() && !in_one)
        return refuse(400, 1004,
                      "The provided cross partition query can not be directly served by the "
                      "gateway. This is a first chance (internal) exception that all newer clients "
                      "will know how to handle gracefully.");
    auto from = Place::read(asked_.header("x-ms-continuation"));
    if (!from) return refuse(400, 0, "The continuation token is not valid.");
    Page page;
    const std::uint64_t empty = from->kind == Place::Kind::empty ? from->number : 0;
    const bool begins = from->kind == Place::Kind::start || from->kind == Place::Kind::empty;
    if (begins && empty < account_.empty_pages)
        page.next = Place{.kind = Place::Kind::empty, .number = empty + 1};
    else
        page = query && query->needs_all() ? read_whole(reading, *from) : read_page(reading, *from);
    Answer answer;
    answer.charge = 2 + 0.1 * static_cast<double>(page.looked_at);
    answer.body = "{\"_rid\":" + quoted(container_->rid) + ",\"Documents\":[";
    for (std::size_t i = 0; i < page.results.size(); ++i)
        answer.body.append(i > 0 ? "," : "").append(page.results[i]);
    const std::string count = std::to_string(page.results.size());
    answer.body.append("],\"_count\":").append(count).append("}");
    answer.headers.add("x-ms-item-count", count);
    if (page.next) answer.headers.add("x-ms-continuation", page.next->write());
    return answer;
}

// Latest versions since a place in the log, or since a time.
Answer Turn::changes() {
    if (!http::same_name(asked_.header("a-im"), "Incremental Feed"))
        return refuse(400, 0,
                      "Change feeds of all versions and deletes are not served by this gateway.");
    std::string problem;
    const Reading reading = reading_of(*container_, destination_, asked_, region_, problem);
    const auto time = asked_.headers.find("if-modified-since");
    const auto since_time = time ? http::parse_http_date(*time, asked_.wall) : std::nullopt;
    if (time && !since_time) problem = "If-Modified-Since is no date.";
    if (!problem.empty()) return refuse(400, 0, problem);
    if (reading.ranges.size() != 1)
        return refuse(400, 0, "a change feed is read range by range or key by key");
    if (!range_) range_ = container_->range_named(reading.ranges[0]->id);
    std::uint64_t since = 0;
    std::string_view known = asked_.header("if-none-match");
    while (known.starts_with('"')) known.remove_prefix(1);
    if (known == "*") since = range_->complete_to(region_);
    else (void)std::from_chars(known.data(), known.data() + known.size(), since);
    // To the second, as "_ts" counts: what was written in the second of the time is in it.
    const std::int64_t earliest = since_time ? epoch_seconds(*since_time) : 0;
    std::vector<ItemPtr> found;
    for (const auto& [number, item] : range_->feed(region_))
        if (item->lsn > since && item->seconds >= earliest && reading.reaches(*item))
            found.push_back(item);
    std::ranges::sort(found, {}, &Item::lsn);
    if (found.size() > reading.size) found.resize(reading.size);
    Answer answer;
    answer.status = found.empty() ? 304 : 200;
    // Where nothing was found, the next reader need not look at the same changes again, nor need it
    // know the time.
    const std::uint64_t upto =
        found.empty() ? std::max(since, range_->complete_to(region_)) : found.back()->lsn;
    answer.headers.add("etag", '"' + std::to_string(upto) + '"');
    answer.headers.add("x-ms-item-count", std::to_string(found.size()));
    answer.body = "{\"_rid\":" + quoted(container_->rid) + ",\"Documents\":[";
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::string_view text = found[i]->text;
        answer.body.append(i > 0 ? "," : "").append(text.substr(0, text.size() - 1));
        answer.body.append(",\"_lsn\":").append(std::to_string(found[i]->lsn)).append("}");
    }
    answer.body.append("],\"_count\":").append(std::to_string(found.size())).append("}");
    return answer;
}

// What clients that spread a query themselves ask for first.
Answer Turn::query_plan() {
    const auto body = Json::parse(asked_.body);
    std::string problem;
    const auto query = body ? Query::read(*body, problem) : std::nullopt;
    if (!query) return refuse(400, 0, body ? problem : "The request payload is invalid JSON.");
    if (query->needs_all())
        return refuse(400, 0, "only plain SELECTs across partitions are planned here");
    Answer answer;
    answer.body = R"({"partitionedQueryExecutionInfoVersion":2,"queryInfo":{"distinctType":"None",)"
                  R"("top":null,"offset":null,"limit":null,"orderBy":[],"orderByExpressions":[],)"
                  R"("groupByExpressions":[],"groupByAliases":[],"aggregates":[],)"
                  R"("groupByAliasToAggregateType":{},"rewrittenQuery":"","hasSelectValue":)";
    answer.body += query->select == Query::Select::value ? "true" : "false";
    answer.body += R"(,"dCountInfo":null,"hasNonStreamingOrderBy":false},"queryRanges":[{"min":"",)"
                   R"("max":"FF","isMinInclusive":true,"isMaxInclusive":false}]})";
    return answer;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

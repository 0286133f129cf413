// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/items.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "chaos/cosmos/patch.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

constexpr std::array<std::string_view, 5> system_properties{"_rid", "_self", "_etag",
                                                            "_attachments", "_ts"};

Outcome no(int status, int substatus, std::string_view message) {
    return {.status = status, .substatus = substatus, .message = std::string{message}};
}

Outcome absent() {
    return no(404, 0, "Entity with the specified id does not exist in the system.");
}

Outcome exists() {
    return no(409, 0, "Entity with the specified id already exists in the system.");
}

Outcome other_key() {
    return no(
        400, 1001,
        "PartitionKey extracted from document doesn't match the one specified in the header.");
}

bool stale(const ItemAct& act, const ItemPtr& now) {
    return !act.if_match.empty() && act.if_match != "*" && act.if_match != now->etag;
}

Outcome refused_by_etag() { return no(412, 0, "One of the specified pre-condition is not met"); }

double write_charge(std::size_t bytes) { return 5 + std::floor(static_cast<double>(bytes) / 1024); }

}  // namespace

std::string_view trouble_with_id(std::string_view id) noexcept {
    if (id.empty()) return "The input name is empty.";
    if (id.size() > 1023) return "The input name is longer than 1023 bytes.";
    // A question mark is valid: test/public/functional/item/itemIdEncoding.spec.ts of @azure/cosmos.
    if (id.find_first_of("/\\#") != std::string_view::npos)
        return "Id contains illegal chars. It may not have / \\ #.";
    return "";
}

std::string_view trouble_with_name(std::string_view name) noexcept {
    if (name.find('?') != std::string_view::npos) return "The input name contains a question mark.";
    return trouble_with_id(name);
}

ItemPtr ItemWriter::find(const std::string& name) const {
    const auto staged = staged_.find(name);
    ItemPtr now = staged != staged_.end() ? staged->second : range_.find(region_, name);
    if (now && container_.expired(*now, asked_.wall)) return nullptr;
    return now;
}

bool ItemWriter::taken(const Item& item) const {
    const auto clashes = [&](const Item& other) {
        if (other.gone || other.number == item.number || other.key.text != item.key.text)
            return false;
        for (std::size_t i = 0; i < std::min(item.unique.size(), other.unique.size()); ++i)
            if (item.unique[i] == other.unique[i]) return true;
        return false;
    };
    for (const auto& [name, other] : staged_)
        if (clashes(*other)) return true;
    for (const auto& [number, other] : range_.feed(region_))
        if (!staged_.contains(other->name) && !container_.expired(*other, asked_.wall) &&
            clashes(*other))
            return true;
    return false;
}

Outcome ItemWriter::act(const ItemAct& act) {
    std::string_view id = act.id;
    if (act.verb == Verb::create || act.verb == Verb::upsert) id = act.body->word("id");
    if (const std::string_view trouble = trouble_with_id(id); !trouble.empty())
        return no(400, 0, trouble);
    ItemAct named = act;
    named.id = id;
    const ItemPtr now = find(name_of(*act.key, id));
    switch (act.verb) {
        case Verb::read: return read(named, now);
        case Verb::remove: return remove(named, now);
        case Verb::patch: return patch(named, now);
        default: return put(named, now);
    }
}

Outcome ItemWriter::read(const ItemAct& act, const ItemPtr& now) const {
    if (!now || now->gone) return absent();
    const bool known = act.if_none_match == now->etag || act.if_none_match == "*";
    return {.status = known ? 304 : 200, .charge = 1, .item = now};
}

Outcome ItemWriter::put(const ItemAct& act, const ItemPtr& now) {
    const bool there = now && !now->gone;
    if (act.verb == Verb::replace) {
        if (!there) return absent();
        if (act.body->word("id") != act.id) return rename(act, now);
    }
    if (container_.keys.of(*act.body).text != act.key->text) return other_key();
    if (act.verb == Verb::create && there) return exists();
    if (there && stale(act, now)) return refused_by_etag();
    Outcome outcome =
        write(*act.body, *act.key, act.id, now, there ? WriteKind::replaced : WriteKind::created);
    if (outcome.status == 200 && !there) outcome.status = 201;
    return outcome;
}

Outcome ItemWriter::rename(const ItemAct& act, const ItemPtr& now) {
    const std::string_view id = act.body->word("id");
    if (const std::string_view trouble = trouble_with_id(id); !trouble.empty())
        return no(400, 0, trouble);
    if (container_.keys.of(*act.body).text != act.key->text) return other_key();
    if (stale(act, now)) return refused_by_etag();
    const ItemPtr there = find(name_of(*act.key, id));
    if (there && !there->gone) return exists();
    give_up(now);
    return write(*act.body, *act.key, id, now, WriteKind::replaced);
}

void ItemWriter::give_up(const ItemPtr& now) {
    auto gone = std::make_shared<Item>(*now);
    gone->gone = true;
    gone->text.clear();
    gone->seconds = stamp(now);
    gone->region = region_;
    staged_[gone->name] = gone;
    changes_.push_back({std::move(gone), WriteKind::deleted, ""});
}

Outcome ItemWriter::remove(const ItemAct& act, const ItemPtr& now) {
    if (!now || now->gone) return absent();
    if (stale(act, now)) return refused_by_etag();
    give_up(now);
    return {.status = 204, .charge = write_charge(0)};
}

Outcome ItemWriter::patch(const ItemAct& act, const ItemPtr& now) {
    if (!now || now->gone) return absent();
    if (stale(act, now)) return refused_by_etag();
    auto item = Json::parse(now->text);
    if (!item) return no(500, 0, "the stored item is no JSON");
    const Patched patched = apply_patch(*item, *act.body);
    if (patched.status != 200) return no(patched.status, 0, patched.message);
    if (item->word("id") != act.id || container_.keys.of(*item).text != act.key->text)
        return no(400, 0, "A patch cannot change the id or the partition key.");
    return write(std::move(*item), *act.key, act.id, now, WriteKind::patched);
}

// Never earlier than what it replaces, and so that it wins over it everywhere.
std::int64_t ItemWriter::stamp(const ItemPtr& now) const {
    const std::int64_t seconds =
        std::chrono::duration_cast<std::chrono::seconds>(asked_.wall.time_since_epoch()).count();
    if (!now || now->seconds < seconds) return seconds;
    return now->region < region_ ? now->seconds + 1 : now->seconds;
}

Outcome ItemWriter::write(Json body, const Key& key, std::string_view id, const ItemPtr& now,
                          WriteKind kind) {
    auto item = std::make_shared<Item>();
    item->key = key;
    item->id = id;
    item->name = name_of(key, id);
    item->number = now && !now->gone ? now->number : container_.next_item++;
    item->seconds = stamp(now);
    item->region = region_;
    if (const Json* ttl = body.find("ttl")) {
        const auto seconds = time_to_live(*ttl);
        if (!seconds && container_.rules.ttl)
            return no(400, 0,
                      "The input ttl is invalid. It is -1, or a positive integer up to "
                      "2147483647.");
        item->ttl = seconds.value_or(0);
    }
    if (!container_.rules.unique_keys.empty()) {
        item->unique = container_.rules.unique_values(body);
        if (taken(*item)) return no(409, 0, "Unique index constraint violation.");
    }
    item->etag = account_.new_etag(item->seconds);
    const std::string rid = item_rid(container_.rid, item->number);
    for (const std::string_view name : system_properties) body.remove(name);
    std::string& text = item->text;
    body.append_to(text);
    text.pop_back();
    if (text.size() > 1) text += ',';
    text.append("\"_rid\":\"").append(rid).append("\",\"_self\":\"dbs/");
    text.append(container_.database_rid).append("/colls/");
    text.append(container_.rid).append("/docs/").append(rid).append("/\",\"_etag\":");
    append_quoted(text, item->etag);
    text.append(",\"_attachments\":\"attachments/\",\"_ts\":");
    text.append(std::to_string(item->seconds)).append("}");
    if (text.size() > largest_item) return no(413, 0, "Request size is too large");
    std::string marker;
    if (!account_.options.marker.empty())
        if (const Json* mark = body.find(account_.options.marker)) marker = mark->dump();
    const double charge = write_charge(text.size());
    staged_[item->name] = item;
    changes_.push_back({item, kind, std::move(marker)});
    return {.status = 200, .charge = charge, .item = std::move(item)};
}

void ItemWriter::commit() {
    for (Change& change : changes_) {
        AppliedWrite write{.at = asked_.now,
                           .container = container_.link,
                           .partition_key = change.item->key.text,
                           .id = change.item->id,
                           .kind = change.kind,
                           .region = account_.regions[region_].name,
                           .etag = change.item->etag,
                           .activity_id = std::string{asked_.header("x-ms-activity-id")},
                           .marker = std::move(change.marker)};
        write.lsn = change.item->lsn = range_.last() + 1;
        range_.append(region_, std::move(change.item), asked_.now);
        account_.keep(std::move(write));
    }
    changes_.clear();
    staged_.clear();
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// What does an operation on one item do? Alone or in a batch, all or nothing.
//
//     ItemWriter writer{account, container, range, region, asked};
//     const Outcome outcome = writer.act({.verb = Verb::create, .key = key, .body = &item});
//     if (outcome.status < 400) writer.commit();
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chaos/cosmos/account.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

enum class Verb : std::uint8_t { create, upsert, read, replace, remove, patch };

struct ItemAct {
    Verb verb = Verb::read;
    std::string_view id{};  // empty: the body's
    const Key* key = nullptr;
    const Json* body = nullptr;  // the item, or what a patch does
    std::string_view if_match{};
    std::string_view if_none_match{};
};

// A plain value.
struct Outcome {
    int status = 200;
    int substatus = 0;
    double charge = 1;
    ItemPtr item{};  // as it is now; null if it was deleted or is not there
    std::string message{};
};

// Lives for one request, under the gateway's lock. What is not committed has not happened.
class ItemWriter {
public:
    ItemWriter(Account& account, Container& container, Range& range, std::size_t region,
               const Asked& asked)
        : account_{account}, container_{container}, range_{range}, region_{region}, asked_{asked} {}

    [[nodiscard]] Outcome act(const ItemAct& act);
    void commit();

private:
    struct Change {
        std::shared_ptr<Item> item;
        WriteKind kind;
        std::string marker;
    };

    // As it is now, also if it was deleted; null: never was there, or expired.
    [[nodiscard]] ItemPtr find(const std::string& name) const;
    // Whether another item of the same key has the same value of a unique key.
    [[nodiscard]] bool taken(const Item& item) const;
    // A replaced item that takes another id of its partition: the old id is given up.
    [[nodiscard]] Outcome rename(const ItemAct& act, const ItemPtr& now);
    void give_up(const ItemPtr& now);
    [[nodiscard]] Outcome read(const ItemAct& act, const ItemPtr& now) const;
    [[nodiscard]] Outcome put(const ItemAct& act, const ItemPtr& now);
    [[nodiscard]] Outcome remove(const ItemAct& act, const ItemPtr& now);
    [[nodiscard]] Outcome patch(const ItemAct& act, const ItemPtr& now);
    [[nodiscard]] Outcome write(Json body, const Key& key, std::string_view id, const ItemPtr& now,
                                WriteKind kind);
    [[nodiscard]] std::int64_t stamp(const ItemPtr& now) const;

    Account& account_;
    Container& container_;
    Range& range_;
    std::size_t region_;
    const Asked& asked_;
    std::map<std::string, ItemPtr> staged_{};
    std::vector<Change> changes_{};
};

inline constexpr std::size_t largest_item = 2'097'152;

// Of an item's id, and of the name of a database or container. Empty: valid.
std::string_view trouble_with_id(std::string_view id) noexcept;
std::string_view trouble_with_name(std::string_view name) noexcept;
// The identifiers that links are made of, from numbers.
std::string database_rid(std::uint32_t database);
std::string container_rid(std::uint32_t database, std::uint32_t container);
std::string item_rid(std::string_view container_rid, std::uint64_t item);
// Back again; nothing if it is none of this container's.
std::optional<std::uint64_t> item_number(std::string_view container_rid, std::string_view rid);

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

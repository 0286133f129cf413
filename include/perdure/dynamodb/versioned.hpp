// SPDX-License-Identifier: Apache-2.0
//
// How is an item replaced only if nobody has changed it since it was read, although the answer may be
// lost? By a version that grows with every write, and a marker that says whose the last one was.
//
//     const auto order = orders.send(GetItem{"orders", key}.consistent());
//     …                                                       // version 7 was read, and changed
//     const auto kept = orders.send(Versioned{"orders", changed, {"pk"}, 7});    // now it is 8
//     if (!kept && kept.error().cause == Cause::conflict) …   // another was faster: read again
//
// The attributes are `version` and `perdure_writer`, unless told otherwise. If others have written
// further versions after an attempt whose answer was lost, nobody can tell any more whose the first of
// them was, and the outcome stays unknown.
//
// Conditions hold within one region. In a global table with eventual consistency (MREC, the default) two
// regions can both write version 8, and the later write replaces the other: write an item in one region
// only, or choose strong consistency (MRSC) for the table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/dynamodb/create_once.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/service_error.hpp"
#include "perdure/dynamodb/written.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
class Versioned : public WithCapacity<Versioned> {
public:
    using Answer = Written;

    // `seen` is the version that was read, 0 for an item that must not be there yet. The item is
    // written with the next one, whatever version it carries itself.
    Versioned(std::string table, Item item, KeyNames key, std::int64_t seen)
        : table_{std::move(table)},
          item_{std::move(item)},
          key_names_{std::move(key)},
          seen_{seen} {}

    // Other attributes for version and marker.
    Versioned& attributes(std::string version, std::string marker) & {
        version_ = std::move(version);
        marker_ = std::move(marker);
        return *this;
    }
    Versioned&& attributes(std::string version, std::string marker) && {
        return std::move(attributes(std::move(version), std::move(marker)));
    }

    [[nodiscard]] std::string_view operation() const noexcept { return "PutItem"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::guarded; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<Written> read(std::string& json) const;
    [[nodiscard]] std::optional<Written> recognise(const ServiceError& error,
                                                   const CallFacts& facts) const;
    [[nodiscard]] bool has_question() const noexcept { return true; }
    [[nodiscard]] std::optional<GetItem> question() const;
    [[nodiscard]] Landed<Written> landed(const std::optional<Item>& now,
                                         const CallFacts& facts) const;

private:
    std::string table_;
    Item item_;
    KeyNames key_names_;
    std::int64_t seen_;
    std::string version_ = "version";
    std::string marker_{usual_marker};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

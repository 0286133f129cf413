// SPDX-License-Identifier: Apache-2.0
//
// How is one request served? In the order the service has: who asks, where, for what.
//
//     return Turn{account, asked}.serve();
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chaos/cosmos/account.hpp"
#include "chaos/cosmos/items.hpp"
#include "chaos/cosmos/routing.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

struct Query;

// Lives for one request, under the gateway's lock.
class Turn {
public:
    Turn(Account& account, const Asked& asked) noexcept : account_{account}, asked_{asked} {}
    [[nodiscard]] Answer serve();

private:
    using Refused = std::optional<Answer>;  // nothing: go on

    [[nodiscard]] Answer refuse(int status, int substatus, std::string_view message) const;
    [[nodiscard]] Refused forbidden() const;  // turn.cpp: key, date, region
    // If this region does not take the request, as `hub` is where its data are written.
    [[nodiscard]] Refused wrong_region(std::size_t hub) const;
    [[nodiscard]] Answer route();
    template <class All>  // metadata.cpp
    [[nodiscard]] Answer metadata_feed(const All& all, std::string_view rid,
                                       std::string_view name) const;
    [[nodiscard]] Answer on_database();
    [[nodiscard]] Answer create_database();
    [[nodiscard]] Answer on_container();
    [[nodiscard]] Answer create_container(Database& database);
    [[nodiscard]] Answer replace_container();
    [[nodiscard]] Answer pkranges();
    [[nodiscard]] Answer offers_feed();
    [[nodiscard]] Answer on_offer();  // offers.cpp
    [[nodiscard]] std::optional<Json> wanted_throughput() const;
    void make_offer(std::string_view resource, std::string_view rid, Json content);
    void make_container_offer(const Database& database, const Container& container);
    [[nodiscard]] Answer in_container();  // turn.cpp
    [[nodiscard]] Refused find_range();
    [[nodiscard]] Refused too_early();
    [[nodiscard]] Refused too_much();
    [[nodiscard]] Answer documents();
    [[nodiscard]] Answer one_item();    // point.cpp
    [[nodiscard]] Answer batch();       // batch.cpp
    [[nodiscard]] Answer query_plan();  // feed.cpp
    [[nodiscard]] Answer feed();
    [[nodiscard]] Answer changes();
    void add_place(Answer& answer) const;
    [[nodiscard]] ItemWriter writer() const;

    Account& account_;
    const Asked& asked_;
    Resource resource_{};
    std::size_t region_ = 0;
    Container* container_ = nullptr;
    Range* range_ = nullptr;  // where the request goes, if it goes to one
    Destination destination_{};
};

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

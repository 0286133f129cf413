// SPDX-License-Identifier: Apache-2.0
//
// What does one request look like on the wire, apart from what the client adds to every one (date,
// signature, versions, session token)?
//
//     envelope.verb = Verb::get;
//     address_item(envelope, {"shop", "orders"}, "o-1");     link, path and resource
//     envelope.add_field("If-None-Match", etag);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/cosmos/wire/consistency.hpp"
#include "perdure/cosmos/wire/partition_key.hpp"
#include "perdure/duration.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

enum class Verb : std::uint8_t { get, post, put, patch, remove };
enum class Resource : std::uint8_t { account, database, container, ranges, item };

std::string_view to_string(Verb verb) noexcept;        // "GET"
std::string_view type_of(Resource resource) noexcept;  // "docs", as it is signed

// Which container: dbs/{database}/colls/{container}.
struct ContainerName {
    std::string database{};
    std::string container{};
    friend auto operator<=>(const ContainerName&, const ContainerName&) = default;
};

// What all attempts of one call share.
struct CallFacts {
    std::string_view
        id{};  // 36 characters: correlated activity id, marker, id of an item that has none
};

// Belongs to one call.
struct Envelope {
    Verb verb = Verb::get;
    Resource resource = Resource::item;
    const ContainerName* container = nullptr;  // of items, ranges and the container itself
    std::string link{};    // what is signed, names as they are: "dbs/shop/colls/orders/docs/o-1"
    std::string path{};    // "/dbs/shop/colls/orders/docs/o-1", percent-encoded
    std::string fields{};  // header lines of this request alone, each with its line end
    std::string body{};
    std::string_view content_type = "application/json";  // of a body
    const PartitionKey* key = nullptr;                   // whose session counts
    std::string_view range{};                            // or this partition range's; feeds
    std::optional<Consistency> consistency{};            // this request's own
    // Where it goes. `write`: to where writes go, although it may change nothing; a batch is a write
    // operation for the service even if it only reads. Whether it is safe to repeat is the request's safety().
    enum class Direction : std::uint8_t { by_safety, write } direction = Direction::by_safety;
    // Some reads are not about items' data and carry no session: query plans, ranges.
    enum class Session : std::uint8_t { of_partition, none } session = Session::of_partition;

    void add_field(std::string_view name, std::string_view value);
};

// Links and paths. Names are percent-encoded as path segments in the path only.
void address_account(Envelope& envelope);
void address_databases(Envelope& envelope);  // the feed: create, list
void address_database(Envelope& envelope, std::string_view database);
void address_containers(Envelope& envelope, std::string_view database);  // the feed
void address_container(Envelope& envelope, const ContainerName& name);
void address_ranges(Envelope& envelope, const ContainerName& name);
void address_items(Envelope& envelope, const ContainerName& name);  // the feed: create, query
void address_item(Envelope& envelope, const ContainerName& name, std::string_view id);

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

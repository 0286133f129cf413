// SPDX-License-Identifier: Apache-2.0
//
// What do the requests about items have in common? How they are checked and addressed, and how what comes
// back is read. Nothing that the service would refuse anyway, or read otherwise than it is meant, gets as
// far as the envelope.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perdure/cosmos/delete_item.hpp"
#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/item.hpp"
#include "perdure/cosmos/page.hpp"
#include "perdure/cosmos/reply.hpp"
#include "perdure/landed.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// All pure; any thread. Failures of checks are of the application.
[[nodiscard]] Failure invalid_request(std::string message);
[[nodiscard]] Failure unreadable_answer(std::string message);
// A further member of an object: ,"name":"text".
void append_text_field(std::string& json, std::string_view name, std::string_view text);
// A header's value from outside: a line end would begin a header of somebody else's choice.
Result<void> check_field(std::string_view what, std::string_view value);
// An id that also stands in a path, where . and .. are no names.
Result<void> check_item_id(std::string_view id);
// Of a database or a container.
Result<void> check_name(std::string_view name);
Result<void> check_container(const ContainerName& name);
Result<void> check_size(std::string_view body);

// Address, key and container of the feed or of one item; what they are given outlives the envelope.
Result<void> begin_items(Envelope& envelope, Verb verb, const ContainerName& container,
                         const PartitionKey& key);
Result<void> begin_item(Envelope& envelope, Verb verb, const ContainerName& container,
                        std::string_view id, const PartitionKey& key);
Result<void> add_etag(Envelope& envelope, const std::optional<std::string>& etag);
Result<void> add_continuation(Envelope& envelope, std::string_view continuation);
void add_number(Envelope& envelope, std::string_view name, long long number);
// Only the etag comes back.
void add_minimal(Envelope& envelope);

// A checked item that has this id, or gets it.
Result<std::string> item_with_id(std::string_view json, std::string_view id);
// A checked item that gets this id if it has none.
Result<std::string> item_with_some_id(std::string_view json, std::string_view id);

// The marker as a property: instead of an earlier one, or as the last.
Result<void> check_marker(std::string_view property, std::string_view whose);
[[nodiscard]] std::string with_marker(std::string_view json, std::string_view property,
                                      std::string_view whose);
[[nodiscard]] std::string marker_in(std::string_view json, std::string_view property);

enum class Wanted : std::uint8_t { etag, item };
Result<Written> read_written(Reply& reply, Wanted wanted);
Result<Deleted> read_deleted(Reply& reply);
Result<Page> read_page(Reply& reply, std::string_view list);
// What a marker that was found says of the write.
[[nodiscard]] Landed<Written> landed_with(Item item, Wanted wanted);

constexpr Wanted wanted_if(bool returns_item) noexcept {
    return returns_item ? Wanted::item : Wanted::etag;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// What stands in an item? Items stay the JSON text they are, so that whatever a number or a name looks
// like survives; this reads single values out of it.
//
//     const Document item{response.body};
//     item.id()                       "order-1"
//     item.integer_at("/lines/0/n")   3
//     item.text_at("/price")          12345678901234567890.12, as it came
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/cosmos/wire/partition_key.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A value's own JSON, without space around it: a view into `json`. Nothing if it is not there, or the
// text up to there is no JSON. Paths are those of partition keys: "/a/b", "/a/0" in a list, and
// "/"a/b"/c" for names with a slash. Of a name that stands there twice the first counts.
std::optional<std::string_view> read_text(std::string_view json, std::string_view path);

// Looks at text that somebody else keeps. Nothing is read ahead: each question is one pass up to its
// answer. Any thread.
class Document {
public:
    explicit Document(std::string_view json) noexcept : json_{json} {}

    [[nodiscard]] std::string_view json() const noexcept { return json_; }
    [[nodiscard]] std::optional<std::string> id() const { return string_at("/id"); }
    // Quoted, as it is sent back in If-Match.
    [[nodiscard]] std::optional<std::string> etag() const { return string_at("/_etag"); }

    [[nodiscard]] std::optional<std::string_view> text_at(std::string_view path) const {
        return read_text(json_, path);
    }
    // Nothing also for values of another type, and for numbers that do not fit.
    [[nodiscard]] std::optional<std::string> string_at(std::string_view path) const;
    [[nodiscard]] std::optional<std::int64_t> integer_at(std::string_view path) const;
    [[nodiscard]] std::optional<double> real_at(std::string_view path) const;
    [[nodiscard]] std::optional<bool> truth_at(std::string_view path) const;
    [[nodiscard]] bool is_null_at(std::string_view path) const;

private:
    std::string_view json_;
};

// Whether it can be sent as an item: one JSON object in UTF-8, at most 128 levels deep and 2 MB large,
// with an id, if it has one, that `check_id` passes. The failure is of the application: `invalid`,
// "invalid-item" or "invalid-id", or `too_large`, "item-too-large".
Result<void> valid_item(std::string_view json);

// The key that the item's own values make up; a path that leads nowhere is undefined. The failure is
// `invalid`, of the application, "invalid-partition-key": an object or a list stands there.
Result<PartitionKey> partition_key_of(std::string_view json, std::span<const std::string> paths);

// With one more property at its end, the rest of the text as it was. `json` has passed valid_item;
// what is no object comes back as it is. `value` is JSON.
std::string with_property(std::string_view json, std::string_view name, std::string_view value);

// The texts in the list of this name, as views into `page`. The failure is `corrupt`,
// "unreadable-answer".
Result<std::vector<std::string_view>> documents_of(std::string_view page,
                                                   std::string_view list = "Documents");

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

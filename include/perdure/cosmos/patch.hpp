// SPDX-License-Identifier: Apache-2.0
//
// What is to be changed about an item, without sending all of it?
//
//     Patch{}.set("/state", "paid").increment("/version", 1).when("from c where c.version = 3")
//
// At most 10 changes, done in their order, all or none. Paths are those of JSON Pointer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/cosmos/value.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// A plain value.
class Patch {
public:
    // Puts it there, over what is there.
    Patch& set(std::string path, Value value) & {
        return change("set", std::move(path), std::move(value));
    }
    Patch&& set(std::string path, Value value) && {
        return std::move(set(std::move(path), std::move(value)));
    }
    // In a list: before the element at this place; at its end for "/list/-".
    Patch& add(std::string path, Value value) & {
        return change("add", std::move(path), std::move(value));
    }
    Patch&& add(std::string path, Value value) && {
        return std::move(add(std::move(path), std::move(value)));
    }
    // Only what is there, else the service refuses the patch.
    Patch& replace(std::string path, Value value) & {
        return change("replace", std::move(path), std::move(value));
    }
    Patch&& replace(std::string path, Value value) && {
        return std::move(replace(std::move(path), std::move(value)));
    }
    Patch& remove(std::string path) & { return change("remove", std::move(path), nullptr); }
    Patch&& remove(std::string path) && { return std::move(remove(std::move(path))); }
    Patch& increment(std::string path, Value by) & {
        return change("incr", std::move(path), std::move(by));
    }
    Patch&& increment(std::string path, Value by) && {
        return std::move(increment(std::move(path), std::move(by)));
    }
    Patch& move(std::string from, std::string path) & {
        change("move", std::move(path), nullptr);
        changes_.back().from = std::move(from);
        return *this;
    }
    Patch&& move(std::string from, std::string path) && {
        return std::move(move(std::move(from), std::move(path)));
    }
    // Else the patch is refused as a conflict (412): "from c where c.version = 3".
    Patch& when(std::string condition) & {
        condition_ = std::move(condition);
        return *this;
    }
    Patch&& when(std::string condition) && { return std::move(when(std::move(condition))); }

    [[nodiscard]] std::size_t size() const noexcept { return changes_.size(); }
    [[nodiscard]] bool has_condition() const noexcept { return !condition_.empty(); }
    // Whether doing it twice could be the same as doing it once: it neither counts nor moves nor adds,
    // and takes nothing out of a list.
    [[nodiscard]] bool repeatable() const noexcept;
    // As the service wants it. The failure is `invalid`, of the application.
    Result<void> append_to(std::string& json) const;

private:
    struct Change {
        std::string_view op{};
        std::string path{};
        std::string from{};
        Value value{nullptr};
    };
    Patch& change(std::string_view op, std::string path, Value value) {
        Change one;
        one.op = op;
        one.path = std::move(path);
        one.value = std::move(value);
        changes_.push_back(std::move(one));
        return *this;
    }

    std::vector<Change> changes_{};
    std::string condition_{};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// How is a number raised exactly once, although the answer may be lost? The item remembers which calls
// have been counted, and refuses to count one twice.
//
//     const auto count = orders.send(Counted{"visits", {{"pk", "home"}}, "n"});      // + 1
//     if (count) show(count->value);
//
// The ids of the calls lie in four sets, `perdure_counted_0` to `_3`, filled in turn, a window of time
// each; the one before the last is dropped. So each id is remembered for at least one window. A call
// ends after half of it; the other half must be longer than lost requests linger and than the clocks of
// those who count differ before the first answer sets them right. The item grows by 40 bytes for each
// count within one to two windows: at ten counts a second and 2 minutes, 50 to 100 KB. Where that is too
// much, let the service remember: TransactWrite with one update keeps its token for ten minutes, for
// twice the price.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/clauses.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/service_error.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
struct Count {
    Number value{};
    // The answer was lost, and the id was found afterwards: others may have counted since.
    bool found_out = false;
};

// A plain value.
class Counted {
public:
    using Answer = Count;

    Counted(std::string table, Item key, std::string attribute, Number by = Number{1})
        : table_{std::move(table)},
          key_{std::move(key)},
          attribute_{std::move(attribute)},
          by_{std::move(by)} {}

    // The same for everybody who counts on this item; at least a second.
    Counted& window(Duration time) & {
        window_ = time;
        return *this;
    }
    Counted&& window(Duration time) && { return std::move(window(time)); }

    [[nodiscard]] std::string_view operation() const noexcept { return "UpdateItem"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::guarded; }
    // The other half of the window is for requests that linger.
    [[nodiscard]] Duration lasts() const noexcept { return window_ / 2; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<Count> read(std::string& json) const;
    [[nodiscard]] std::optional<Count> recognise(const ServiceError& error,
                                                 const CallFacts& facts) const;
    [[nodiscard]] bool has_question() const noexcept { return true; }
    [[nodiscard]] std::optional<GetItem> question() const;
    [[nodiscard]] Landed<Count> landed(const std::optional<Item>& now,
                                       const CallFacts& facts) const;

private:
    [[nodiscard]] std::optional<Count> counted_in(const Item& item, const CallFacts& facts) const;

    std::string table_;
    Item key_;
    std::string attribute_;
    Number by_;
    Duration window_ = 2min;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// What does a URL name? A link with its names decoded, the type and the link that are signed.
//
//     resource_of("/dbs/d/colls/c/docs/a%20b")    docs, entity, "dbs/d/colls/c/docs/a b"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// A plain value.
struct Resource {
    enum class Level : std::uint8_t { account, feed, entity };

    Level level = Level::account;
    std::string type{};  // "dbs", "colls", "docs", "pkranges", …; empty: the account
    std::string link{};  // of the entity, or of what a feed belongs to
    std::string database{};
    std::string container{};
    std::string id{};  // the entity's own

    // As rules and people call it.
    [[nodiscard]] std::string_view called() const noexcept {
        return level == Level::account ? std::string_view{"account"} : type;
    }
};

// Nothing for what has too many or empty names.
std::optional<Resource> resource_of(std::string_view target);
std::string percent_decoded(std::string_view text);

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

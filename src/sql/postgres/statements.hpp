// SPDX-License-Identifier: Apache-2.0
//
// Which statements does a session know already? Their translation, and under which name the server has
// them prepared.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "handles.hpp"
#include "perdure/result.hpp"
#include "placeholders.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace pg {

struct Known {
    std::string text{};  // as the user wrote it
    Translated translated{};
    std::string name{};  // empty: not prepared
    std::vector<Oid> types{};
    int uses = 0;
    bool writes_rows = false;  // these three: keywords.hpp
    bool takes_no_snapshot = false;
    bool notifies = false;
};

// Belongs to one session.
class Statements {
public:
    explicit Statements(int most) noexcept
        : most_{most < 1 ? std::size_t{1} : static_cast<std::size_t>(most)} {}

    // Valid until the next call.
    [[nodiscard]] Result<Known*> find(std::string_view text);
    // A name that no other statement of any session has: a pooler that changes the server behind our
    // back must end in an error, never in another statement.
    [[nodiscard]] std::string fresh_name(const Known& statement);
    // The server has forgotten them, or we shall.
    void forget() noexcept;
    // Names that are not used any more; the server still has them.
    [[nodiscard]] std::vector<std::string> take_leftovers() noexcept {
        return std::move(leftovers_);
    }
    [[nodiscard]] bool has_leftovers() const noexcept { return !leftovers_.empty(); }

private:
    void make_room();

    std::size_t most_;
    std::list<Known> known_;  // the one used last comes first
    std::unordered_map<std::string_view, std::list<Known>::iterator> by_text_;
    std::vector<std::string> leftovers_;
    std::uint64_t named_ = 0;
};

}  // namespace pg
}  // namespace sql
}  // namespace v0
}  // namespace perdure

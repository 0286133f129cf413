// SPDX-License-Identifier: Apache-2.0
//
// What is in the whole table, or in a part of it that somebody else need not read?
//
//     auto all = pages(orders, Scan{"orders"}.filter("cents > :much").value(":much", 1000));
//     for (Pages<Scan>& part : segments(orders, Scan{"orders"}, 8)) …    // one for each thread
//
// The other setters are in page.hpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/page.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value.
class Scan : public WithPages<Scan> {
public:
    using Answer = Page;

    explicit Scan(std::string table) : table_{std::move(table)} {}

    // The table is cut into `of` segments by the hash of its keys; this is number `which`, from 0. All
    // pages of a segment must name the same number of segments.
    Scan& segment(int which, int of) & {
        segment_ = which;
        segments_ = of;
        return *this;
    }
    Scan&& segment(int which, int of) && { return std::move(segment(which, of)); }

    [[nodiscard]] std::string_view operation() const noexcept { return "Scan"; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<Page> read(std::string& json) const;

private:
    std::string table_;
    int segment_ = 0;
    int segments_ = 0;  // 0: not cut
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

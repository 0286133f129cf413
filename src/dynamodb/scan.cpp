// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/scan.hpp"

#include "page_body.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr int most_segments = 1'000'000;  // the service's own limit

}  // namespace

Result<void> Scan::append_body(std::string& out, const CallFacts&) const {
    PERDURE_TRY(check_table(table_));
    PERDURE_TRY(check_clauses(clauses_, placeholders_));
    const bool cut = segments_ != 0 || segment_ != 0;
    if (cut && (segment_ < 0 || segment_ >= segments_ || segments_ > most_segments))
        return fail(invalid_request(
            "a segment's number is 0 or more and less than their number, at most 1000000"));
    JsonWriter json{out};
    json.begin_object();
    json.member("TableName", table_);
    append_clauses(json, clauses_, placeholders_);
    if (cut) {
        json.key("Segment");
        json.integer(segment_);
        json.key("TotalSegments");
        json.integer(segments_);
    }
    if (reports_capacity_) append_report_capacity(json);
    json.end_object();
    return {};
}

Result<Page> Scan::read(std::string& json) const { return read_page(json); }

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

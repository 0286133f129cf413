// SPDX-License-Identifier: Apache-2.0
//
// How are the elements of a JSON array found in the window? As records, one to each element. What makes
// the rest of the array unreadable is a failure: the place behind it cannot be found.
#include <algorithm>

#include "load/source/source_records.hpp"
#include "load/source/splitting_array.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using perdure::Cause;

namespace {

struct ArrayFault {
    Cause cause = Cause::invalid;
    const char* code = "array";
    std::string message{};
};

perdure::Fail broken_array(const std::string& path, std::uint64_t line, ArrayFault fault) {
    return perdure::fail(
        {.cause = fault.cause,
         .effect = perdure::Effect::none,
         .origin = perdure::Origin::application,
         .code = fault.code,
         .message = path + ": line " + std::to_string(line) + ": " + std::move(fault.message)});
}

std::string in_mebibytes(std::size_t bytes) {
    if (bytes % (std::size_t{1} << 20u) != 0) return std::to_string(bytes) + " bytes";
    return std::to_string(bytes >> 20u) + " MiB";
}

}  // namespace

void RecordSource::begin_array() {
    const std::size_t bracket = window().find('[');
    const auto before = window().substr(0, bracket);
    move_on(bracket + 1, static_cast<std::uint64_t>(std::ranges::count(before, '\n')));
    before_ = '[';
}

Result<RecordSource::Piece> RecordSource::find_array_element(std::size_t from, std::size_t most,
                                                             std::uint64_t line) {
    ArraySeam seam{.before = from > 0 ? window()[from - 1] : before_};
    for (;;) {
        const std::string_view text = window().substr(from, options_.longest_record);
        const ArrayFound found = find_element(text, seam);
        if (found == ArrayFound::element)
            return Piece{.kind = Piece::Kind::record,
                         .end = from + seam.at,
                         .lines = seam.lines,
                         .begin = from + seam.begin,
                         .begin_lines = seam.begin_lines,
                         .fault = seam.fault};
        if (found == ArrayFound::text_behind)
            return broken_array(path(), line + seam.lines,
                                {.message = "text follows the closing bracket of the array. "
                                            "Several values in one input are read by "
                                            "`jq -c '.[]'`"});
        if (text.size() == options_.longest_record)
            return broken_array(path(), line + seam.begin_lines,
                                {.message = "an element of the array is longer than " +
                                            in_mebibytes(options_.longest_record) +
                                            ", which is the limit; everything before it is "
                                            "loaded"});
        if (from + text.size() > most) return Piece{.kind = Piece::Kind::full, .end = from};
        PERDURE_TRY_VALUE(const bool more, fill());
        if (more) continue;
        if (seam.stage == ArraySeam::Stage::closed)
            return Piece{.kind = Piece::Kind::none, .end = from};
        return broken_array(path(), line + seam.lines,
                            {.cause = Cause::corrupt,
                             .code = "cut-off",
                             .message = "the input ends before the closing bracket of its array; "
                                        "everything before its last element is loaded. Load the "
                                        "whole input"});
    }
}

}  // namespace tool::load

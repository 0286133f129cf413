// SPDX-License-Identifier: Apache-2.0
#include "load/engine/input_change.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "load/engine/of_input.hpp"
#include "perdure/try.hpp"
#include "text/calendar.hpp"

namespace tool::load {

using namespace perdure;

std::uint64_t latest(const std::vector<Range>& done) {
    std::uint64_t at = 0;
    for (const Range& range : done) at = std::max(at, range.written_at);
    return at;
}

std::string on_date(std::uint64_t seconds) {
    return seconds == 0 ? std::string{} : " on " + utc_minute(seconds);
}

Failure input_changed(std::string code, std::string message) {
    return {.cause = Cause::invalid,
            .effect = Effect::none,
            .origin = Origin::application,
            .dependency = input_mark,
            .code = std::move(code),
            .message = std::move(message)};
}

std::string_view in_words(PrefixCheck::Outcome outcome) noexcept {
    return outcome == PrefixCheck::Outcome::shorter ? "it is shorter than what was loaded of it"
                                                    : "its content has changed";
}

Result<std::string> change_of(const Input& input, const std::vector<Range>& done) {
    if (done.empty() || comes_once(input) || !has_digest(done)) return std::string{};
    PERDURE_TRY_VALUE(const PrefixCheck check,
                      of_input(check_prefix(input.options.path, checkpoints_of(done), {})));
    return is_unchanged(check.outcome) ? std::string{} : std::string{in_words(check.outcome)};
}

bool has_digest(const std::vector<Range>& done) {
    return std::ranges::all_of(done, [](const Range& range) { return range.digest().known(); });
}

std::uint64_t end_without_gap(const std::vector<Range>& done, std::uint64_t first) {
    std::uint64_t end = first;
    for (const Range& range : done) {
        if (range.begin > end) break;
        end = std::max(end, range.end);
    }
    return end;
}

std::uint64_t bytes_before(const std::string& path, std::uint64_t end) {
    std::error_code unknown;
    const std::uint64_t size = std::filesystem::file_size(path, unknown);
    return unknown ? end : std::min(size, end);
}

std::vector<Checkpoint> checkpoints_of(const std::vector<Range>& done) {
    std::vector<Checkpoint> checkpoints;
    for (const Range& range : done) checkpoints.push_back({range.end, range.digest()});
    return checkpoints;
}

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/batch_reply.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "json_scan.hpp"
#include "perdure/cosmos/wire/limits.hpp"
#include "perdure/cosmos/wire/service_error.hpp"
#include "printable.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::size_t longest_etag = 1024;
constexpr double longest_wait_ms = 86'400'000;

Trouble read_whole(JsonScan& scan, int least, int most, int& to) {
    if (scan.next() == JsonType::null) return fine;
    std::int64_t number = 0;
    if (const Trouble trouble = scan.integer(number)) return trouble;
    if (number < least || number > most) return "a number is out of its range";
    to = static_cast<int>(number);
    return fine;
}

Trouble read_wait(JsonScan& scan, std::optional<Duration>& to) {
    if (scan.next() != JsonType::number) return fine;
    double milliseconds = 0;
    if (const Trouble trouble = scan.real(milliseconds)) return trouble;
    const auto whole = std::llround(std::clamp(milliseconds, 0.0, longest_wait_ms));
    to = std::chrono::milliseconds{whole};
    return fine;
}

Trouble read_body(JsonScan& scan, std::string& to) {
    if (scan.next() == JsonType::null) return fine;
    std::string_view json;
    if (const Trouble trouble = scan.raw(json)) return trouble;
    to = json;
    return fine;
}

Trouble read_text(JsonScan& scan, std::string& to, std::size_t longest) {
    if (scan.next() != JsonType::string) return fine;
    if (const Trouble trouble = scan.string(to)) return trouble;
    to = printable(to, longest);
    return fine;
}

Trouble read_member(JsonScan& scan, BatchResult& result, std::string_view name) {
    if (name == "statusCode") return read_whole(scan, 100, 999, result.status);
    if (name == "subStatusCode") return read_whole(scan, 0, 0xffff, result.substatus);
    if (name == "requestCharge")
        return scan.next() == JsonType::number ? scan.real(result.charge) : fine;
    if (name == "eTag") return read_text(scan, result.etag, longest_etag);
    if (name == "resourceBody") return read_body(scan, result.body);
    if (name == "message") return read_text(scan, result.message, longest_error_message);
    if (name == "retryAfterMilliseconds") return read_wait(scan, result.retry_after);
    return fine;
}

Trouble read_results(std::string_view json, std::vector<BatchResult>& results) {
    if (!is_utf8(json)) return "it is not UTF-8";
    JsonScan scan{json};
    const Trouble trouble = scan.elements([&]() -> Trouble {
        if (results.size() == most_batch_operations) return "it has more than 100 results";
        BatchResult result;
        const auto member = [&](std::string_view name) { return read_member(scan, result, name); };
        if (const Trouble found = scan.members(member)) return found;
        if (result.status == 0) return "a result has no status";
        results.push_back(std::move(result));
        return fine;
    });
    return trouble ? trouble : scan.end();
}

}  // namespace

Result<std::vector<BatchResult>> parse_batch_reply(std::string_view json) {
    std::vector<BatchResult> results;
    if (const Trouble trouble = read_results(json, results))
        return fail(unreadable("the answer to the batch", trouble));
    return results;
}

const BatchResult* culprit(std::span<const BatchResult> results) noexcept {
    const auto found = std::ranges::find_if(
        results, [](const BatchResult& each) { return each.status >= 400 && each.status != 424; });
    return found == results.end() ? nullptr : &*found;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

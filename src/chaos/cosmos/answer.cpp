// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/answer.hpp"

#include <array>
#include <charconv>

#include "chaos/cosmos/json.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

struct Row {
    int status;
    std::string_view code, reason;
};

constexpr std::array rows{
    Row{200, "Ok", "Ok"},
    Row{201, "Created", "Created"},
    Row{204, "NoContent", "No Content"},
    Row{207, "MultiStatus", "Multi-Status"},
    Row{304, "NotModified", "Not Modified"},
    Row{400, "BadRequest", "Bad Request"},
    Row{401, "Unauthorized", "Unauthorized"},
    Row{403, "Forbidden", "Forbidden"},
    Row{404, "NotFound", "Not Found"},
    Row{405, "MethodNotAllowed", "Method Not Allowed"},
    Row{408, "RequestTimeout", "Request Timeout"},
    Row{409, "Conflict", "Conflict"},
    Row{410, "Gone", "Gone"},
    Row{412, "PreconditionFailed", "Precondition Failed"},
    Row{413, "RequestEntityTooLarge", "Request Entity Too Large"},
    Row{424, "FailedDependency", "Failed Dependency"},
    Row{429, "TooManyRequests", "Too Many Requests"},
    Row{449, "RetryWith", "Retry With"},
    Row{500, "InternalServerError", "Internal Server Error"},
    Row{503, "ServiceUnavailable", "Service Unavailable"},
};

const Row* row_of(int status) noexcept {
    for (const Row& row : rows)
        if (row.status == status) return &row;
    return nullptr;
}

}  // namespace

std::string_view code_of(int status) noexcept {
    const Row* row = row_of(status);
    return row ? row->code : "Unknown";
}

std::string_view reason_of(int status) noexcept {
    const Row* row = row_of(status);
    return row ? row->reason : "Unknown";
}

std::string error_body(int status, std::string_view message, std::string_view activity_id) {
    std::string text = "Message: {\"Errors\":[";
    append_quoted(text, message);
    text.append("]}\r\nActivityId: ").append(activity_id).append(", fake gateway");
    return "{\"code\":" + quoted(code_of(status)) + ",\"message\":" + quoted(text) + '}';
}

std::string html_body(int status) {
    const std::string title = std::to_string(status) + ' ' + std::string{reason_of(status)};
    return "<html><head><title>" + title + "</title></head><body><h1>" + title +
           "</h1></body></html>";
}

Answer refusal(int status, int substatus, std::string_view message, std::string_view activity_id) {
    Answer answer;
    answer.status = status;
    answer.substatus = substatus;
    answer.body = error_body(status, message, activity_id);
    return answer;
}

void append_answer(std::string& out, const Answer& answer, std::string_view date) {
    const bool bodiless = answer.status == 204 || answer.status == 304;
    std::array<char, 32> number{};
    const auto digits = [&](auto value) {
        const char* end = std::to_chars(number.data(), number.data() + number.size(), value).ptr;
        return std::string_view{number.data(), static_cast<std::size_t>(end - number.data())};
    };
    out.append("HTTP/1.1 ").append(digits(answer.status)).append(" ");
    out.append(reason_of(answer.status)).append("\r\nDate: ").append(date).append("\r\n");
    for (const auto& [name, value] : answer.headers)
        out.append(name).append(": ").append(value).append("\r\n");
    if (answer.substatus != 0)
        out.append("x-ms-substatus: ").append(digits(answer.substatus)).append("\r\n");
    if (bodiless) {
        out.append("\r\n");
        return;
    }
    if (!answer.body.empty()) out.append("Content-Type: ").append(answer.type).append("\r\n");
    out.append("Content-Length: ").append(digits(answer.body.size())).append("\r\n\r\n");
    out.append(answer.body);
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

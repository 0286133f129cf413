// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/status_code.hpp"

#include <charconv>
#include <system_error>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// Digits and nothing else.
std::optional<int> number(std::string_view text) noexcept {
    int value = 0;
    const char* const end = text.data() + text.size();
    if (text.empty() || text.front() == '-') return std::nullopt;
    const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stopped != end) return std::nullopt;
    return value;
}

}  // namespace

std::string to_string(StatusCode code) {
    std::string text = std::to_string(code.status());
    if (code.substatus() != 0) text += "/" + std::to_string(code.substatus());
    return text;
}

std::optional<StatusCode> parse_status_code(std::string_view text) noexcept {
    const std::size_t slash = text.find('/');
    const auto status = number(text.substr(0, slash));
    if (!status || *status < 100 || *status > 999) return std::nullopt;
    if (slash == std::string_view::npos) return StatusCode{*status};
    const auto substatus = number(text.substr(slash + 1));
    if (!substatus || *substatus > largest_substatus) return std::nullopt;
    return StatusCode{*status, *substatus};
}

StatusCode status_code_of(int status, const http::Headers& headers) noexcept {
    const auto said = headers.find("x-ms-substatus");
    return {status, said ? number(*said).value_or(0) : 0};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

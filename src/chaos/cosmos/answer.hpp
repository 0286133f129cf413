// SPDX-License-Identifier: Apache-2.0
//
// What is answered? A status, a substatus, headers and a body.
//
//     return refuse(turn, 404, 0, "Entity with the specified id does not exist in the system.");
#pragma once

#include <string>
#include <string_view>

#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

// A plain value.
struct Answer {
    int status = 200;
    int substatus = 0;
    double charge = 1;
    http::Headers headers{};
    std::string body{};
    std::string_view type = "application/json";
};

// "NotFound", as bodies have it.
std::string_view code_of(int status) noexcept;
std::string_view reason_of(int status) noexcept;
std::string error_body(int status, std::string_view message, std::string_view activity_id);
std::string html_body(int status);

// An error's answer, without headers; finish() adds them.
Answer refusal(int status, int substatus, std::string_view message, std::string_view activity_id);

// The bytes of HTTP/1.1.
void append_answer(std::string& out, const Answer& answer, std::string_view date);

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

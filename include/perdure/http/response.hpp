// SPDX-License-Identifier: Apache-2.0
//
// What did the server answer?
//
//     if (response->ok()) parse(response->body);
#pragma once

#include <string>

#include "perdure/http/headers.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// A plain value; shared by threads only while nobody changes it.
struct Response {
    int status = 0;
    int minor_version = 1;  // of HTTP/1
    std::string reason{};
    Headers headers{};
    Headers trailers{};  // what came after a chunked body; never merged into the headers
    std::string body{};

    [[nodiscard]] bool ok() const noexcept { return status >= 200 && status < 300; }
    friend bool operator==(const Response&, const Response&) noexcept = default;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure

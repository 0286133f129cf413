// SPDX-License-Identifier: Apache-2.0
//
// A body in gzip, unpacked while it is received: a step at a time, so that a small body that holds
// gigabytes cannot keep its thread from looking at the clock.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "perdure/http/gzip.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// Whether Content-Encoding says that the body is one gzip stream.
[[nodiscard]] bool is_gzip(const Headers& headers);

// Used by one thread at a time.
class Unpacking {
public:
    explicit Unpacking(std::size_t limit) : inflater_{Compression::gzip, limit} {}

    // Goes on with `received`, the whole of the body so far, for about `most` bytes read and written;
    // returns how many that were.
    [[nodiscard]] Result<std::size_t> step(std::string_view received, std::size_t most);
    // Whether another step has something to do.
    [[nodiscard]] bool more() const noexcept { return more_; }
    // More of the body has come.
    void received_more() noexcept { more_ = true; }
    // After the last step: puts the unpacked body in place of the other, and removes the fields
    // that are about that one. Cut short is `corrupt`.
    [[nodiscard]] Result<void> finish(Response& response);

private:
    Inflater inflater_;
    std::string unpacked_;
    std::size_t used_ = 0;  // of what was received
    bool more_ = false;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure

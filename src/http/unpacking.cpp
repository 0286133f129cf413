// SPDX-License-Identifier: Apache-2.0
#include "unpacking.hpp"

#include <utility>

#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

bool is_gzip(const Headers& headers) {
    const auto encoding = headers.find("content-encoding");
    return encoding && (same_name(*encoding, "gzip") || same_name(*encoding, "x-gzip"));
}

Result<std::size_t> Unpacking::step(std::string_view received, std::size_t most) {
    const std::size_t before = used_ + unpacked_.size();
    PERDURE_TRY_VALUE(const Inflater::Step did,
                      inflater_.feed_some(received.substr(used_), unpacked_, most));
    used_ += did.used;
    more_ = did.more;
    return used_ + unpacked_.size() - before;
}

Result<void> Unpacking::finish(Response& response) {
    if (response.body.empty()) return {};
    PERDURE_TRY(inflater_.finish());
    response.body = std::move(unpacked_);
    response.headers.remove("content-length");
    response.headers.remove("content-encoding");
    return {};
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// What was in a compressed body? Bounded, because a kilobyte can hold a megabyte of zeros.
//
//     PERDURE_TRY(http::decode_content(response, limits.decompressed));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/http/response.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// `deflate` is what the standard calls so, the zlib form; some servers mean another by it.
enum class Compression : std::uint8_t { gzip, deflate };

// Used by one thread at a time. After a failure it is of no more use.
class Inflater {
public:
    Inflater(Compression compression, std::size_t limit);
    Inflater(Inflater&&) noexcept;
    Inflater& operator=(Inflater&&) noexcept;
    ~Inflater();

    // Appends what these bytes hold. Bytes that are not what they claim, or whose checksum is wrong,
    // are `corrupt` ("gzip"); more than the limit is `too_large`. The effect is unknown in both: an
    // answer came, only it cannot be read. Several gzip members in a row are one body.
    Result<void> feed(std::string_view bytes, std::string& out);
    // The same in bounded steps: `most` bytes are read and written together, give or take 32 KB. Call
    // again with the rest while there is `more`, even if the rest is empty.
    struct Step {
        std::size_t used = 0;
        bool more = false;
    };
    Result<Step> feed_some(std::string_view bytes, std::string& out, std::size_t most);
    // The input has ended. Cut short is `corrupt`.
    Result<void> finish();

private:
    struct Stream;
    Result<std::size_t> turn(std::string_view bytes, std::string& out);

    std::unique_ptr<Stream> stream_;
};

Result<std::string> gunzip(std::string_view bytes, std::size_t limit);

// Undoes Content-Encoding gzip, x-gzip and identity and removes that field, and Content-Length with
// it, since it counted other bytes. Any other encoding, and an empty body, is left as it is. A failure
// has effect `applied` if the status was a success.
Result<void> decode_content(Response& response, std::size_t limit);

}  // namespace http
}  // namespace v0
}  // namespace perdure

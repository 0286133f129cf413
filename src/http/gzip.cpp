// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/gzip.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include <zlib.h>

#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

Fail corrupt(std::string message) {
    return fail({.cause = Cause::corrupt,
                 .effect = Effect::unknown,
                 .code = "gzip",
                 .message = std::move(message)});
}

// zlib's own word for the form: the size of the window, and 16 more for gzip.
int window_of(Compression compression) noexcept {
    return compression == Compression::gzip ? 15 + 16 : 15;
}

}  // namespace

struct Inflater::Stream {
    Stream(Compression how, std::size_t most)
        : compression{how}, limit{most}, alive{inflateInit2(&zlib, window_of(how)) == Z_OK} {}
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() {
        if (alive) inflateEnd(&zlib);
    }

    z_stream zlib{};
    Compression compression;
    std::size_t limit;
    std::size_t held = 0;  // of the output
    bool alive;
    bool at_end = false;  // of a member; more may follow
};

Inflater::Inflater(Compression compression, std::size_t limit)
    : stream_{std::make_unique<Stream>(
          compression, std::min(limit, std::numeric_limits<std::size_t>::max() - 1))} {}
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;
Inflater::~Inflater() = default;

Result<void> Inflater::feed(std::string_view bytes, std::string& out) {
    Stream& stream = *stream_;
    if (!stream.alive)
        return fail({.cause = Cause::exhausted, .effect = Effect::unknown, .code = "gzip"});
    while (!bytes.empty()) {
        if (stream.at_end && stream.compression == Compression::deflate)
            return corrupt("bytes after the end");
        if (stream.at_end) inflateReset(&stream.zlib);
        stream.at_end = false;
        const auto part = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
        // zlib only reads here; its interface is older than const.
        stream.zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream.zlib.avail_in = static_cast<uInt>(part);
        PERDURE_TRY(turn(out));
        bytes.remove_prefix(part - stream.zlib.avail_in);
    }
    return {};
}

// Until the input is used up or a member ends.
Result<void> Inflater::turn(std::string& out) {
    Stream& stream = *stream_;
    for (;;) {
        // Room of its own: room in `out` would be cleared anew for each of thousands of empty members.
        std::array<char, 16'384> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): written
        stream.zlib.next_out = reinterpret_cast<Bytef*>(room.data());
        stream.zlib.avail_out = static_cast<uInt>(room.size());
        const int said = inflate(&stream.zlib, Z_NO_FLUSH);
        const std::size_t got = room.size() - stream.zlib.avail_out;
        out.append(room.data(),
                   std::min(got, stream.limit - std::min(stream.held, stream.limit) + 1));
        stream.held += got;
        if (stream.held > stream.limit)
            return fail({.cause = Cause::too_large,
                         .effect = Effect::unknown,
                         .code = "gzip",
                         .message = "the body is too long once decompressed"});
        stream.at_end = said == Z_STREAM_END;
        if (stream.at_end) return {};
        // Z_BUF_ERROR: nothing left to do with this input.
        if (said != Z_OK && said != Z_BUF_ERROR)
            return corrupt(stream.zlib.msg ? stream.zlib.msg : "this is not compressed");
        if (stream.zlib.avail_in == 0 && stream.zlib.avail_out > 0) return {};
    }
}

Result<void> Inflater::finish() { return stream_->at_end ? Result<void>{} : corrupt("cut short"); }

Result<std::string> gunzip(std::string_view bytes, std::size_t limit) {
    Inflater inflater{Compression::gzip, limit};
    std::string out;
    PERDURE_TRY(inflater.feed(bytes, out));
    PERDURE_TRY(inflater.finish());
    return out;
}

Result<void> decode_content(Response& response, std::size_t limit) {
    const auto encoding = response.headers.find("content-encoding");
    if (!encoding || response.body.empty()) return {};
    const bool packed = same_name(*encoding, "gzip") || same_name(*encoding, "x-gzip");
    if (!packed && !same_name(*encoding, "identity")) return {};
    if (packed) {
        auto body = gunzip(response.body, limit);
        if (!body) {
            if (response.ok()) body.error().effect = Effect::applied;
            return body.take_failure();
        }
        response.body = *std::move(body);
        response.headers.remove("content-length");
    }
    response.headers.remove("content-encoding");
    return {};
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

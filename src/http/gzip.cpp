// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/gzip.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <span>

#include <zlib.h>

#include "perdure/try.hpp"
#include "unpacking.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

// So that a step is bounded whatever the input is.
constexpr std::size_t most_read_at_once = 16'384;

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
    int inflate_into(std::span<char> room, std::string_view bytes) noexcept {
        // zlib only reads here; its interface is older than const.
        zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        zlib.avail_in = static_cast<uInt>(bytes.size());
        zlib.next_out = reinterpret_cast<Bytef*>(room.data());
        zlib.avail_out = static_cast<uInt>(room.size());
        return inflate(&zlib, Z_NO_FLUSH);
    }

    z_stream zlib{};
    Compression compression;
    std::size_t limit;
    std::size_t held = 0;  // of the output
    bool alive;
    bool at_end = false;        // of a member; more may follow
    bool holds_output = false;  // zlib may give more without further input
};

Inflater::Inflater(Compression compression, std::size_t limit)
    : stream_{std::make_unique<Stream>(
          compression, std::min(limit, std::numeric_limits<std::size_t>::max() - 1))} {}
Inflater::Inflater(Inflater&&) noexcept = default;
Inflater& Inflater::operator=(Inflater&&) noexcept = default;
Inflater::~Inflater() = default;

Result<void> Inflater::feed(std::string_view bytes, std::string& out) {
    PERDURE_TRY(feed_some(bytes, out, std::numeric_limits<std::size_t>::max()));
    return {};
}

Result<Inflater::Step> Inflater::feed_some(std::string_view bytes, std::string& out,
                                           std::size_t most) {
    Stream& stream = *stream_;
    if (!stream.alive)
        return fail({.cause = Cause::exhausted, .effect = Effect::unknown, .code = "gzip"});
    std::size_t used = 0;
    std::size_t work = 0;
    while (work < most && (used < bytes.size() || stream.holds_output)) {
        const std::size_t held = stream.held;
        PERDURE_TRY_VALUE(const std::size_t taken, turn(bytes.substr(used), out));
        used += taken;
        work += taken + (stream.held - held);
    }
    return Step{used, used < bytes.size() || stream.holds_output};
}

// One call of zlib; returns how many bytes it has read. Input is bounded like output, because blocks
// can be empty.
Result<std::size_t> Inflater::turn(std::string_view bytes, std::string& out) {
    Stream& stream = *stream_;
    if (stream.at_end && stream.compression == Compression::deflate)
        return corrupt("bytes after the end");
    if (stream.at_end) inflateReset(&stream.zlib);
    const std::size_t part = std::min(bytes.size(), most_read_at_once);
    // Room of its own: room in `out` would be cleared anew for each of thousands of empty members.
    std::array<char, 16'384> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): written
    const int said = stream.inflate_into(room, bytes.substr(0, part));
    const std::size_t got = room.size() - stream.zlib.avail_out;
    out.append(room.data(), std::min(got, stream.limit - std::min(stream.held, stream.limit) + 1));
    stream.held += got;
    if (stream.held > stream.limit)
        return fail({.cause = Cause::too_large,
                     .effect = Effect::unknown,
                     .code = "gzip",
                     .message = "the body is too long once decompressed"});
    stream.at_end = said == Z_STREAM_END;
    // Z_BUF_ERROR: nothing left to do with this input.
    if (!stream.at_end && said != Z_OK && said != Z_BUF_ERROR)
        return corrupt(stream.zlib.msg ? stream.zlib.msg : "this is not compressed");
    stream.holds_output = !stream.at_end && stream.zlib.avail_out == 0;
    return part - stream.zlib.avail_in;
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
    const bool packed = is_gzip(response.headers);
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

// SPDX-License-Identifier: Apache-2.0
//
// How is a gzip file read? Member after member, as `gzip -dc` does. What could be unpacked before a
// broken place is given out first.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "load/source/source_bytes.hpp"
#include "perdure/try.hpp"

namespace tool::load {

namespace {

using perdure::Cause;

class GzipBytes final : public ByteStream {
public:
    GzipBytes(std::unique_ptr<ByteStream> packed, std::string path)
        : packed_{std::move(packed)},
          path_{std::move(path)},
          alive_{inflateInit2(&zlib_, 15 + 16) == Z_OK} {}  // 16: zlib's word for gzip
    GzipBytes(const GzipBytes&) = delete;
    GzipBytes& operator=(const GzipBytes&) = delete;
    ~GzipBytes() override {
        if (alive_) inflateEnd(&zlib_);
    }

    Result<std::size_t> read(char* into, std::size_t room) override;
    bool seekable() const noexcept override { return false; }
    Result<bool> seek(std::uint64_t) override { return false; }
    std::optional<std::uint64_t> size() const noexcept override { return packed_->size(); }
    std::uint64_t consumed() const noexcept override { return packed_->consumed(); }
    std::optional<FileStamp> opened() const noexcept override { return packed_->opened(); }
    std::optional<FileStamp> now() const noexcept override { return packed_->now(); }

private:
    Result<bool> feed();
    void pass_padding() noexcept;
    perdure::Fail corrupt(const std::string& what) const;

    std::unique_ptr<ByteStream> packed_;
    std::string path_;
    z_stream zlib_{};
    bool alive_;
    bool between_ = false;  // behind a member
    bool ended_ = false;
    std::array<char, 65'536> input_{};
};

perdure::Fail GzipBytes::corrupt(const std::string& what) const {
    const auto place = std::to_string(packed_->consumed() - zlib_.avail_in);
    return perdure::fail({.cause = Cause::corrupt,
                          .effect = perdure::Effect::none,
                          .origin = perdure::Origin::application,
                          .code = "gzip",
                          .message = path_ + ": at byte " + place + ": " + what});
}

// False at the end of the file.
Result<bool> GzipBytes::feed() {
    if (zlib_.avail_in > 0) return true;
    PERDURE_TRY_VALUE(const std::size_t got, packed_->read(input_.data(), input_.size()));
    zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
    zlib_.avail_in = static_cast<uInt>(got);
    return got > 0;
}

// Tapes and some tools fill up the last block with zeros.
void GzipBytes::pass_padding() noexcept {
    while (zlib_.avail_in > 0 && *zlib_.next_in == 0) {
        ++zlib_.next_in;
        --zlib_.avail_in;
    }
}

Result<std::size_t> GzipBytes::read(char* into, std::size_t room) {
    if (!alive_) return perdure::fail({.cause = Cause::exhausted, .code = "gzip"});
    const auto most = std::min<std::size_t>(room, std::numeric_limits<uInt>::max());
    zlib_.next_out = reinterpret_cast<Bytef*>(into);
    zlib_.avail_out = static_cast<uInt>(most);
    while (!ended_ && zlib_.avail_out == most) {
        PERDURE_TRY_VALUE(const bool more, feed());
        if (!more && !between_) return corrupt("the packed data ends too early");
        ended_ = !more;
        if (between_) {
            pass_padding();
            if (zlib_.avail_in == 0) continue;
            inflateReset(&zlib_);
            between_ = false;
        }
        const int said = inflate(&zlib_, Z_NO_FLUSH);
        between_ = said == Z_STREAM_END;
        // Z_BUF_ERROR: nothing left to do with this input.
        const bool good = said == Z_OK || said == Z_STREAM_END || said == Z_BUF_ERROR;
        if (!good && zlib_.avail_out == most)
            return corrupt(zlib_.msg ? zlib_.msg : "this is not packed");
    }
    return most - zlib_.avail_out;
}

}  // namespace

std::unique_ptr<ByteStream> unpack_gzip(std::unique_ptr<ByteStream> packed, std::string path) {
    return std::make_unique<GzipBytes>(std::move(packed), std::move(path));
}

}  // namespace tool::load

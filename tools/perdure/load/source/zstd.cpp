// SPDX-License-Identifier: Apache-2.0
//
// How is a zstd file read? Frame after frame, as `zstd -dc` does; skippable frames are passed over. What
// could be unpacked before a broken place is given out first.
#include "load/source/foreign_format.hpp"
#include "load/source/source_bytes.hpp"

#ifdef PERDURE_HAS_ZSTD

#include <zstd.h>

#include <array>

#include "perdure/try.hpp"

namespace tool::load {

namespace {

class ZstdBytes final : public ByteStream {
public:
    ZstdBytes(std::unique_ptr<ByteStream> packed, std::string path)
        : packed_{std::move(packed)}, path_{std::move(path)} {}

    Result<std::size_t> read(char* into, std::size_t room) override;
    bool seekable() const noexcept override { return false; }
    Result<bool> seek(std::uint64_t) override { return false; }
    std::optional<std::uint64_t> size() const noexcept override { return packed_->size(); }
    std::uint64_t consumed() const noexcept override { return packed_->consumed(); }
    std::optional<FileStamp> opened() const noexcept override { return packed_->opened(); }
    std::optional<FileStamp> now() const noexcept override { return packed_->now(); }

private:
    struct Freeing {
        void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
    };
    Result<bool> feed();
    perdure::Fail corrupt(const std::string& what) const;

    std::unique_ptr<ByteStream> packed_;
    std::string path_;
    std::unique_ptr<ZSTD_DCtx, Freeing> context_{ZSTD_createDCtx()};
    ZSTD_inBuffer given_{nullptr, 0, 0};
    bool between_ = false;  // behind a frame
    bool holds_more_ = false;
    bool ended_ = false;
    std::string wrong_{};  // met behind what was given out
    std::array<char, 65'536> input_{};
};

perdure::Fail ZstdBytes::corrupt(const std::string& what) const {
    const auto place = std::to_string(packed_->consumed() - (given_.size - given_.pos));
    return perdure::fail({.cause = perdure::Cause::corrupt,
                          .effect = perdure::Effect::none,
                          .origin = perdure::Origin::application,
                          .code = "zstd",
                          .message = path_ + ": at byte " + place + ": " + what});
}

// False at the end of the file.
Result<bool> ZstdBytes::feed() {
    if (given_.pos < given_.size || holds_more_) return true;
    PERDURE_TRY_VALUE(const std::size_t got, packed_->read(input_.data(), input_.size()));
    given_ = {input_.data(), got, 0};
    return got > 0;
}

Result<std::size_t> ZstdBytes::read(char* into, std::size_t room) {
    if (!context_) return perdure::fail({.cause = perdure::Cause::exhausted, .code = "zstd"});
    if (!wrong_.empty()) return corrupt(wrong_);
    ZSTD_outBuffer out{into, room, 0};
    while (!ended_ && out.pos == 0) {
        PERDURE_TRY_VALUE(const bool more, feed());
        if (!more && !between_) return corrupt("the packed data ends too early");
        ended_ = !more;
        if (ended_) break;
        const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &given_);
        if (ZSTD_isError(left)) {
            wrong_ = ZSTD_getErrorName(left);
            if (out.pos == 0) return corrupt(wrong_);
            break;
        }
        between_ = left == 0;
        holds_more_ = !between_ && out.pos == out.size;
    }
    return out.pos;
}

}  // namespace

Result<std::unique_ptr<ByteStream>> unpack_zstd(std::unique_ptr<ByteStream> packed,
                                                std::string path) {
    return std::unique_ptr<ByteStream>{
        std::make_unique<ZstdBytes>(std::move(packed), std::move(path))};
}

}  // namespace tool::load

#else

namespace tool::load {

Result<std::unique_ptr<ByteStream>> unpack_zstd(std::unique_ptr<ByteStream>, std::string path) {
    return perdure::fail(
        {.cause = perdure::Cause::invalid,
         .origin = perdure::Origin::application,
         .message = path + ": is packed by zstd, and this perdure was built without libzstd. Use " +
                    through("zstdcat", path)});
}

}  // namespace tool::load

#endif

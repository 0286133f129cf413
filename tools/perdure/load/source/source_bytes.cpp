// SPDX-License-Identifier: Apache-2.0
#include "load/source/source_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "perdure/try.hpp"

namespace tool::load {

using perdure::Cause;
using perdure::Origin;

namespace {

perdure::Fail broken(Cause cause, const std::string& path, const std::string& what) {
    return perdure::fail(
        {.cause = cause, .origin = Origin::application, .message = path + ": " + what});
}

std::string in_words(int error) { return std::generic_category().message(error); }

Cause cause_of_open(int error) noexcept {
    switch (error) {
        case ENOENT:
        case ENOTDIR: return Cause::not_found;
        case EACCES:
        case EPERM: return Cause::forbidden;
        case EMFILE:
        case ENFILE: return Cause::exhausted;
        default: return Cause::unavailable;
    }
}

constexpr std::size_t longest_magic = 4;  // of packed files

std::int64_t nanoseconds(const timespec& time) noexcept {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileStamp stamp(const struct stat& facts) noexcept {
    return {.device = facts.st_dev,
            .inode = facts.st_ino,
            .size = static_cast<std::uint64_t>(facts.st_size),
            .modified = nanoseconds(facts.st_mtim),
            .changed = nanoseconds(facts.st_ctim)};
}

class FileBytes final : public ByteStream {
public:
    FileBytes(std::string path, int descriptor) : path_{std::move(path)}, descriptor_{descriptor} {}
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;
    ~FileBytes() override {
        if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
    }

    Result<void> begin();
    Result<std::size_t> read(char* into, std::size_t room) override;
    bool seekable() const noexcept override { return seekable_; }
    Result<bool> seek(std::uint64_t offset) override;
    std::optional<std::uint64_t> size() const noexcept override { return size_; }
    std::uint64_t consumed() const noexcept override {
        return consumed_.load(std::memory_order_relaxed);
    }
    std::optional<FileStamp> opened() const noexcept override { return opened_; }
    std::optional<FileStamp> now() const noexcept override {
        struct stat facts{};
        if (!opened_ || ::fstat(descriptor_, &facts) != 0) return std::nullopt;
        return stamp(facts);
    }
    bool is_gzip() const noexcept { return ahead_.starts_with("\x1f\x8b"); }
    // A frame, or one that may be skipped (RFC 8878, 3.1.2).
    bool is_zstd() const noexcept {
        return ahead_ == "\x28\xb5\x2f\xfd" ||
               (ahead_.ends_with("\x2a\x4d\x18") && (ahead_.front() & 0xf0) == 0x50);
    }

private:
    Result<std::size_t> read_file(char* into, std::size_t room);

    std::string path_;
    int descriptor_;
    off_t start_ = 0;  // standard input may be a file somebody has read from
    bool seekable_ = false;
    std::optional<FileStamp> opened_{};
    std::optional<std::uint64_t> size_{};
    std::string ahead_{};  // read to see what it is, and not yet given out
    std::atomic<std::uint64_t> consumed_ = 0;
};

Result<void> FileBytes::begin() {
    struct stat facts{};
    if (::fstat(descriptor_, &facts) != 0)
        return broken(Cause::unavailable, path_, in_words(errno));
    if (S_ISDIR(facts.st_mode)) return broken(Cause::invalid, path_, "is a directory");
    if (S_ISREG(facts.st_mode)) {
        start_ = std::max<off_t>(0, ::lseek(descriptor_, 0, SEEK_CUR));
        seekable_ = true;
        opened_ = stamp(facts);
        size_ = static_cast<std::uint64_t>(std::max<off_t>(0, facts.st_size - start_));
    }
    ahead_.resize(longest_magic);
    for (std::size_t have = 0; have < longest_magic;) {
        PERDURE_TRY_VALUE(const std::size_t got,
                          read_file(ahead_.data() + have, longest_magic - have));
        have += got;
        if (got == 0) ahead_.resize(have);
        if (got == 0) break;
    }
    return {};
}

Result<std::size_t> FileBytes::read_file(char* into, std::size_t room) {
    for (;;) {
        const ssize_t got = ::read(descriptor_, into, room);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR)
            return broken(Cause::unavailable, path_, "cannot be read: " + in_words(errno));
    }
}

Result<std::size_t> FileBytes::read(char* into, std::size_t room) {
    std::size_t got = std::min(room, ahead_.size());
    if (got > 0) {
        std::memcpy(into, ahead_.data(), got);
        ahead_.erase(0, got);
    } else {
        PERDURE_TRY_VALUE(got, read_file(into, room));
    }
    consumed_.fetch_add(got, std::memory_order_relaxed);
    return got;
}

Result<bool> FileBytes::seek(std::uint64_t offset) {
    if (!seekable_) return false;
    if (::lseek(descriptor_, start_ + static_cast<off_t>(offset), SEEK_SET) < 0)
        return broken(Cause::unavailable, path_, "cannot be read: " + in_words(errno));
    ahead_.clear();
    consumed_.store(offset, std::memory_order_relaxed);
    return true;
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) noexcept {
    struct stat facts{};
    if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
    return stamp(facts);
}

Result<std::unique_ptr<ByteStream>> open_bytes(const std::string& path) {
    const int descriptor =
        path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return broken(cause_of_open(errno), path, "cannot be opened: " + in_words(errno));
    auto file = std::make_unique<FileBytes>(path, descriptor);
    PERDURE_TRY(file->begin());
    if (file->is_gzip()) return unpack_gzip(std::move(file), path);
    if (file->is_zstd()) return unpack_zstd(std::move(file), path);
    return std::unique_ptr<ByteStream>{std::move(file)};
}

}  // namespace tool::load

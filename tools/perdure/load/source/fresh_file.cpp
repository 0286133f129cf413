// SPDX-License-Identifier: Apache-2.0
#include "load/source/fresh_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace tool::load {

using perdure::Cause;

namespace {

constexpr std::size_t compared_at_once = std::size_t{64} * 1024;

Cause cause_of_errno(int error) noexcept {
    switch (error) {
        case ENOENT:
        case ENOTDIR: return Cause::not_found;
        case EACCES:
        case EPERM:
        case EROFS: return Cause::forbidden;
        case ENOSPC:
        case EDQUOT: return Cause::exhausted;
        default: return Cause::unavailable;
    }
}

perdure::Fail cannot_write_file(const std::string& name, int error) {
    return perdure::fail(
        {.cause = cause_of_errno(error),
         .effect = perdure::Effect::none,
         .origin = perdure::Origin::application,
         .code = "side-file",
         .message = "cannot write '" + name + "': " + std::generic_category().message(error)});
}

// 0 or the error. Some file systems know only one of the two ways.
int name_once(const std::string& written, const std::string& name) noexcept {
    if (::renameat2(AT_FDCWD, written.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
    if (::link(written.c_str(), name.c_str()) != 0) return errno;
    ::unlink(written.c_str());
    return 0;
}

// A plain file of that name; -1 if there is none.
int open_plain_file(const std::string& name, struct stat& seen) noexcept {
    if (::lstat(name.c_str(), &seen) != 0 || !S_ISREG(seen.st_mode)) return -1;
    return ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

bool still_has(const std::string& name, int descriptor) noexcept {
    struct stat here{};
    struct stat there{};
    return ::fstat(descriptor, &here) == 0 && ::lstat(name.c_str(), &there) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev && S_ISREG(here.st_mode);
}

// False when that many are not there.
bool read_at(int descriptor, char* into, std::size_t bytes, off_t at) noexcept {
    while (bytes > 0) {
        const ssize_t got = ::pread(descriptor, into, bytes, at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        into += got;
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace

FreshFile::FreshFile(int descriptor, std::string name, std::string written) noexcept
    : descriptor_{descriptor}, name_{std::move(name)}, written_{std::move(written)} {}

FreshFile::FreshFile(FreshFile&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)},
      name_{std::move(other.name_)},
      written_{std::exchange(other.written_, {})} {}

FreshFile::~FreshFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!written_.empty()) ::unlink(written_.c_str());
}

Result<FreshFile> FreshFile::beside(std::string name) {
    // Not behind the name, which may be as long as names can be.
    const std::size_t folder = name.rfind('/') + 1;  // 0 without one
    std::string written = name.substr(0, folder) + ".perdure.XXXXXX";
    // Makes it with O_EXCL and for its owner only.
    const int descriptor = ::mkostemp(written.data(), O_CLOEXEC);
    if (descriptor < 0) return cannot_write_file(name, errno);
    return FreshFile{descriptor, std::move(name), std::move(written)};
}

Result<void> FreshFile::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
        if (wrote < 0 && errno != EINTR) return cannot_write_file(name_, errno);
        if (wrote > 0) bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return {};
}

Result<void> FreshFile::settle() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL) return cannot_write_file(name_, errno);
    return {};
}

Result<bool> FreshFile::took(const std::string& name, int error) {
    if (error != 0) return cannot_write_file(name, error);
    written_.clear();
    return true;
}

Result<bool> FreshFile::take(const std::string& name) {
    const int error = name_once(written_, name);
    if (error == EEXIST) return false;
    return took(name, error);
}

bool FreshFile::begins_with(int old, const std::string& name) const {
    struct stat before{};
    struct stat ours{};
    if (::fstat(old, &before) != 0 || ::fstat(descriptor_, &ours) != 0) return false;
    if (before.st_size > ours.st_size) return false;
    std::array<char, compared_at_once> one{};
    std::array<char, compared_at_once> other{};
    for (off_t at = 0; at < before.st_size;) {
        const auto left = static_cast<std::size_t>(before.st_size - at);
        const std::size_t part = std::min(left, compared_at_once);
        if (!read_at(old, one.data(), part, at) || !read_at(descriptor_, other.data(), part, at))
            return false;
        if (!std::equal(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(part),
                        other.begin()))
            return false;
        at += static_cast<off_t>(part);
    }
    return still_has(name, old);
}

Result<bool> FreshFile::replace(const std::string& name) {
    struct stat seen{};
    const int old = open_plain_file(name, seen);
    if (old < 0) return false;
    // Who else replaces this file holds the lock of the same one, or finds afterwards that the name leads to
    // another. Where there are no locks it is only that look.
    const bool locked = ::flock(old, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    int error = EACCES;
    if (locked && begins_with(old, name))
        error = ::rename(written_.c_str(), name.c_str()) == 0 ? 0 : errno;
    ::close(old);
    // Not ours to replace: of somebody else, in a folder with a sticky bit.
    if (error == EACCES || error == EPERM || error == EISDIR) return false;
    return took(name, error);
}

}  // namespace tool::load

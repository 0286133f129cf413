// SPDX-License-Identifier: Apache-2.0
#include "get/answer_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tool {

namespace {

Fail unwritable(const std::string& name, int error) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "unwritable",
                 .message = "--output: cannot write '" + name +
                            "': " + std::generic_category().message(error)});
}

// Behind links, so that it is the file that is replaced and not the link to it.
std::string target_of(const std::string& name) {
    const std::unique_ptr<char, decltype(&std::free)> path{realpath(name.c_str(), nullptr),
                                                           &std::free};
    return path ? path.get() : name;
}

mode_t mode_for_new() {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

}  // namespace

AnswerFile::AnswerFile(int fd, std::string name, std::string written)
    : fd_{fd}, name_{std::move(name)}, written_{std::move(written)} {}

AnswerFile::AnswerFile(AnswerFile&& other) noexcept
    : fd_{std::exchange(other.fd_, -1)},
      name_{std::move(other.name_)},
      written_{std::exchange(other.written_, {})} {}

AnswerFile::~AnswerFile() {
    if (fd_ >= 0) close(fd_);
    if (!written_.empty()) unlink(written_.c_str());
}

Result<AnswerFile> AnswerFile::open(const std::string& name) {
    const std::string target = target_of(name);
    struct stat there{};
    const bool exists = stat(target.c_str(), &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) return unwritable(name, EISDIR);
    if (exists && !S_ISREG(there.st_mode)) {
        const int fd = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd < 0) return unwritable(name, errno);
        return AnswerFile{fd, target, {}};
    }
    if (exists && access(target.c_str(), W_OK) != 0) return unwritable(name, errno);
    std::string written = target + ".XXXXXX";
    const int fd = mkostemp(written.data(), O_CLOEXEC);
    if (fd < 0) return unwritable(name, errno);
    AnswerFile file{fd, target, std::move(written)};
    if (fchmod(fd, exists ? there.st_mode & 07777 : mode_for_new()) != 0)
        return unwritable(name, errno);
    return file;
}

Result<void> AnswerFile::keep(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = write(fd_, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return unwritable(name_, errno);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    if (written_.empty()) return {};
    // Before the name points to it, or a power cut could leave an empty file under it.
    if (fsync(fd_) != 0 || std::rename(written_.c_str(), name_.c_str()) != 0)
        return unwritable(name_, errno);
    written_.clear();
    return {};
}

}  // namespace tool

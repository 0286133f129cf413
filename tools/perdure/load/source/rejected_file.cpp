// SPDX-License-Identifier: Apache-2.0
#include "load/source/rejected_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "perdure/try.hpp"

namespace tool::load {

using perdure::Cause;

namespace {

constexpr std::size_t written_at_once = std::size_t{256} * 1024;

Cause cause_of(int error) noexcept {
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

perdure::Fail cannot_write(const std::string& path, int error) {
    return perdure::fail({.cause = cause_of(error),
                          .effect = perdure::Effect::none,
                          .origin = perdure::Origin::application,
                          .message = path + ": the rejected records cannot be written: " +
                                     std::generic_category().message(error)});
}

}  // namespace

struct RejectedFile::File {
    explicit File(std::string name) : path{std::move(name)}, beside{path + ".part"} {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { drop(); }

    void drop() noexcept {
        if (descriptor < 0) return;
        ::close(std::exchange(descriptor, -1));
        ::unlink(beside.c_str());
    }
    Result<void> flush() {
        for (std::string_view rest = waiting; !rest.empty();) {
            const ssize_t wrote = ::write(descriptor, rest.data(), rest.size());
            if (wrote < 0 && errno != EINTR) return cannot_write(path, errno);
            if (wrote > 0) rest.remove_prefix(static_cast<std::size_t>(wrote));
        }
        waiting.clear();
        return {};
    }

    std::string path;
    std::string beside;
    int descriptor = -1;
    std::string waiting{};
    bool holds_any = false;
};

RejectedFile::RejectedFile(std::unique_ptr<File> file) noexcept : file_{std::move(file)} {}
RejectedFile::RejectedFile(RejectedFile&&) noexcept = default;
RejectedFile& RejectedFile::operator=(RejectedFile&&) noexcept = default;
RejectedFile::~RejectedFile() = default;

Result<RejectedFile> RejectedFile::open(std::string path) {
    auto file = std::make_unique<File>(std::move(path));
    // What a killed run left behind is written over.
    file->descriptor =
        ::open(file->beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
    if (file->descriptor < 0) return cannot_write(file->path, errno);
    return RejectedFile{std::move(file)};
}

Result<void> RejectedFile::add(const std::string& file, const KeptRejection& rejection) {
    file_->waiting += rejected_line(file, rejection);
    file_->holds_any = true;
    return file_->waiting.size() < written_at_once ? Result<void>{} : file_->flush();
}

Result<void> RejectedFile::commit() {
    if (!file_->holds_any) {
        file_->drop();
        return {};
    }
    PERDURE_TRY(file_->flush());
    if (::fsync(file_->descriptor) != 0 && errno != EINVAL) return cannot_write(file_->path, errno);
    if (::rename(file_->beside.c_str(), file_->path.c_str()) != 0)
        return cannot_write(file_->path, errno);
    ::close(std::exchange(file_->descriptor, -1));
    return {};
}

}  // namespace tool::load

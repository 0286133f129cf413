// SPDX-License-Identifier: Apache-2.0
#include "load/engine/side_device.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr int after_standard_streams = 3;

// "/dev/fd/5" is 5.
std::optional<int> descriptor_named(std::string_view name) {
    constexpr std::array<std::string_view, 3> streams{"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (std::size_t i = 0; i < streams.size(); ++i)
        if (name == streams.at(i)) return static_cast<int>(i);
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!name.starts_with(folder)) continue;
        const std::string_view digits = name.substr(folder.size());
        int number = 0;
        const char* const last = digits.data() + digits.size();
        const auto [end, error] = std::from_chars(digits.data(), last, number);
        if (error == std::errc{} && end == last && number >= 0) return number;
    }
    return {};
}

Fail cannot_write_device(const std::string& name, int error) {
    return fail(cannot_write_side(name, error == ENXIO ? "no process reads this pipe"
                                                       : std::generic_category().message(error)));
}

// What was opened by its name would be written from its first byte. -1 and errno.
int same_descriptor(int number) noexcept {
    const int flags = ::fcntl(number, F_GETFD);
    if (flags < 0) return -1;
    // Not inherited, so it is a file of this process: the database, an input.
    if ((flags & FD_CLOEXEC) != 0) {
        errno = EBADF;
        return -1;
    }
    return ::fcntl(number, F_DUPFD_CLOEXEC, after_standard_streams);
}

bool is_device_or_pipe(const std::string& name) noexcept {
    struct stat seen{};
    return ::lstat(name.c_str(), &seen) == 0 && !S_ISREG(seen.st_mode) && !S_ISLNK(seen.st_mode);
}

// Another one may have the name since it was looked at, and in a folder for everybody a pipe may be
// somebody else's, who would read the records.
Result<void> check_opened(int descriptor, const std::string& name) {
    struct stat opened{};
    if (::fstat(descriptor, &opened) != 0) return cannot_write_device(name, errno);
    if (S_ISREG(opened.st_mode)) return cannot_write_device(name, EEXIST);
    if (S_ISFIFO(opened.st_mode) && opened.st_uid != ::geteuid())
        return fail(cannot_write_side(name, "this pipe belongs to another user"));
    return {};
}

}  // namespace

Failure cannot_write_side(const std::string& name, const std::string& why) {
    return {.cause = Cause::unavailable,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "side-file",
            .message = "cannot write '" + name + "': " + why};
}

SideDevice::SideDevice(int descriptor, std::string name) noexcept
    : descriptor_{descriptor}, name_{std::move(name)} {}

SideDevice::SideDevice(SideDevice&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)}, name_{std::move(other.name_)} {}

SideDevice::~SideDevice() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::optional<SideDevice>> SideDevice::open(const std::string& name) {
    if (const auto number = descriptor_named(name)) {
        const int descriptor = same_descriptor(*number);
        if (descriptor < 0) return cannot_write_device(name, errno);
        return std::optional{SideDevice{descriptor, name}};
    }
    if (!is_device_or_pipe(name)) return std::optional<SideDevice>{};
    const int descriptor =
        ::open(name.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) return cannot_write_device(name, errno);
    SideDevice device{descriptor, name};
    PERDURE_TRY(check_opened(descriptor, name));
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    return std::optional{std::move(device)};
}

Result<void> SideDevice::write(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
        if (wrote < 0 && errno == EAGAIN) {
            // A descriptor shared with other processes keeps the mode that they gave it.
            pollfd room{.fd = descriptor_, .events = POLLOUT, .revents = 0};
            if (::poll(&room, 1, -1) < 0 && errno != EINTR)
                return cannot_write_device(name_, errno);
        } else if (wrote < 0 && errno != EINTR) {
            return cannot_write_device(name_, errno);
        }
        if (wrote > 0) bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return {};
}

}  // namespace tool::load

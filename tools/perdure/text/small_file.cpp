// SPDX-License-Identifier: Apache-2.0
#include "text/small_file.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace tool {

namespace {

constexpr std::size_t most_bytes = 1 << 20;

perdure::Fail file_refused(std::string why, const char* code = "unreadable") {
    return perdure::fail({.cause = perdure::Cause::invalid,
                          .origin = perdure::Origin::application,
                          .code = code,
                          .message = std::move(why)});
}

perdure::Fail file_refused(int number) {
    return file_refused(std::generic_category().message(number),
                        number == ENOENT ? "no-such-file" : "unreadable");
}

perdure::Result<std::string> read_to_end(int fd) {
    std::string text;
    std::array<char, 16'384> piece{};
    for (;;) {
        const ssize_t got = ::read(fd, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return file_refused(errno);
        if (got == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(got));
        if (text.size() > most_bytes) return file_refused("it has more than 1 MiB");
    }
}

}  // namespace

perdure::Result<std::string> read_small_file(const std::string& name) {
    if (name == "-") return read_to_end(STDIN_FILENO);
    const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return file_refused(errno);
    auto text = read_to_end(fd);
    ::close(fd);
    return text;
}

}  // namespace tool

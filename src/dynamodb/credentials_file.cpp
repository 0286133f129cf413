// SPDX-License-Identifier: Apache-2.0
#include "credentials_file.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

bool SmallFile::missing() const noexcept { return error == ENOENT || error == ENOTDIR; }

std::string SmallFile::why() const { return std::generic_category().message(error); }

SmallFile read_small_file(const std::string& path, std::size_t most) {
    SmallFile file;
    const int from = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (from < 0) {
        file.error = errno;
        return file;
    }
    std::array<char, 4096> piece;
    while (file.error == 0) {
        const ssize_t got = ::read(from, piece.data(), piece.size());
        if (got == 0) break;
        if (got > 0) file.text.append(piece.data(), static_cast<std::size_t>(got));
        else if (errno != EINTR) file.error = errno;
        if (file.text.size() > most) file.error = EFBIG;
    }
    ::close(from);
    if (file.error != 0) file.text.clear();
    return file;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

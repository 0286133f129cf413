// SPDX-License-Identifier: Apache-2.0
//
// A file that exists in memory only, for readers that take a path, and what a fuzzer does when a
// promise is broken.
//
//     const MemoryFile file{bytes};
//     read_latencies({.files = {file.path()}});
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace fuzz {

inline void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

// Used by one thread. The descriptor is closed at the end.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : fd_{memfd_create("fuzz", MFD_CLOEXEC)} {
        must(fd_ >= 0, "a file can be made in memory");
        while (!bytes.empty()) {
            const ssize_t put = write(fd_, bytes.data(), bytes.size());
            must(put > 0, "a file in memory can be written");
            bytes.remove_prefix(static_cast<std::size_t>(put));
        }
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { close(fd_); }

    // Opens at its beginning, as often as wanted.
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
    int fd_;
};

// Whether text may go to a terminal: no control characters but line ends.
inline bool printable_lines(std::string_view text) {
    return std::ranges::none_of(text, [](char character) {
        const auto byte = static_cast<unsigned char>(character);
        return byte == 0x7f || (byte < 0x20 && byte != '\n');
    });
}

}  // namespace fuzz

// SPDX-License-Identifier: Apache-2.0
//
// Preloaded into mariadbd by scripts/mariadb-kills: makes one write slow, as a busy disk does now and then.
// The page is number 7 of ibdata1, where InnoDB keeps the counter of hidden row ids. Prints a line for each
// such write. Changes nothing else; needs innodb_use_native_aio=0, where pages are written with pwrite().
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <poll.h>
#include <unistd.h>

namespace {

constexpr off64_t page_size = 16'384;
constexpr off64_t counter_page = 7 * page_size;
constexpr int delay_ms = 300;

bool is_system_tablespace(int fd) {
    std::array<char, 512> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    return ::readlink(link.c_str(), path.data(), path.size() - 1) > 0 &&
           std::strstr(path.data(), "ibdata1");
}

}  // namespace

extern "C" ssize_t pwrite64(int fd, const void* data, size_t size, off64_t offset) {
    using Write = ssize_t (*)(int, const void*, size_t, off64_t);
    static const auto real = reinterpret_cast<Write>(::dlsym(RTLD_NEXT, "pwrite64"));
    if (offset == counter_page && is_system_tablespace(fd)) {
        std::fputs("slow write of the row id page\n", stderr);
        ::poll(nullptr, 0, delay_ms);
    }
    return real(fd, data, size, offset);
}

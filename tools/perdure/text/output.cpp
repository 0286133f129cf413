// SPDX-License-Identifier: Apache-2.0
#include "text/output.hpp"

#include <atomic>
#include <cerrno>
#include <new>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "exit_code.hpp"
#include "text/visible.hpp"

namespace tool {

namespace {

std::atomic<int> status_without_memory{exit_code::usage};

bool write_all(int fd, std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

int print_bytes(std::string_view bytes) noexcept {
    if (write_all(STDOUT_FILENO, bytes)) return exit_code::success;
    say("perdure: cannot write to standard output: " + std::generic_category().message(errno));
    return exit_code::output_failed;
}

}  // namespace

void hold_standard_streams() noexcept {
    for (int fd = 0; fd >= 0 && fd <= STDERR_FILENO;) {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (fd > STDERR_FILENO) close(fd);
    }
}

void end_without_memory() noexcept {
    std::set_new_handler([] {
        write_all(STDERR_FILENO, "perdure: the system gives no more memory\n");
        _exit(status_without_memory);
    });
}

void without_memory_means(int status) noexcept { status_without_memory = status; }

void say(std::string_view line) noexcept { say_drawn(visible(without_passwords(line))); }

void say_drawn(std::string_view line) noexcept {
    std::string whole{line};
    if (!whole.ends_with('\n')) whole += '\n';
    write_all(STDERR_FILENO, whole);
}

int print(std::string_view text) noexcept { return print_bytes(visible(without_passwords(text))); }

int print_data(std::string_view bytes) noexcept {
    return print_bytes(bytes_for(STDOUT_FILENO, bytes));
}

std::string bytes_for(int fd, std::string_view bytes) {
    return isatty(fd) == 1 ? visible(bytes) : std::string{bytes};
}

}  // namespace tool

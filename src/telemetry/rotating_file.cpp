// SPDX-License-Identifier: Apache-2.0
#include "rotating_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace perdure {
inline namespace v0 {

namespace {

std::uint64_t count_lines(std::string_view lines) {
    return static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
}

}  // namespace

RotatingFile::RotatingFile(RotatingOptions options, FirstLine first_line)
    : options_{std::move(options)}, first_line_{std::move(first_line)} {}

RotatingFile::~RotatingFile() { close(); }

void RotatingFile::close() noexcept {
    if (fd_ >= 0) (void)::close(std::exchange(fd_, -1));
}

bool RotatingFile::failed() noexcept {
    error_ = errno;
    close();
    return false;
}

Written RotatingFile::write(std::string_view lines) {
    Written written;
    bool fine = ready();
    while (fine && !lines.empty()) {
        const std::string_view piece = that_fit(lines);
        if (piece.empty()) {
            fine = rotate();
            continue;
        }
        const std::size_t done = put_whole_lines(piece);
        written.lines += count_lines(piece.substr(0, done));
        lines.remove_prefix(done);
        fine = done == piece.size();
    }
    written.dropped = count_lines(lines);
    if (fine) error_ = 0;
    return written;
}

// As many as the file has room for. A line that is longer than a file has one to itself.
std::string_view RotatingFile::that_fit(std::string_view lines) const noexcept {
    if (!regular_ || size_ + lines.size() <= options_.most_bytes) return lines;
    const std::uint64_t room = options_.most_bytes - std::min(size_, options_.most_bytes);
    const std::size_t end = room == 0 ? std::string_view::npos : lines.rfind('\n', room - 1);
    if (end != std::string_view::npos) return lines.substr(0, end + 1);
    // Whatever stands before it: the first line of the file is there in any case.
    const std::size_t first = lines.find('\n') + 1;
    return first > options_.most_bytes / 2 && size_ < options_.most_bytes / 2
               ? lines.substr(0, first)
               : std::string_view{};
}

bool RotatingFile::ready() {
    if (fd_ >= 0 && still_there()) return true;
    close();
    return open(JournalEvent::started);
}

// Somebody else may have moved or deleted it, or cut it short.
bool RotatingFile::still_there() noexcept {
    struct stat here{};
    struct stat there{};
    if (::fstat(fd_, &here) != 0 || ::stat(options_.path.c_str(), &there) != 0) return false;
    if (here.st_ino != there.st_ino || here.st_dev != there.st_dev) return false;
    size_ = regular_ ? static_cast<std::uint64_t>(here.st_size) : 0;
    return true;
}

bool RotatingFile::open(JournalEvent event) {
    // Without waiting: a pipe that nobody reads must not hold us. To disks it makes no difference.
    constexpr int common = O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK;
    constexpr mode_t mode = S_IRUSR | S_IWUSR | S_IRGRP;
    fd_ = ::open(options_.path.c_str(), O_RDWR | common, mode);
    if (fd_ < 0) fd_ = ::open(options_.path.c_str(), O_WRONLY | common, mode);
    struct stat found{};
    if (fd_ < 0 || ::fstat(fd_, &found) != 0) return failed();
    regular_ = S_ISREG(found.st_mode);
    size_ = regular_ ? static_cast<std::uint64_t>(found.st_size) : 0;
    char last = '\n';
    torn_ = size_ > 0 && ::pread(fd_, &last, 1, found.st_size - 1) == 1 && last != '\n';
    // One that is full already is about to be rotated, if that can be done.
    if (size_ >= options_.most_bytes) return true;
    const std::string first = first_line_(event) + '\n';
    return put_whole_lines(first) == first.size() || failed();
}

std::string RotatingFile::numbered(int number) const {
    return number == 0 ? options_.path : options_.path + '.' + std::to_string(number);
}

bool RotatingFile::rotate() {
    const int oldest = options_.files - 1;
    if (::unlink(numbered(oldest).c_str()) != 0 && errno != ENOENT) return failed();
    for (int number = oldest - 1; number >= 0; --number)
        if (::rename(numbered(number).c_str(), numbered(number + 1).c_str()) != 0 &&
            errno != ENOENT)
            return failed();
    close();
    ++rotations_;
    return open(JournalEvent::rotated);
}

std::size_t RotatingFile::put(std::string_view bytes) const noexcept {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t wrote = ::write(fd_, bytes.data() + done, bytes.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) break;
        done += static_cast<std::size_t>(wrote);
    }
    return done;
}

// How many bytes of it stand there now; the last of them ends a line.
std::size_t RotatingFile::put_whole_lines(std::string_view lines) noexcept {
    if (torn_ && put("\n") == 1) {
        torn_ = false;
        ++size_;
    }
    if (torn_) return error_ = errno, 0;
    const std::size_t done = put(lines);
    if (done == lines.size()) {
        size_ += done;
        return done;
    }
    error_ = errno;
    const std::size_t whole = done == 0 ? 0 : lines.rfind('\n', done - 1) + 1;
    // A line without its end would spoil the one that follows.
    torn_ = whole < done && (!regular_ || ::ftruncate(fd_, static_cast<off_t>(size_ + whole)) != 0);
    size_ += torn_ ? done : whole;
    return whole;
}

}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// How do lines get to a disk that may be full, gone or moved? Whole or not at all, into files of a
// bounded number and size: path, path.1, path.2 …, the newest first.
//
//     RotatingFile file{{.path = "calls.jsonl"}, first_line};
//     const Written written = file.write(lines);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "perdure/telemetry/journal_line.hpp"

namespace perdure {
inline namespace v0 {

struct RotatingOptions {
    std::string path{};
    std::uint64_t most_bytes = 0;
    int files = 1;  // all together
};

struct Written {
    std::uint64_t lines = 0;
    std::uint64_t dropped = 0;
};

// Owned by one thread.
class RotatingFile {
public:
    using FirstLine = std::function<std::string(JournalEvent)>;
    RotatingFile(RotatingOptions options, FirstLine first_line);
    RotatingFile(const RotatingFile&) = delete;
    RotatingFile& operator=(const RotatingFile&) = delete;
    ~RotatingFile();

    // Each line with its end; without any, the file is opened. Never throws because of the disk.
    [[nodiscard]] Written write(std::string_view lines);
    [[nodiscard]] std::uint64_t rotations() const noexcept { return rotations_; }
    [[nodiscard]] int error() const noexcept { return error_; }  // errno of what went wrong last; 0

private:
    [[nodiscard]] bool ready();
    [[nodiscard]] bool still_there() noexcept;
    [[nodiscard]] bool open(JournalEvent event);
    [[nodiscard]] bool rotate();
    [[nodiscard]] std::size_t put(std::string_view bytes) const noexcept;
    [[nodiscard]] std::size_t put_whole_lines(std::string_view lines) noexcept;
    [[nodiscard]] std::string_view that_fit(std::string_view lines) const noexcept;
    [[nodiscard]] std::string numbered(int number) const;
    bool failed() noexcept;
    void close() noexcept;

    const RotatingOptions options_;
    const FirstLine first_line_;
    int fd_ = -1;
    std::uint64_t size_ = 0;
    bool regular_ = true;  // a device or a pipe is neither rotated nor cut
    bool torn_ = false;    // ends in the middle of a line
    std::uint64_t rotations_ = 0;
    int error_ = 0;
};

}  // namespace v0
}  // namespace perdure

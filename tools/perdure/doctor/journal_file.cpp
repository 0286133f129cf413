// SPDX-License-Identifier: Apache-2.0
#include "doctor/journal_file.hpp"

#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

#include <unistd.h>
#include <zlib.h>

#include "doctor/journal_line.hpp"

namespace tool::doctor {

namespace {

// Larger than any line a journal writes; longer ones are counted as unreadable and passed over.
constexpr std::size_t longest_line = 1U << 20U;

struct Close {
    void operator()(gzFile file) const { gzclose(file); }
};
using File = std::unique_ptr<gzFile_s, Close>;

File open_file(const std::string& name) {
    errno = 0;
    File file{name == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(name.c_str(), "rb")};
    if (file) gzbuffer(file.get(), 1U << 17U);
    return file;
}

Fail unreadable(const std::string& name, const std::string& why) {
    return fail({.cause = Cause::invalid, .message = "cannot read " + name + ": " + why});
}

// One file. Used by one thread.
class Lines {
public:
    Lines(std::string name, const Window& window, Tallies& into, Account& account)
        : name_{std::move(name)}, window_{window}, into_{into}, account_{account} {}

    Result<void> read(gzFile file) {
        for (;;) {
            const int got = gzread(file, buffer_.data() + held_,
                                   static_cast<unsigned>(longest_line + 1 - held_));
            if (got < 0) return broken(file);
            held_ += static_cast<std::size_t>(got);
            take_lines();
            if (got == 0) break;
            if (held_ > longest_line) {
                overlong_ = true;
                held_ = 0;
            }
        }
        if (held_ > 0 || overlong_) take({buffer_.data(), held_});
        int status = Z_OK;
        gzerror(file, &status);
        if (status == Z_BUF_ERROR) bad("the file ends in the middle of what gzip packed");
        return {};
    }

private:
    Fail broken(gzFile file) const {
        int status = Z_OK;
        const char* words = gzerror(file, &status);
        return unreadable(name_, status == Z_ERRNO ? std::generic_category().message(errno)
                                                   : std::string{words});
    }

    void take_lines() {
        std::size_t start = 0;
        while (start < held_) {
            const void* end = std::memchr(buffer_.data() + start, '\n', held_ - start);
            if (!end) break;
            const auto size =
                static_cast<std::size_t>(static_cast<const char*>(end) - (buffer_.data() + start));
            take({buffer_.data() + start, size});
            start += size + 1;
        }
        held_ -= start;
        std::memmove(buffer_.data(), buffer_.data() + start, held_);
    }

    void take(std::string_view line) {
        ++line_;
        if (std::exchange(overlong_, false)) {
            ++account_.lines;
            return bad("a line of more than a megabyte");
        }
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
        ++account_.lines;
        switch (reader_.read(line)) {
            case LineKind::call:
                if (inside(reader_.call().began)) into_.add(reader_.call());
                break;
            case LineKind::process:
                account_.dropped += reader_.process().dropped_lines;
                if (inside(reader_.process().time)) into_.add(reader_.process());
                break;
            case LineKind::journal: break;
            case LineKind::unreadable: bad(reader_.wrong()); break;
        }
    }

    bool inside(std::int64_t time) {
        const bool in = time >= window_.since && time < window_.until;
        if (!in) ++account_.left_out;
        return in;
    }

    void bad(const std::string& why) {
        if (account_.bad++ == 0)
            account_.first_bad = name_ + ":" + std::to_string(line_) + ": " + why;
    }

    std::string name_;
    const Window& window_;
    Tallies& into_;
    Account& account_;
    LineReader reader_{};
    std::vector<char> buffer_ = std::vector<char>(longest_line + 1 + LineReader::padding);
    std::size_t held_ = 0;
    std::uint64_t line_ = 0;
    bool overlong_ = false;
};

}  // namespace

Result<void> read_journal(const std::string& file, const Window& window, Tallies& into,
                          Account& account) {
    const File opened = open_file(file);
    if (!opened) return unreadable(file, std::generic_category().message(errno));
    return Lines{file == "-" ? "standard input" : file, window, into, account}.read(opened.get());
}

}  // namespace tool::doctor

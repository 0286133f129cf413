// SPDX-License-Identifier: Apache-2.0
#include "tune/latency_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "tune/latency_value.hpp"

namespace tool {

namespace {

constexpr std::size_t buffer_bytes = 1 << 20;
constexpr std::size_t longest_line = 16 << 20;
constexpr std::size_t examples_shown = 3;
constexpr std::size_t values_shown = 8;
constexpr std::uint64_t one_in = 100;  // bad lines

Fail refused(std::string message) {
    return fail(
        {.cause = Cause::invalid, .origin = Origin::application, .message = std::move(message)});
}

Fail refused(const std::string& name, int number) {
    return refused(name + ": " + std::generic_category().message(number));
}

// A file in lines, closed at the end. Standard input is left open.
class Lines {
public:
    explicit Lines(const std::string& name)
        : fd_{name == "-" ? STDIN_FILENO : open(name.c_str(), O_RDONLY | O_CLOEXEC)},
          error_{fd_ < 0 ? errno : 0} {}
    ~Lines() {
        if (fd_ > STDIN_FILENO) close(fd_);
    }
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    // False at the end, or at an error. A line lives until the next call.
    bool next(std::string_view& line) {
        while (error_ == 0) {
            const char* start = buffer_.data() + begin_;
            const std::size_t left = end_ - begin_;
            const void* found = left > 0 ? std::memchr(start, '\n', left) : nullptr;
            if (found != nullptr || (ended_ && left > 0)) {
                const auto length =
                    found != nullptr
                        ? static_cast<std::size_t>(static_cast<const char*>(found) - start)
                        : left;
                line = {start, length};
                begin_ += length + (found != nullptr ? 1 : 0);
                return true;
            }
            if (ended_) return false;
            fill();
        }
        return false;
    }
    [[nodiscard]] int error() const { return error_; }

private:
    void fill() {
        std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
        end_ -= begin_;
        begin_ = 0;
        if (end_ > longest_line) error_ = EFBIG;
        if (buffer_.size() < end_ + buffer_bytes) buffer_.resize(end_ + buffer_bytes);
        const ssize_t got = read(fd_, buffer_.data() + end_, buffer_bytes);
        if (got < 0 && errno != EINTR) error_ = errno;
        if (got == 0) ended_ = true;
        if (got > 0) end_ += static_cast<std::size_t>(got);
    }

    int fd_;
    int error_;
    bool ended_ = false;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
};

bool holds(const Condition& condition, std::string_view field) {
    field = trimmed(field);
    return condition.value.empty() ? says_yes(field) : field == condition.value;
}

// What has the same time stays in the order of the lines: stamps may be coarse. (The library's own
// stable sort draws on a function that newer compilers warn about.)
void sort_by_time(std::vector<TimedSample>& samples) {
    if (std::ranges::is_sorted(samples, {}, &TimedSample::at)) return;
    std::vector<std::pair<WallTime, std::size_t>> order;
    order.reserve(samples.size());
    for (const TimedSample& sample : samples) order.emplace_back(sample.at, order.size());
    std::ranges::sort(order);
    std::vector<TimedSample> sorted;
    sorted.reserve(samples.size());
    for (const auto& [at, index] : order) sorted.push_back(samples[index]);
    samples = std::move(sorted);
}

std::string shown_name(const std::string& name) { return name == "-" ? "standard input" : name; }

// What else than text begins like this, and what to do; empty if it may be text.
std::string not_text(const std::string& name, std::string_view start) {
    using namespace std::literals;
    struct Packed {
        std::string_view magic;
        const char* kind;
        const char* unpack;
    };
    constexpr std::array packed{Packed{"\x1f\x8b"sv, "gzip", "zcat"},
                                Packed{"\x28\xb5\x2f\xfd"sv, "zstd", "zstdcat"},
                                Packed{"\xfd\x37zXZ"sv, "xz", "xzcat"}};
    for (const auto& [magic, kind, unpack] : packed)
        if (start.starts_with(magic))
            return "this is "s + kind + "; " + unpack + " it and use -: " + unpack + " " +
                   (name == "-" ? "FILE" : name) + " | perdure tune -";
    if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff"))
        return "this is UTF-16, which cannot be read; make it UTF-8: iconv -f UTF-16 -t UTF-8";
    if (start.find('\0') != std::string_view::npos)
        return "this is binary and cannot be read: it has NUL bytes where text has none";
    return {};
}

// Adds what is not there yet; whether it was not.
bool add_name(std::string& names, std::vector<std::string>& known, const std::string& name) {
    if (name.empty() || std::ranges::find(known, name) != known.end()) return false;
    names += (known.empty() ? "" : " and ") + name;
    known.push_back(name);
    return true;
}

// Collects the samples of all files.
class Gathering {
public:
    explicit Gathering(const LatencyInput& input) : input_{input} {}

    Result<void> file(const std::string& name) {
        Lines lines{name};
        std::unique_ptr<FieldPicker> picker;
        std::uint64_t number = 0;
        for (std::string_view line; lines.next(line);) {
            ++number;
            if (!picker)
                if (const std::string other = not_text(name, line); !other.empty())
                    return refused(shown_name(name) + ": " + other);
            if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
            if (line.ends_with('\r')) line.remove_suffix(1);
            // Not trimmed in general: a tab at the front is an empty first field.
            if (trimmed(line).empty() || line.front() == '#') continue;
            if (!picker) {
                auto made = begin(name, line);
                if (!made) return fail(made.error());
                picker = std::move(*made);
                if (picker->names_first) continue;
            }
            ++read_.lines;
            if (const char* wrong = sample(*picker, line)) bad(name, number, wrong);
        }
        if (lines.error() != 0) return refused(name, lines.error());
        return {};
    }

    Result<LatencyRead> end() {
        if (read_.lines == 0) return refused("there are no samples: no file has a line of them");
        if (read_.bad_lines * one_in > read_.lines &&
            (input_.bad_lines != BadLines::tolerated || read_.bad_lines == read_.lines))
            return refused(too_many_bad());
        if (read_.samples.empty() && read_.left_out > 0) return refused(nothing_left());
        if (!input_.time.empty()) sort_by_time(read_.samples);
        return std::move(read_);
    }

private:
    Result<std::unique_ptr<FieldPicker>> begin(const std::string& name, std::string_view line) {
        auto picker = fields_of(
            line, {input_.latency, input_.time, input_.timed_out.field, input_.only.field});
        if (!picker) return refused(shown_name(name) + ": " + picker.error().message);
        unit_ = input_.unit ? input_.unit : (*picker)->unit;
        add_name(read_.format, formats_, (*picker)->format);
        if (add_name(read_.field, names_, (*picker)->latency_name)) ++read_.fields;
        if (!(*picker)->time_seen.empty()) read_.time_seen = (*picker)->time_seen;
        return picker;
    }

    // What is wrong with the line, or nullptr.
    const char* sample(FieldPicker& picker, std::string_view line) {
        Fields fields;
        if (const char* wrong = picker.pick(line, fields)) return wrong;
        const bool gave_up =
            !input_.timed_out.field.empty() && holds(input_.timed_out, fields[outcome_role]);
        if (!gave_up && !input_.only.field.empty() && !holds(input_.only, fields[filter_role])) {
            ++read_.left_out;
            if (read_.samples.empty()) remember(trimmed(fields[filter_role]));
            return nullptr;
        }
        TimedSample sample;
        if (gave_up && input_.timeout && trimmed(fields[latency_role]).empty()) {
            sample.sample.latency = *input_.timeout;
        } else {
            const Read<Duration> latency = read_latency(fields[latency_role], unit_);
            if (latency.wrong != nullptr) return latency.wrong;
            sample.sample.latency = latency.value;
        }
        if (input_.timeout && sample.sample.latency >= *input_.timeout)
            sample.sample = {*input_.timeout, Ending::cut_off};
        if (gave_up) sample.sample.ending = Ending::cut_off;
        if (!input_.time.empty()) {
            const Read<WallTime> time = read_time(fields[time_role]);
            if (time.wrong != nullptr) return time.wrong;
            sample.at = time.value;
        }
        read_.samples.push_back(sample);
        return nullptr;
    }

    void bad(const std::string& name, std::uint64_t number, const char* wrong) {
        ++read_.bad_lines;
        if (read_.bad_examples.size() < examples_shown)
            read_.bad_examples.push_back(shown_name(name) + ":" + std::to_string(number) + ": " +
                                         wrong);
    }

    void remember(std::string_view value) {
        if (values_.size() <= values_shown && std::ranges::find(values_, value) == values_.end())
            values_.emplace_back(value);
    }

    std::string nothing_left() const {
        const Condition& only = input_.only;
        std::string text =
            "--only-if leaves no request: " + only.field +
            (only.value.empty() ? " says yes in none" : " is '" + only.value + "' in none") +
            ". Its values are: ";
        for (std::size_t i = 0; i < std::min(values_.size(), values_shown); ++i)
            text += (i == 0 ? "" : ", ") +
                    (values_[i].empty() ? std::string{"(empty)"} : printable(values_[i]));
        return values_.size() > values_shown ? text + ", …" : text;
    }

    std::string too_many_bad() const {
        std::string text = std::to_string(read_.bad_lines) + " of " + std::to_string(read_.lines) +
                           " lines cannot be read:";
        for (const std::string& example : read_.bad_examples) text += "\n  " + example;
        const auto about = [&](const char* words) {
            return std::ranges::any_of(read_.bad_examples, [&](const std::string& example) {
                return example.find(words) != std::string::npos;
            });
        };
        if (about("no unit")) text += "\nSay what the numbers count: --unit ms";
        else if (about("not a number")) text += "\nIs it the right one? Choose: --column NAME";
        else if (about("the time is")) text += "\nIs it the right one? Choose: --time NAME";
        else if (read_.bad_lines < read_.lines)
            text += "\n--lenient does without them; a missing tail makes the timeout too short";
        return text;
    }

    const LatencyInput& input_;
    std::optional<Duration> unit_;
    std::vector<std::string> formats_, names_;
    std::vector<std::string> values_;  // of the field of --only-if, while all are left out
    LatencyRead read_;
};

}  // namespace

Condition condition_from(const std::string& text) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos) return {.field = text};
    return {.field = text.substr(0, sign), .value = text.substr(sign + 1)};
}

Result<LatencyRead> read_latencies(const LatencyInput& input) {
    Gathering gathering{input};
    for (const std::string& name : input.files)
        if (const auto done = gathering.file(name); !done) return fail(done.error());
    return gathering.end();
}

}  // namespace tool

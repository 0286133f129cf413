// SPDX-License-Identifier: Apache-2.0
//
// perdure tune: which timeout do these latencies call for, and how near is its cliff?
#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "text/output.hpp"
#include "tune/latency_value.hpp"
#include "tune/tune_show.hpp"

namespace tool {

namespace {

// As the flags say it; numbers with a default of their own are optional here.
struct TuneFlags {
    TuneOptions options;
    std::string column, field, unit, timed_out_if, only_if, sampled, html;
    std::optional<double> false_timeouts, confidence;
    bool lenient = false;
    bool json = false;
};

constexpr const char* tune_closing = R"(Examples:
  perdure tune calls.csv --column latency_ms --time start --sampled open
  perdure tune calls.jsonl --field duration_ms --timed-out-if status=timeout --html report.html
  jq .took access.log | perdure tune - --unit ms --false-timeouts 1%
  perdure tune calls.csv --rate 800 --capacity 1000 --attempts 4

D is a duration: 50ms, 1.5s, 1h. X is a number; 0.1% is 0.001.
The timeout is the largest of the percentile's upper confidence bound, twice the median, and
the median plus --worst-rtt; --network is added. It comes from all samples together, or from
the worst stretch of time if that is worse than chance explains.

Exit status: 0; 1 if the answer could not be written; 2 when there is no recommendation: too
few samples, or a tail that was cut off; 3 when a file cannot be read; 125 for wrong flags.)";

std::string contradictions_in(const TuneFlags& flags) {
    const TuneOptions& options = flags.options;
    if (!flags.unit.empty() && !unit_named(flags.unit))
        return "--unit is one of ns, us, ms, s; it is '" + flags.unit + "'";
    if (!flags.sampled.empty() && flags.sampled != "open" && flags.sampled != "closed")
        return "--sampled is open or closed; it is '" + flags.sampled + "'";
    if (!flags.column.empty() && !flags.field.empty())
        return "--column and --field say the same; give one";
    if (options.block > Duration::zero() && options.input.time.empty())
        return "--block needs the time of each sample: --time NAME";
    if (options.attempts < 1) return "--attempts must be at least 1";
    if (options.utilisation && options.rate && options.capacity)
        return "--rate and --capacity tell the utilisation; leave --utilisation out";
    return {};
}

TuneOptions options_of(const TuneFlags& flags) {
    TuneOptions options = flags.options;
    options.input.latency = flags.column.empty() ? flags.field : flags.column;
    if (!flags.unit.empty()) options.input.unit = unit_named(flags.unit);
    if (!flags.timed_out_if.empty()) options.input.timed_out = condition_from(flags.timed_out_if);
    if (!flags.only_if.empty()) options.input.only = condition_from(flags.only_if);
    if (flags.lenient) options.input.bad_lines = BadLines::tolerated;
    if (!flags.sampled.empty())
        options.sampled = flags.sampled == "open" ? Sampled::open : Sampled::closed;
    options.false_timeouts = flags.false_timeouts.value_or(options.false_timeouts);
    options.confidence = flags.confidence.value_or(options.confidence);
    return options;
}

// A file for the page, open before the samples are read: nobody should wait for an answer that has
// no place to go. What stood there stays until the page is written. Used by one thread.
class PageFile {
public:
    explicit PageFile(std::string path) : path_{std::move(path)} {
        if (path_.empty()) return;
        fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        made_ = fd_ >= 0;
        if (!made_ && errno == EEXIST)
            fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        error_ = fd_ < 0 ? errno : 0;
    }
    ~PageFile() {
        if (fd_ >= 0) close(fd_);
        if (made_) unlink(path_.c_str());
    }
    PageFile(const PageFile&) = delete;
    PageFile& operator=(const PageFile&) = delete;

    [[nodiscard]] bool wanted() const { return !path_.empty(); }
    int write(std::string_view html) {
        made_ = false;
        // A pipe or a device cannot be cut; it has nothing old to cut either.
        if (ftruncate(fd_, 0) != 0 && errno != EINVAL) error_ = errno;
        while (error_ == 0 && !html.empty()) {
            const ssize_t done = ::write(fd_, html.data(), html.size());
            if (done >= 0) html.remove_prefix(static_cast<std::size_t>(done));
            else if (errno != EINTR) error_ = errno;
        }
        if (close(std::exchange(fd_, -1)) != 0 && error_ == 0) error_ = errno;
        return status();
    }
    // Says what is wrong, if anything is.
    [[nodiscard]] int status() const {
        if (error_ == 0) return exit_code::success;
        say("perdure tune: cannot write " + path_ + ": " + std::generic_category().message(error_));
        return exit_code::output_failed;
    }

private:
    std::string path_;
    int fd_ = -1;
    int error_ = 0;
    bool made_ = false;  // and nothing in it yet
};

int tune_files(const TuneFlags& flags) {
    if (const std::string wrong = contradictions_in(flags); !wrong.empty()) {
        say("perdure tune: " + wrong + "\nperdure tune --help lists what there is.");
        return exit_code::usage;
    }
    PageFile page{flags.html};
    if (const int status = page.status(); status != 0) return status;
    const TuneOptions options = options_of(flags);
    auto read = read_latencies(options.input);
    if (!read) {
        say("perdure tune: " + read.error().message);
        return exit_code::unreadable;
    }
    const TuneReport report = report_on(std::move(*read), options);
    if (const int printed = print(flags.json ? as_json(report) : as_text(report)); printed != 0)
        return printed;
    if (page.wanted())
        if (const int written = page.write(as_page(report)); written != 0) return written;
    return report.timeout ? exit_code::success : exit_code::no_answer;
}

void add_input_flags(Section& section, TuneFlags& flags) {
    LatencyInput& input = flags.options.input;
    constexpr const char* group = "Samples";
    section.files(input.files, "CSV, JSON lines or a number per line; - for standard input");
    section.text("--column", flags.column, "the latency in CSV, by name or number from 1",
                 {.preset = "looked for", .group = group});
    section.text("--field", flags.field, "the latency in JSON lines, also nested: http.took",
                 {.preset = "looked for", .group = group});
    section.text("--unit", flags.unit, "of bare numbers: ns, us, ms or s",
                 {.preset = "from the name", .group = group});
    section.text("--time", input.time, "when a request was made: an epoch or ISO 8601",
                 {.group = group});
    section.text("--timed-out-if", flags.timed_out_if,
                 "what marks a request that was cut off: status=timeout", {.group = group});
    section.text("--only-if", flags.only_if, "leave out other requests: status=200",
                 {.group = group});
    section.duration("--timeout", input.timeout,
                     "the present timeout: what took as long was cut off", {.group = group});
    section.text("--sampled", flags.sampled, "how requests were made: open or closed loop",
                 {.group = group});
    section.flag("--lenient", flags.lenient,
                 "go on when more than 1 % of the lines are unreadable");
}

void add_wish_flags(Section& section, TuneFlags& flags) {
    TuneOptions& options = flags.options;
    constexpr const char* wish = "Wishes";
    section.number("--false-timeouts", flags.false_timeouts, {0, 0.5},
                   "the share of good requests that may be cut off",
                   {.preset = "0.1%", .group = wish});
    section.number("--confidence", flags.confidence, {0.5, 1}, "that it is not more",
                   {.preset = "95%", .group = wish});
    section.duration("--network", options.network, "added for what the samples do not contain",
                     {.preset = "0", .group = wish, .zero = Zero::allowed});
    section.duration("--worst-rtt", options.worst_round_trip,
                     "leave room for the median and a round trip this slow",
                     {.preset = "0", .group = wish, .zero = Zero::allowed});
    section.duration("--block", options.block, "look for the worst stretch of this length",
                     {.preset = "chosen", .group = wish});
    constexpr const char* plan = "Plan";
    section.count("--attempts", options.attempts, 100, "per call, the first included",
                  {.preset = "3", .group = plan});
    section.duration("--base", options.base, "the first wait is up to this long; it doubles",
                     {.preset = "50ms", .group = plan, .zero = Zero::allowed});
    section.duration("--cap", options.cap, "no wait is longer", {.preset = "5s", .group = plan});
    section.duration("--deadline", options.deadline, "the attempts must fit into this",
                     {.preset = "what they need", .group = plan});
    section.text("--name", options.name, "of the plan", {.preset = "service", .group = plan});
    constexpr const char* load = "Load";
    section.number("--utilisation", options.utilisation, {0, 1}, "how busy the service is",
                   {.group = load});
    section.number("--rate", options.rate, {0, 1e12}, "calls per second it gets", {.group = load});
    section.number("--capacity", options.capacity, {0, 1e12}, "requests per second it can serve",
                   {.group = load});
}

}  // namespace

void add_tune(CommandLine& line) {
    auto flags = std::make_shared<TuneFlags>();
    Section section = line.command("tune", "a timeout from observed latencies, and its cliff");
    add_input_flags(section, *flags);
    add_wish_flags(section, *flags);
    section.text("--html", flags->html, "also write a page with charts to this file");
    section.flag("--json", flags->json, "the answer as one line of JSON");
    section.closing(tune_closing);
    section.runs([flags] { return tune_files(*flags); });
}

}  // namespace tool

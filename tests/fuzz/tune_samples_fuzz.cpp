// SPDX-License-Identifier: Apache-2.0
//
// The first two bytes become options of `perdure tune`, the others a file of latencies: CSV, numbers
// or JSON lines. Every line is a sample, left out or bad; samples with a time are in its order; and
// the report can be shown whatever was read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "memory_file.hpp"
#include "tune/tune_show.hpp"

namespace {

using namespace tool;
using fuzz::must;

TuneOptions options_from(unsigned bits) {
    using namespace std::chrono_literals;
    TuneOptions options;
    LatencyInput& input = options.input;
    if (bits & 1U) input.latency = bits & 2U ? "2" : "latency";
    if (bits & 4U) input.time = bits & 8U ? "1" : "time";
    if (bits & 16U) input.timed_out = condition_from(bits & 32U ? "outcome=timeout" : "timed_out");
    if (bits & 64U) input.only = condition_from("status=200");
    if (bits & 128U) input.unit = 1ms;
    if (bits & 256U) input.timeout = 100ms;
    if (bits & 512U) input.bad_lines = BadLines::tolerated;
    if (bits & 1024U) options.deadline = 2s;
    if (bits & 2048U) options.utilisation = 0.7;
    return options;
}

void sound(const LatencyRead& read, const LatencyInput& input) {
    must(read.lines == read.samples.size() + read.bad_lines + read.left_out,
         "every line is a sample, left out or bad");
    for (const TimedSample& one : read.samples)
        must(one.sample.latency >= Duration::zero(), "a latency is not negative");
    must(input.time.empty() || std::ranges::is_sorted(read.samples, {}, &TimedSample::at),
         "samples with a time are in its order");
    for (const std::string& line : read.bad_examples)
        must(fuzz::printable_lines(line), "what is wrong with a line can be printed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    TuneOptions options = options_from(data[0] + 256U * data[1]);
    const fuzz::MemoryFile file{{reinterpret_cast<const char*>(data) + 2, size - 2}};
    options.input.files = {file.path()};
    auto read = read_latencies(options.input);
    if (!read) {
        must(!read.error().message.empty(), "a refusal has words");
        must(fuzz::printable_lines(read.error().message), "a refusal can be printed");
        return 0;
    }
    sound(*read, options.input);
    const TuneReport report = report_on(std::move(*read), options);
    must(!report.timeout || *report.timeout > Duration::zero(), "a timeout is longer than nothing");
    must(fuzz::printable_lines(as_text(report)), "a terminal gets text only");
    must(fuzz::printable_lines(as_json(report)), "JSON escapes control characters");
    must(!as_page(report).empty(), "there is a page");
    return 0;
}

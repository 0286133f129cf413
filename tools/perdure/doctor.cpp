// SPDX-License-Identifier: Apache-2.0
//
// perdure doctor: what is wrong, by the journals of one or many instances?
#include <cerrno>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "command_line.hpp"
#include "doctor/report.hpp"
#include "exit_code.hpp"
#include "text/output.hpp"
#include "tune/latency_value.hpp"

namespace tool {

namespace {

struct DoctorFlags {
    doctor::Options options;
    std::optional<double> sla;
    std::optional<Duration> p99;
    std::string since, until, by, html;
    bool json = false;
};

constexpr const char* doctor_closing = R"(Examples:
  perdure doctor /var/log/orders/*.jsonl
  perdure doctor host-*/calls.jsonl.gz --sla 99.9% --p99 200ms --html report.html
  ssh host-7 cat calls.jsonl | perdure doctor - --since 2026-11-16T10:00:00Z --json

Files are journals: JSON lines, gzip or plain, of any number of instances, in any order.
The last line says whether to contact the service's support, and why.

Exit status: 0 healthy; 1 if the answer could not be written; 2 without a single call to
judge; 3 when a file cannot be read; 8 when trouble was found; 125 for wrong flags.)";

// "" when all is well.
std::string take_time(const char* flag, const std::string& text, std::int64_t& into) {
    if (text.empty()) return {};
    const auto read = read_time(text);
    if (read.wrong) return std::string{flag} + ": " + read.wrong;
    into = read.value.time_since_epoch().count();
    return {};
}

std::string take_flags(DoctorFlags& flags) {
    doctor::Options& options = flags.options;
    if (flags.by == "operation") options.by = doctor::By::operation;
    else if (flags.by == "dependency") options.by = doctor::By::dependency;
    else if (!flags.by.empty()) return "--by is operation or dependency; it is '" + flags.by + "'";
    options.sla_given = flags.sla.has_value();
    options.wishes.sla = flags.sla.value_or(options.wishes.sla);
    if (flags.p99) options.wishes.p99 = flags.p99->count();
    if (const auto wrong = take_time("--since", flags.since, options.window.since); !wrong.empty())
        return wrong;
    return take_time("--until", flags.until, options.window.until);
}

int write_page(const std::string& path, const std::string& html) {
    errno = 0;
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file << html;
    file.close();
    if (file) return exit_code::success;
    say("perdure doctor: cannot write " + path + ": " +
        std::generic_category().message(errno == 0 ? EIO : errno));
    return exit_code::output_failed;
}

int examine(DoctorFlags& flags) {
    if (const std::string wrong = take_flags(flags); !wrong.empty()) {
        say("perdure doctor: " + wrong + "\nperdure doctor --help lists what there is.");
        return exit_code::usage;
    }
    doctor::Tallies tallies;
    doctor::Account account;
    for (const std::string& file : flags.options.files)
        if (const auto read = doctor::read_journal(file, flags.options.window, tallies, account);
            !read) {
            say("perdure doctor: " + read.error().message);
            return exit_code::unreadable;
        }
    if (tallies.whole.calls == 0) {
        say("perdure doctor: no call to judge in " + std::to_string(account.lines) + " lines" +
            (account.bad > 0 ? "; the first that cannot be read: " + account.first_bad +
                                   " (a journal is what --journal or telemetry::Journal writes)"
                             : "") +
            (account.left_out > 0
                 ? "; " + std::to_string(account.left_out) + " were outside the time"
                 : ""));
        return exit_code::no_answer;
    }
    const doctor::Report report =
        doctor::report_on(std::move(tallies), std::move(account), flags.options);
    if (const int printed = print(flags.json ? as_json(report) : as_text(report)); printed != 0)
        return printed;
    if (!flags.html.empty())
        if (const int written = write_page(flags.html, as_page(report)); written != 0)
            return written;
    return report.diagnosis.verdict == doctor::Root::healthy ? exit_code::success
                                                             : exit_code::trouble;
}

}  // namespace

void add_doctor(CommandLine& line) {
    auto flags = std::make_shared<DoctorFlags>();
    Section section = line.command("doctor", "what is wrong, by the journals of all instances");
    section.files(flags->options.files, "journals, also packed by gzip; - for standard input");
    section.number("--sla", flags->sla, {0, 1}, "the share of calls that should succeed",
                   {.preset = "99%"});
    section.duration("--p99", flags->p99, "what p99 should be");
    section.text("--since", flags->since, "leave out what is earlier: ISO 8601 or an epoch",
                 {.kind = "TIME"});
    section.text("--until", flags->until, "leave out what is as late or later", {.kind = "TIME"});
    section.text("--by", flags->by, "a table by operation or dependency");
    section.text("--html", flags->html, "also write a page with a timeline to this file",
                 {.kind = "FILE"});
    section.flag("--json", flags->json, "the answer as one line of JSON");
    section.closing(doctor_closing);
    section.runs([flags] { return examine(*flags); });
}

}  // namespace tool

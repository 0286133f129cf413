// SPDX-License-Identifier: Apache-2.0
//
// perdure sim: what would a fleet do under these policies?
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "perdure/sim/policies.hpp"
#include "perdure/time/clock.hpp"
#include "sim/sim_report.hpp"
#include "sim/sim_scenarios.hpp"
#include "text/duration_text.hpp"
#include "text/json_text.hpp"
#include "text/output.hpp"
#include "text/small_file.hpp"

namespace tool {

namespace {

struct SimOptions {
    std::string subject;  // a shipped scenario's name, a file, or "-"
    std::vector<std::string> policies;
    std::vector<std::string> settings;
    std::string html;
    int seeds = not_given;  // what the scenario says
    int threads = not_given;
    bool json = false;
    bool print_file = false;
};

constexpr const char* sim_closing = R"(Examples:
  perdure sim                                             the scenarios and the policies there are
  perdure sim retry-storm
  perdure sim retry-storm --policy perdure --policy aws-2026 --seeds 20 --html storm.html
  perdure sim retry-storm --set clients.rate=300
  perdure sim retry-storm --print > mine.toml             a file to begin with
  perdure sim mine.toml --json
  generate_scenario | perdure sim -                       from standard input

KEY is a path in the scenario file: service.queue.limit, call.timeout, policy.NAME.attempts.
Exit status: 0; 1 if the report could not be written; 125 for wrong flags or a wrong file.)";

// One line that is written again and again, on a terminal only.
class ProgressLine {
public:
    explicit ProgressLine(std::size_t all) : all_{all}, on_{isatty(STDERR_FILENO) == 1} {}
    ~ProgressLine() {
        if (shown_) std::fputs("\r\033[K", stderr);
    }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void tell(std::size_t done) {
        const TimePoint now = system_clock().now();
        if (!on_ || now < next_) return;
        next_ = now + 100ms;
        const auto left = (now - began_) / static_cast<Duration::rep>(done) *
                          static_cast<Duration::rep>(all_ - done);
        std::string line =
            "\r\033[K" + std::to_string(done) + " of " + std::to_string(all_) + " runs";
        if (now - began_ > 1s) line += ", about " + in_words(left) + " left";
        std::fputs(line.c_str(), stderr);
        std::fflush(stderr);
        shown_ = true;
    }

private:
    const std::size_t all_;
    const bool on_;
    const TimePoint began_ = system_clock().now();
    TimePoint next_ = began_ + 300ms;
    bool shown_ = false;
};

std::string list_text() {
    std::string text = "Scenarios:\n";
    for (const auto& [name, file] : shipped_scenarios()) {
        const Study study = read_study(file, std::string{name}).study;
        std::string line = "  " + std::string{name};
        line.resize(std::max<std::size_t>(line.size() + 2, 20), ' ');
        text += line + study.question + "\n";
    }
    text += "\nPolicies that `--policy` and `like` know:\n";
    for (const auto& policy : sim::policies()) {
        std::string line = "  " + policy.name;
        line.resize(std::max<std::size_t>(line.size() + 2, 20), ' ');
        text += line + policy.text + "\n";
    }
    return text +
           "\n`perdure sim SCENARIO` runs one; `perdure sim --help` says what else there is.\n";
}

std::string list_json() {
    std::string scenarios, policies;
    for (const auto& [name, file] : shipped_scenarios()) {
        const Study study = read_study(file, std::string{name}).study;
        JsonLine line;
        line.text("name", name).text("title", study.title).text("question", study.question);
        std::string json = std::move(line).end();
        scenarios += (scenarios.empty() ? "" : ",") + json.substr(0, json.size() - 1);
    }
    for (const auto& policy : sim::policies()) {
        JsonLine line;
        line.text("name", policy.name).text("text", policy.text);
        std::string json = std::move(line).end();
        policies += (policies.empty() ? "" : ",") + json.substr(0, json.size() - 1);
    }
    JsonLine line;
    line.raw("scenarios", "[" + scenarios + "]").raw("policies", "[" + policies + "]");
    return std::move(line).end();
}

struct Source {
    std::string name;  // as problems show it
    std::string text;
    std::string why_not;  // not empty: it cannot be had
};

Source find_source(const std::string& subject) {
    std::vector<std::string> names;
    for (const auto& [name, text] : shipped_scenarios()) {
        if (name == subject) return {subject, std::string{text}, {}};
        names.emplace_back(name);
    }
    const std::string shown = subject == "-" ? "standard input" : subject;
    auto text = read_small_file(subject);
    if (text && text->empty()) return {shown, {}, "is empty"};
    if (text) return {shown, *std::move(text), {}};
    std::error_code ignored;
    if (std::filesystem::is_directory(subject, ignored)) return {shown, {}, "is a directory"};
    if (text.error().code != "no-such-file")
        return {shown, {}, "cannot be read: " + text.error().message};
    return {shown,
            {},
            "is neither a scenario nor a file" + did_you_mean(subject, names) +
                "; `perdure sim` lists the scenarios"};
}

bool split_settings(const SimOptions& options, Wishes& wishes) {
    for (const std::string& setting : options.settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0) {
            say("perdure sim: --set: '" + setting +
                "' is no KEY=VALUE; as in --set clients.rate=900");
            return false;
        }
        wishes.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    }
    return true;
}

void say_problems(const Source& source, const Problems& problems) {
    for (const Problem& problem : problems) {
        const std::string where = in_words(problem.place);
        say(source.name + ":" +
            (where.empty()            ? ""
             : problem.place.line > 0 ? where + ":"
                                      : " " + where + ":") +
            " " + problem.text);
    }
    say("perdure sim: " + std::to_string(problems.size()) +
        (problems.size() == 1 ? " problem" : " problems") +
        "; reference/scenario-files.md in the documentation describes the files");
}

std::string quoted(const std::string& word) {
    const bool plain = !word.empty() &&
                       word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-./=:,") == std::string::npos;
    if (plain) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string{c};
    return text + "'";
}

std::string command_of(const SimOptions& options, int seeds) {
    std::string text = "perdure sim " + quoted(options.subject);
    for (const std::string& policy : options.policies) text += " --policy " + quoted(policy);
    for (const std::string& setting : options.settings) text += " --set " + quoted(setting);
    text += " --seeds " + std::to_string(seeds);
    return text + " --html " + quoted(options.html);
}

int write_page(const SimOptions& options, const Told& told) {
    std::ofstream file{options.html, std::ios::binary};
    file << report_page(told, command_of(options, told.findings.seeds));
    file.close();
    if (file) return exit_code::success;
    say("perdure sim: cannot write " + options.html + ": " +
        std::generic_category().message(errno));
    return exit_code::output_failed;
}

// Before the run: nobody waits minutes to hear that the page has no place.
int try_page(const SimOptions& options) {
    if (options.html.empty()) return exit_code::success;
    const std::ofstream file{options.html, std::ios::binary | std::ios::app};
    if (file) return exit_code::success;
    say("perdure sim: cannot write " + options.html + ": " +
        std::generic_category().message(errno));
    return exit_code::output_failed;
}

// What the flags say that their types let through.
std::string wrong_flags(const SimOptions& options) {
    if (options.seeds == 0) return "--seeds: '0' is not a whole number from 1 to 10000";
    if (options.threads == 0) return "--threads: '0' is not a whole number from 1 to 1024";
    if (options.print_file && !(options.settings.empty() && options.policies.empty()))
        return "--print prints the file as it is: leave out --set and --policy";
    return {};
}

int sim_command(const SimOptions& options) {
    if (const std::string wrong = wrong_flags(options); !wrong.empty()) {
        say("perdure sim: " + wrong);
        return exit_code::usage;
    }
    if (options.subject.empty()) return print(options.json ? list_json() : list_text());
    const Source source = find_source(options.subject);
    if (!source.why_not.empty()) {
        say("perdure sim: '" + source.name + "' " + source.why_not);
        return exit_code::usage;
    }
    if (options.print_file) return print_data(source.text);
    Wishes wishes{.policies = options.policies};
    if (!split_settings(options, wishes)) return exit_code::usage;
    const Reading reading = read_study(source.text, source.name, wishes);
    if (!reading.problems.empty()) {
        say_problems(source, reading.problems);
        return exit_code::usage;
    }
    if (const int wrong = try_page(options); wrong != exit_code::success) return wrong;
    const int seeds = options.seeds > 0 ? options.seeds : reading.study.seeds;
    Findings findings;
    {
        ProgressLine line{reading.study.cases.size() * static_cast<std::size_t>(seeds)};
        findings =
            run_study(reading.study, {.seeds = seeds,
                                      .threads = options.threads,
                                      .progress = [&](std::size_t done) { line.tell(done); }});
    }
    const Told told{reading.study, findings};
    const int printed = print(options.json ? report_json(told) : report_text(told));
    if (options.html.empty()) return printed;
    const int written = write_page(options, told);
    return printed != exit_code::success ? printed : written;
}

}  // namespace

void add_sim(CommandLine& line) {
    auto options = std::make_shared<SimOptions>();
    Section section =
        line.command("sim", "a simulated fleet under overload, policies side by side");
    section.subject("SCENARIO", options->subject,
                    "a scenario's name, a file, or -; without: a list");
    section.texts("--policy", options->policies, "compare this one; may be given again");
    section.texts("--set", options->settings, "KEY=VALUE in the scenario; may be given again");
    section.count("--seeds", options->seeds, 10'000, "runs of each, with seeds from 1 on",
                  {.preset = "what the scenario says"});
    section.count("--threads", options->threads, 1024, "at once; the result is the same for any",
                  {.preset = "one per core"});
    section.flag("--json", options->json, "every number as one line of JSON");
    section.text("--html", options->html, "write a page with charts into this file");
    section.flag("--print", options->print_file, "print the scenario's file and do nothing");
    section.closing(sim_closing);
    section.runs([options] {
        std::set_new_handler(nullptr);  // so that the hint below is given
        try {
            return sim_command(*options);
        } catch (const std::bad_alloc&) {
            say("perdure sim: not enough memory; lower `clients.count`, `clients.rate` or "
                "--threads");
            return exit_code::output_failed;
        }
    });
}

}  // namespace tool

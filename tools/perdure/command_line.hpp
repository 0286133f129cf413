// SPDX-License-Identifier: Apache-2.0
//
// How does a command say what it takes? In words of our own: the parser behind them is included in
// one source only, because it alone takes ten seconds to compile.
//
//     auto options = std::make_shared<Options>();
//     Section section = line.command("offset", "the stable offset of a periodic job");
//     section.duration("--every", options->every, "how often", {.must = Must::be_given});
//     section.runs([options] { return offset(*options); });
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perdure/duration.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the parser's name
class App;
class Option;
}  // namespace CLI

namespace tool {

using namespace perdure;

enum class Must : unsigned char { nothing, be_given };
enum class Zero : unsigned char { refused, allowed };

struct FlagTraits {
    const char* preset = "";  // what holds without the flag, as the help shows it
    const char* group = "";   // the heading in the help; empty: the common one
    Must must = Must::nothing;
    Zero zero = Zero::refused;  // durations
    const char* kind = "";      // of a text, as the help shows it; empty: NAME
};

struct Limits {
    double above = 0;
    double below = 0;
};

// A count whose flag is missing, where 0 may be given.
inline constexpr int not_given = -1;

struct SectionState;

// One command. What the flags write into must live until the command has run.
class Section {
public:
    Section(CLI::App& app, SectionState& state) : app_{&app}, state_{&state} {}

    Section& flag(const char* name, bool& into, const char* help, FlagTraits traits = {});
    // "--key{new}": --key alone means "new", --key=7 means "7".
    Section& flag_or_text(const char* name, std::string& into, const char* help,
                          FlagTraits traits = {});
    Section& text(const char* name, std::string& into, const char* help, FlagTraits traits = {});
    Section& count(const char* name, int& into, int most, const char* help, FlagTraits traits = {});
    // "0.001" or "0.1%"; between the limits, both excluded.
    Section& number(const char* name, std::optional<double>& into, Limits limits, const char* help,
                    FlagTraits traits = {});
    Section& duration(const char* name, Duration& into, const char* help, FlagTraits traits = {});
    Section& duration(const char* name, std::optional<Duration>& into, const char* help,
                      FlagTraits traits = {});
    Section& statuses(const char* name, std::set<int>& into,
                      const char* help);  // "1,75"; from 1 to 255
    Section& texts(const char* name, std::vector<std::string>& into, const char* help,
                   FlagTraits traits = {});  // may be given again and again
    // What stands without a flag, and may be missing.
    Section& subject(const char* name, std::string& into, const char* help);
    // What stands without a flag: one or more names of files, "-" for standard input.
    Section& files(std::vector<std::string>& into, const char* help);
    // The command takes another one with its arguments, behind "--".
    Section& wraps(std::vector<std::string>& into);
    Section& closing(const char* words);  // under the flags: examples, exit status
    void runs(std::function<int()> job);

private:
    CLI::App* app_;
    SectionState* state_;
};

// Owned by main, used from its thread.
class CommandLine {
public:
    CommandLine();
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    Section command(const char* name, const char* summary);
    // Runs the command that was asked for; its exit status, or exit_code::usage.
    int run(int argc, const char* const* argv);

private:
    // What is wrong with the first word; empty if nothing is.
    [[nodiscard]] std::string unknown_command(const std::vector<std::string>& words) const;
    [[nodiscard]] bool forgot_dashes(const CLI::App& app) const;
    int dispatch(const std::vector<std::string>& wrapped);
    std::unique_ptr<CLI::App> app_;
    std::vector<std::unique_ptr<SectionState>> sections_;
};

// One function per command, each in a file of its name.
void add_run(CommandLine& line);
void add_offset(CommandLine& line);
void add_tune(CommandLine& line);
void add_sim(CommandLine& line);
void add_explain(CommandLine& line);
void add_chaos(CommandLine& line);
void add_get(CommandLine& line);
void add_load(CommandLine& line);
void add_doctor(CommandLine& line);
void add_gateway(CommandLine& line);

}  // namespace tool

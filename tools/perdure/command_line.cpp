// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "exit_code.hpp"
#include "text/did_you_mean.hpp"
#include "text/duration_text.hpp"
#include "text/json_text.hpp"
#include "text/output.hpp"

namespace tool {

struct SectionState {
    CLI::App* app = nullptr;
    std::vector<std::string>* wrapped = nullptr;
    std::function<int()> job;
    std::vector<std::string> unfinished{};  // "--flag=": words that want a value behind them
};

namespace {

std::string refusal_line(const std::string& why) {
    JsonLine line;
    line.text("stopped", why).number("status", exit_code::usage);
    return std::move(line).end();
}

Duration duration_or_throw(const char* name, const std::string& text, Zero zero) {
    const auto parsed = parse_duration(text);
    if (!parsed) throw CLI::ValidationError(name, parsed.error().message);
    if (*parsed == Duration::zero() && zero == Zero::refused)
        throw CLI::ValidationError(name, "must be longer than zero");
    return *parsed;
}

int number_or_throw(const char* name, std::string_view text, int least, int most) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < least || number > most)
        throw CLI::ValidationError(name, "'" + std::string{text} + "' is not a whole number from " +
                                             std::to_string(least) + " to " + std::to_string(most));
    return number;
}

double real_or_throw(const char* name, std::string_view text, Limits limits) {
    const std::string_view digits = text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0));
    double number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.size() < text.size()) number /= 100;
    if (error != std::errc{} || end != digits.data() + digits.size() ||
        !(number > limits.above && number < limits.below)) {
        std::ostringstream words;
        words << "'" << text << "' is not a number above " << limits.above << " and below "
              << limits.below;
        throw CLI::ValidationError(name, words.str());
    }
    return number;
}

void describe(CLI::Option& option, const char* kind, const FlagTraits& traits) {
    option.type_name(*traits.kind ? traits.kind : kind);
    if (*traits.preset) option.default_str(traits.preset);
    if (*traits.group) option.group(traits.group);
    if (traits.must == Must::be_given) option.required();
}

// Lines of at most `width` bytes, where the words allow it.
std::string wrap(const std::string& text, std::size_t width) {
    std::istringstream words{text};
    std::string lines;
    std::size_t used = 0;
    for (std::string word; words >> word; used += word.size()) {
        const bool fits = used + 1 + word.size() <= width;
        if (!lines.empty()) lines += fits ? ' ' : '\n';
        used = fits ? used + 1 : 0;
        lines += word;
    }
    return lines;
}

// The default stands behind the description, where the parser's own help has it in the name of the value.
class Help : public CLI::Formatter {
public:
    std::string make_option_name(const CLI::Option* option, bool positional) const override {
        std::string name = CLI::Formatter::make_option_name(option, positional);
        if (const auto brace = name.find('{'); brace != std::string::npos)
            name.replace(brace, name.find('}') - brace + 1, "[=KEY]");
        return name;
    }
    std::string make_option_opts(const CLI::Option* option) const override {
        std::string words = CLI::Formatter::make_option_opts(option);
        const std::string preset = "=" + option->get_default_str();
        if (const auto at = words.find(preset); preset.size() > 1 && at != std::string::npos)
            words.erase(at, preset.size());
        return words;
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        std::string words = option->get_description();
        if (option->get_type_size() != 0 && !option->get_default_str().empty())
            words += " (default " + option->get_default_str() + ")";
        constexpr std::size_t columns = 100;
        return wrap(words, columns - get_column_width());
    }
};

// The parser knows nothing of what stands behind the dashes.
class WrappingHelp final : public Help {
public:
    std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
        return "Usage: " + name + " [OPTIONS] -- COMMAND [ARGUMENTS]\n";
    }
};

// A word that was not expected may be a URL with a password, or the rest of one: its place is told instead.
std::string unexpected_word(const std::vector<std::string>& extras,
                            const std::vector<std::string>& words) {
    const auto last =
        extras.empty() ? words.rend() : std::find(words.rbegin(), words.rend(), extras.front());
    const auto place = words.rend() - last;
    return (place > 0 ? "word " + std::to_string(place) + " after perdure" : "a word") +
           " was not expected; it is not repeated here, for it may hold a secret";
}

// What the parser says, without the values that it repeats.
std::string words_of(const CLI::ParseError& error, const CLI::App& app,
                     const std::vector<std::string>& words) {
    const auto is = [&](CLI::ExitCodes code) {
        return error.get_exit_code() == static_cast<int>(code);
    };
    if (is(CLI::ExitCodes::ExtrasError)) return unexpected_word(app.remaining(true), words);
    std::string said = error.what();
    if (is(CLI::ExitCodes::ConversionError)) return said.substr(0, said.find(" = "));
    return said;
}

// The first flag that the command does not have. The value of a flag may look like a flag.
std::string unknown_flag(const CLI::App& app, const std::vector<std::string>& words) {
    const auto begin = std::ranges::find(words, app.get_name());
    for (auto at = begin; at < words.end(); ++at) {
        const std::string flag = at->substr(0, at->find('='));
        if (!flag.starts_with("--") || flag.size() == 2) continue;
        const CLI::Option* const option = app.get_option_no_throw(flag);
        if (option && flag == *at && option->get_items_expected_min() > 0) ++at;
        if (option) continue;
        std::vector<std::string> known;
        for (const CLI::Option* one : app.get_options())
            for (const std::string& name : one->get_lnames()) known.push_back("--" + name);
        return "there is no flag " + flag + did_you_mean(flag, known);
    }
    return {};
}

}  // namespace

Section& Section::flag(const char* name, bool& into, const char* help, FlagTraits traits) {
    CLI::Option* const option = app_->add_flag(name, into, help);
    if (*traits.group) option->group(traits.group);
    return *this;
}

Section& Section::flag_or_text(const char* name, std::string& into, const char* help,
                               FlagTraits traits) {
    CLI::Option* const option = app_->add_flag(name, into, help);
    if (*traits.group) option->group(traits.group);
    const std::string_view whole{name};
    state_->unfinished.emplace_back(std::string{whole.substr(0, whole.find('{'))} + "=");
    return *this;
}

Section& Section::text(const char* name, std::string& into, const char* help, FlagTraits traits) {
    const auto take = [name, &into](const std::string& given) {
        if (given.empty()) throw CLI::ValidationError(name, "is empty");
        into = given;
    };
    describe(*app_->add_option_function<std::string>(name, take, help), "NAME", traits);
    return *this;
}

Section& Section::count(const char* name, int& into, int most, const char* help,
                        FlagTraits traits) {
    const auto take = [name, &into, most](const std::string& given) {
        into = number_or_throw(name, given, 0, most);
    };
    describe(*app_->add_option_function<std::string>(name, take, help), "N", traits);
    return *this;
}

Section& Section::number(const char* name, std::optional<double>& into, Limits limits,
                         const char* help, FlagTraits traits) {
    const auto take = [name, &into, limits](const std::string& given) {
        into = real_or_throw(name, given, limits);
    };
    describe(*app_->add_option_function<std::string>(name, take, help), "X", traits);
    return *this;
}

Section& Section::duration(const char* name, Duration& into, const char* help, FlagTraits traits) {
    const auto take = [name, &into, traits](const std::string& given) {
        into = duration_or_throw(name, given, traits.zero);
    };
    describe(*app_->add_option_function<std::string>(name, take, help), "D", traits);
    return *this;
}

Section& Section::duration(const char* name, std::optional<Duration>& into, const char* help,
                           FlagTraits traits) {
    const auto take = [name, &into, traits](const std::string& given) {
        into = duration_or_throw(name, given, traits.zero);
    };
    describe(*app_->add_option_function<std::string>(name, take, help), "D", traits);
    return *this;
}

Section& Section::statuses(const char* name, std::set<int>& into, const char* help) {
    const auto take = [name, &into](const std::string& given) {
        std::istringstream list{given + ","};
        for (std::string one; std::getline(list, one, ',');)
            into.insert(number_or_throw(name, one, 1, 255));
    };
    describe(*app_->add_option_function<std::string>(name, take, help), "N,N", {});
    return *this;
}

Section& Section::texts(const char* name, std::vector<std::string>& into, const char* help,
                        FlagTraits traits) {
    const auto take = [name, &into](const std::vector<std::string>& given) {
        for (const std::string& one : given) {
            if (one.empty()) throw CLI::ValidationError(name, "is empty");
            into.push_back(one);
        }
    };
    // One value to a flag: a list would swallow what stands behind it.
    CLI::Option* option = app_->add_option_function<std::vector<std::string>>(name, take, help);
    option->expected(1)->allow_extra_args(false);
    describe(*option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll), "NAME", traits);
    return *this;
}

Section& Section::subject(const char* name, std::string& into, const char* help) {
    app_->add_option(name, into, help)->type_name("");
    return *this;
}

Section& Section::files(std::vector<std::string>& into, const char* help) {
    app_->add_option("FILE", into, help)->required()->type_name("")->expected(-1);
    return *this;
}

Section& Section::wraps(std::vector<std::string>& into) {
    state_->wrapped = &into;
    app_->formatter(std::make_shared<WrappingHelp>());
    return *this;
}

Section& Section::closing(const char* words) {
    app_->footer(words);
    return *this;
}

void Section::runs(std::function<int()> job) { state_->job = std::move(job); }

CommandLine::CommandLine()
    : app_{
          std::make_unique<CLI::App>("Makes calls to databases and services survive.", "perdure")} {
    app_->set_version_flag("--version", "perdure " PERDURE_VERSION, "the version");
    app_->set_help_flag("-h,--help", "this text");
    app_->require_subcommand(0, 1);
    app_->formatter(std::make_shared<Help>());  // of all commands, which inherit it
    app_->get_formatter()->label("SUBCOMMAND", "COMMAND");
    app_->footer("`perdure help COMMAND` describes a command, with examples.");
}

CommandLine::~CommandLine() = default;

Section CommandLine::command(const char* name, const char* summary) {
    auto& state = *sections_.emplace_back(std::make_unique<SectionState>());
    state.app = app_->add_subcommand(name, summary);
    state.app->group("Commands")->set_help_flag("-h,--help", "this text");
    return {*state.app, state};
}

int CommandLine::run(int argc, const char* const* argv) {
    // Split off here: the parser would look for flags of ours in a command that is not ours.
    const std::vector<std::string> given(argv + (argc > 0 ? 1 : 0), argv + argc);
    const auto dashes = std::ranges::find(given, "--");
    std::vector<std::string> own(given.begin(), dashes);
    std::vector<std::string> wrapped(dashes == given.end() ? dashes : dashes + 1, given.end());
    // A variable that was not set: the parser would take the flag alone, which means another thing.
    for (const auto& section : sections_)
        for (const std::string& word : section->unfinished)
            if (std::ranges::find(own, word) != own.end()) {
                say("perdure " + section->app->get_name() + ": " + word +
                    ": nothing stands behind the =; leave it out if nothing is meant");
                return exit_code::usage;
            }
    if (!own.empty() && own.front() == "help") {
        own.erase(own.begin());
        own.emplace_back("--help");
    }
    if (const std::string wrong = unknown_command(own); !wrong.empty()) {
        say("perdure: " + wrong + "\nperdure --help lists what there is.");
        return exit_code::usage;
    }
    try {
        app_->parse(std::vector<std::string>{own.rbegin(), own.rend()});  // as it wants them
        return dispatch(wrapped);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {
            std::ostringstream help;
            app_->exit(error, help, help);
            return print(help.str());
        }
        const auto chosen = app_->get_subcommands();
        const std::string name =
            chosen.empty() ? "perdure" : "perdure " + chosen.front()->get_name();
        // Named first: it may be why another one seems to be missing.
        const std::string unknown =
            chosen.empty() ? std::string{} : unknown_flag(*chosen.front(), own);
        std::string line = name + ": " + (unknown.empty() ? words_of(error, *app_, own) : unknown);
        if (!chosen.empty() && forgot_dashes(*chosen.front()))
            line += ". The command stands behind two dashes: " + name + " -- COMMAND";
        say(line + "\n" + name + " --help lists what there is.");
        // A program that asked for JSON is told in JSON.
        if (std::ranges::find(own, "--json") != own.end()) print(refusal_line(line));
        return exit_code::usage;
    }
}

std::string CommandLine::unknown_command(const std::vector<std::string>& words) const {
    if (words.empty() || words.front().starts_with('-')) return {};
    std::vector<std::string> names;
    for (const auto& section : sections_) names.push_back(section->app->get_name());
    if (std::ranges::find(names, words.front()) != names.end()) return {};
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    constexpr std::size_t longest = 16;
    // What does not look like a command may be a URL with a password.
    if (words.front().size() > longest ||
        words.front().find_first_not_of(letters) != std::string::npos)
        return "the first word is not a command";
    return "there is no command " + words.front() + did_you_mean(words.front(), names);
}

bool CommandLine::forgot_dashes(const CLI::App& app) const {
    const auto is_this = [&](const auto& section) {
        return section->app == &app && section->wrapped;
    };
    const std::vector<std::string> extras = app.remaining();
    return std::ranges::any_of(sections_, is_this) && !extras.empty() &&
           !extras.front().starts_with('-');
}

int CommandLine::dispatch(const std::vector<std::string>& wrapped) {
    const auto chosen = app_->get_subcommands();
    if (chosen.empty() && wrapped.empty()) return print(app_->help());
    for (const auto& section : sections_) {
        if (chosen.empty() || section->app != chosen.front()) continue;
        if (section->wrapped && wrapped.empty())
            throw CLI::ValidationError("COMMAND",
                                       "is missing; it stands behind two dashes: perdure " +
                                           section->app->get_name() + " -- ls");
        if (!section->wrapped && !wrapped.empty())
            throw CLI::ValidationError("--", "was not expected, nor anything behind it");
        if (section->wrapped) *section->wrapped = wrapped;
        return section->job();
    }
    throw CLI::ValidationError("COMMAND",
                               "is missing; it stands before the dashes: perdure run -- ls");
}

}  // namespace tool

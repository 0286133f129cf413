// SPDX-License-Identifier: Apache-2.0
#include "show.hpp"

#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "exit_code.hpp"
#include "failures.hpp"
#include "outcome.hpp"
#include "own_folder.hpp"
#include "perdure/try.hpp"
#include "report_page.hpp"
#include "screen.hpp"
#include "text/output.hpp"

namespace demo {

namespace fs = std::filesystem;

namespace {

constexpr double fault_share = 0.1;
const std::vector<double> kill_shares{0.5, 0.8};

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

// Used by one thread.
class Show {
public:
    explicit Show(const ShowOptions& options) : options_{options} {}

    Result<void> run();
    [[nodiscard]] const Demonstration& outcome() const noexcept { return all_; }
    [[nodiscard]] int interrupted_by() const noexcept { return signals_.ended_by(); }

private:
    Result<void> set_up();
    Result<Outcome> run_naive();
    Result<Outcome> run_perdure();
    Result<void> read_account(int last_start);
    Result<void> write_report();
    [[nodiscard]] TrialPlan plan_of(std::string name, std::string label);
    [[nodiscard]] std::string in_folder(const std::string& name) const {
        return all_.folder + '/' + name;
    }
    // A loader that is started again meets other faults than the first time.
    [[nodiscard]] std::string faults_seed(int start) const {
        return std::to_string(options_.seed * 10 + static_cast<std::uint64_t>(start));
    }

    const ShowOptions& options_;
    tool::Signals signals_;
    StatusLine status_;
    std::string self_;
    std::string perdure_;
    Demonstration all_;
};

Result<void> Show::set_up() {
    std::error_code error;
    self_ = fs::read_symlink("/proc/self/exe", error).string();
    perdure_ = (fs::path{self_}.parent_path() / "perdure").string();
    if (!fs::exists(perdure_, error)) return fail(trouble("there is no " + perdure_));
    PERDURE_TRY_VALUE(all_.folder, own_folder(options_.folder));
    all_.report = options_.report.empty() ? in_folder("report.html") : options_.report;
    all_.seed = options_.seed;
    all_.faults = fault_share;
    // Some hundred transactions, whatever the size, up to the thousand rows of a usual batch.
    all_.batch = std::clamp<std::uint64_t>(options_.records / 100, 100, 1000);
    status_.show("writing orders");
    PERDURE_TRY_VALUE(all_.source,
                      write_orders(in_folder("orders.jsonl"), options_.records, options_.seed));
    return {};
}

TrialPlan Show::plan_of(std::string name, std::string label) {
    TrialPlan plan{.name = std::move(name),
                   .folder = all_.folder,
                   .label = std::move(label),
                   .orders = options_.records,
                   .kill_at = kill_shares};
    plan.lock_command = {self_,        "hold-locks",
                         "--database", database_of(plan),
                         "--seed",     std::to_string(options_.seed)};
    plan.tell = [this](const std::string& text) { status_.show(text); };
    return plan;
}

Result<Outcome> Show::run_naive() {
    TrialPlan plan = plan_of("naive loader", "naive");
    Outcome outcome;
    plan.command = [&](int start, Turn) {
        const std::vector<std::string> words{self_,           "naive",
                                             "--source",      all_.source.path,
                                             "--database",    database_of(plan),
                                             "--progress",    in_folder("naive.progress"),
                                             "--batch",       std::to_string(all_.batch),
                                             "--faults",      std::to_string(fault_share),
                                             "--faults-seed", faults_seed(start)};
        outcome.command = joined(words);
        return words;
    };
    PERDURE_TRY_VALUE(outcome.trial, run_trial(plan, signals_));
    PERDURE_TRY_VALUE(outcome.table, compare(all_.source, database_of(plan)));
    outcome.rejected = rejected_by_naive(all_.source, log_of(plan));
    outcome.faults = occurrences(log_of(plan), "failed (planned)");
    return outcome;
}

Result<Outcome> Show::run_perdure() {
    TrialPlan plan = plan_of("perdure load", "perdure");
    Outcome outcome;
    plan.command = [&](int start, Turn turn) {
        std::vector<std::string> words{perdure_,
                                       "load",
                                       all_.source.path,
                                       "--to",
                                       "sqlite:" + database_of(plan),
                                       "--table",
                                       "orders",
                                       "--create",
                                       "--batch",
                                       std::to_string(all_.batch),
                                       "--rejected",
                                       in_folder("perdure.rejected.jsonl"),
                                       "--journal",
                                       in_folder("perdure-" + std::to_string(start) + ".journal"),
                                       "--faults",
                                       std::to_string(fault_share),
                                       "--faults-seed",
                                       faults_seed(start),
                                       "--json"};
        if (turn == Turn::last) words.emplace_back("--verify");
        outcome.command = joined(words);
        return words;
    };
    PERDURE_TRY_VALUE(outcome.trial, run_trial(plan, signals_));
    PERDURE_TRY_VALUE(outcome.table, compare(all_.source, database_of(plan)));
    outcome.rejected = rejected_by_perdure(all_.source, in_folder("perdure.rejected.jsonl"));
    for (const auto& entry : fs::directory_iterator{all_.folder})
        if (entry.path().filename().string().find(".journal") != std::string::npos)
            outcome.faults += occurrences(entry.path().string(), "\"code\":\"planned\"");
    PERDURE_TRY(read_account(outcome.trial.starts));
    return outcome;
}

Result<void> Show::read_account(int last_start) {
    const std::string path = output_of(plan_of("", "perdure"), last_start);
    simdjson::dom::parser parser;
    simdjson::dom::element account;
    if (parser.load(path).get(account) != simdjson::SUCCESS)
        return fail(trouble("perdure load gave no account; see " + in_folder("perdure.log")));
    // What is not there stays false and zero, and is told so.
    if (account["verified"].get_bool().get(all_.verified) != simdjson::SUCCESS)
        all_.verified = false;
    if (account["read_again"].get_uint64().get(all_.read_again) != simdjson::SUCCESS)
        all_.read_again = 0;
    return {};
}

Result<void> Show::write_report() {
    std::ofstream file{all_.report, std::ios::binary};
    file << as_page(all_);
    file.close();
    if (!file) return fail(trouble("cannot write " + all_.report));
    return {};
}

Result<void> Show::run() {
    PERDURE_TRY(set_up());
    PERDURE_TRY_VALUE(all_.naive, run_naive());
    PERDURE_TRY_VALUE(all_.perdure, run_perdure());
    return write_report();
}

Colours wanted() {
    // Not getenv, which is not safe beside threads.
    constexpr std::string_view name = "NO_COLOR=";
    for (char** entry = environ; *entry; ++entry)
        if (const std::string_view one{*entry}; one.starts_with(name) && one.size() > name.size())
            return Colours::none;
    return isatty(STDOUT_FILENO) == 1 ? Colours::some : Colours::none;
}

}  // namespace

int show(const ShowOptions& options) {
    Demonstration outcome;
    {
        Show all{options};
        auto done = all.run();
        if (all.interrupted_by() != 0) return tool::exit_code::signal_offset + all.interrupted_by();
        if (!done) {
            tool::say("perdure_load_demo: " + done.error().message);
            return 1;
        }
        outcome = all.outcome();
    }
    const int printed = tool::print(as_screen(outcome, wanted()));
    return printed != 0 ? printed : perdure_kept_its_word(outcome) ? 0 : 1;
}

}  // namespace demo

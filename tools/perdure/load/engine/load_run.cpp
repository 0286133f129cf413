// SPDX-License-Identifier: Apache-2.0
#include "load/engine/load_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "exit_code.hpp"
#include "load/engine/attention.hpp"
#include "load/engine/crew.hpp"
#include "load/engine/input_change.hpp"
#include "load/engine/key_spelling.hpp"
#include "load/engine/ledger_check.hpp"
#include "load/engine/load_progress.hpp"
#include "load/engine/load_report.hpp"
#include "load/engine/load_status.hpp"
#include "load/engine/load_target.hpp"
#include "load/engine/load_watch.hpp"
#include "load/engine/side_file.hpp"
#include "load/engine/status_line.hpp"
#include "perdure/sql/token.hpp"
#include "perdure/try.hpp"
#include "text/output.hpp"
#include "text/thousands.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::size_t most_rejection_examples = 5;
// After Ctrl-C the batches in hand get this long to be written; then they are broken off.
constexpr Duration finish_within = 5s;
constexpr Duration leave_after = 1s;

int refuse(const Failure& failure) {
    std::string text = "perdure load: " + failure.message;
    if (failure.message.empty()) text += to_string(failure);
    else if (!failure.code.empty() && failure.origin != Origin::application)
        text += " (" + failure.code + ")";
    say(text);
    return status_of(failure);
}

Showing showing(const LoadFlags& flags) {
    if (isatty(STDERR_FILENO) == 1) return Showing::overwriting;
    return flags.json ? Showing::nothing : Showing::lines;
}

// One run of the command; the steps in the order in which they are called.
class Load {
public:
    Load(const LoadFlags& flags, Attention& attention) : flags_{flags}, attention_{attention} {}

    int run();

private:
    Result<void> get_ready();
    void name_standard_input(const std::string& name);
    // A look at a SQLite file that is not there would make it.
    [[nodiscard]] bool leave_alone() const;
    Result<void> make_room();
    Result<std::string> intent();
    void go(Feed& feed);
    void attend(Crew& crew);
    [[noreturn]] void leave();
    void note_run();
    Result<void> write_rejected();
    Result<void> look_back();
    Result<void> count_rows_left(const Feed& feed);
    [[nodiscard]] int verdict() const;
    int tell();
    // Says why, as text and with --json also as JSON; gives the exit status.
    int give_up(const Failure& failure);
    void show_waiting();

    const LoadFlags& flags_;
    Attention& attention_;
    Clock& clock_ = system_clock();
    Watch watch_;
    std::unique_ptr<Target> target_;
    Wishes wishes_;
    Preparation made_;
    Tally tally_;
    Report report_;
    StatusLine line_{showing(flags_), clock_};
    int trouble_ = exit_code::success;  // met after the loading
};

Result<void> Load::get_ready() {
    PERDURE_TRY_VALUE(wishes_, wishes_of(flags_));
    if (!flags_.dry_run) PERDURE_TRY(watch_.start(flags_.journal, flags_.metrics));
    const std::string fresh = "stdin-" + sql::Token::make().hex().substr(20);
    PERDURE_TRY_VALUE(auto inputs, find_inputs(wishes_, fresh));
    if (flags_.verify) PERDURE_TRY(check_rereadable(inputs));
    PERDURE_TRY_VALUE(target_, target_of(flags_, flags_.to, watch_.observer()));
    without_memory_means(exit_code::stopped);
    report_.target = target_->name();
    if (const auto file = target_->local_file(); flags_.dry_run && file && !leave_alone()) {
        PERDURE_TRY_VALUE(target_, target_of(flags_, read_only(*file), nullptr));
    }
    show_waiting();
    PERDURE_TRY_VALUE(made_, prepare(*target_, wishes_, std::move(inputs),
                                     leave_alone() ? Looking::surely_missing : Looking::wanted));
    keep_spelling_of_key(made_.schema, made_.table);
    for (const std::string& remark : made_.remarks) say(remark);
    report_.table = flags_.table;
    report_.inputs = made_.inputs.size();
    report_.workers = flags_.workers > 0 ? flags_.workers : target_->workers();
    report_.batch = std::min(static_cast<std::size_t>(flags_.batch), target_->most_records());
    PERDURE_TRY(check_named(made_));
    if (flags_.again)
        report_.how_to_go_on = "the same command without --again goes on where this one stopped";
    if (wishes_.called.empty() && !flags_.dry_run)
        for (const Input& input : made_.inputs)
            if (input.options.path == "-") name_standard_input(input.name);
    return {};
}

void Load::name_standard_input(const std::string& name) {
    say("this input is called '" + name +
        "': to go on after an interruption, send it again with --as " + name);
    report_.how_to_go_on = "send the same input again with --as " + name;
}

bool Load::leave_alone() const {
    std::error_code ignored;
    const auto file = target_->local_file();
    return flags_.dry_run && file && !std::filesystem::exists(*file, ignored);
}

void Load::show_waiting() {
    const TimePoint since = clock_.now();
    line_.show(
        [this, since] {
            const TimePoint now = clock_.now();
            return waiting_words(target_->name(), target_->waiting(), now - since, now);
        },
        1s);
}

Result<std::string> Load::intent() {
    Intent would{.preparation = &made_,
                 .target = report_.target,
                 .table = flags_.table,
                 .workers = report_.workers,
                 .batch = report_.batch};
    if (!made_.table) would.create_statement = target_->create_statement(made_.schema);
    for (const Input& input : made_.inputs) {
        std::uint64_t records = 0;
        std::string change;
        std::optional<SourceEntry> entry;
        if (!leave_alone()) {
            PERDURE_TRY_VALUE(entry, target_->entry(input.name));
        }
        if (entry) {
            PERDURE_TRY_VALUE(const auto done, target_->done(input.name));
            for (const Range& range : done) records += range.records;
            PERDURE_TRY_VALUE(change, change_of(input, done));
        }
        would.changed.push_back(std::move(change));
        would.done.push_back(records);
    }
    return flags_.json ? to_json(would) : in_words(would);
}

Result<void> Load::make_room() {
    PERDURE_TRY(check_ledger(*target_, made_, flags_.again ? Again::yes : Again::no));
    if (!made_.table) {
        PERDURE_TRY(target_->create(made_.schema));
        report_.made_columns = columns_in_words(made_.schema);
        PERDURE_TRY(look_again(*target_, wishes_, made_));
        keep_spelling_of_key(made_.schema, made_.table);
    }
    target_->use(made_.schema);
    PERDURE_TRY(target_->open_ledger());
    for (const Input& input : made_.inputs)
        PERDURE_TRY(flags_.again ? target_->forget(input.name) : target_->check_begun(input.name));
    return {};
}

// A second signal, or time, ends the patience with batches in hand. A worker that even then does not
// come back waits for an input that says nothing, and is left behind.
void Load::attend(Crew& crew) {
    LoadProgress progress{tally_, *target_, clock_};
    // A log is spared the progress of short loads.
    const bool terminal = showing(flags_) == Showing::overwriting;
    line_.show([&] { return progress.words(); }, terminal ? Duration{500ms} : Duration{5s});
    TimePoint drop_at = TimePoint::max();
    for (int heard = 0; !crew.over(); clock_.sleep_until(after(clock_.now(), 20ms), {})) {
        if (attention_.heard() > heard) {
            drop_at = heard == 0 ? after(clock_.now(), finish_within) : clock_.now();
            heard = attention_.heard();
            crew.finish_up();
        }
        if (clock_.now() >= drop_at) crew.drop();
        if (drop_at != TimePoint::max() && clock_.now() >= after(drop_at, leave_after)) leave();
    }
    line_.clear();
    report_.signal = attention_.first();
}

// The account is the ledger's: a worker that is left behind may have written without saying so.
void Load::leave() {
    attention_.end_at_once();
    report_.signal = attention_.first();
    report_.whole = {};
    for (const Input& input : made_.inputs)
        if (const auto done = target_->done(input.name))
            for (const Range& range : *done) report_.whole += range;
    report_.run = report_.whole;
    if (tally_.earlier > 0) note_run();
    tell();
    std::_Exit(exit_code::signal_offset + report_.signal);
}

void Load::note_run() {
    report_.run = {tally_.records, tally_.written, tally_.present, tally_.rejected};
    report_.read_again = tally_.read_again;
}

void Load::go(Feed& feed) {
    Crew crew{*target_,
              feed,
              made_.schema,
              tally_,
              {.workers = report_.workers,
               .most_rejected = static_cast<std::uint64_t>(flags_.max_rejected)}};
    attention_.finish_first();
    attend(crew);
    Ending ending = crew.end();
    attention_.end_at_once();
    if (!ending.failure)
        if (auto closed = feed.close(); !closed) ending.failure = std::move(closed.error());
    if (ending.failure) report_.stopped = std::move(ending);
    note_run();
    report_.whole = feed.whole();
    report_.nothing_new = feed.nothing_new();
    // What was rejected of content that was loaded under another name is kept under that name.
    for (const NothingNew& one : report_.nothing_new)
        for (Input& input : made_.inputs)
            if (!one.loaded_as.empty() && input.options.path == one.path)
                input.name = one.loaded_as;
    report_.remarks = feed.remarks();
}

Result<void> Load::write_rejected() {
    if (report_.whole.rejected == 0) return {};
    const std::string wished =
        flags_.rejected.empty() ? usual_side_name(flags_.table) : flags_.rejected;
    const auto note = [&](const Input& input, const KeptRejection& one) {
        if (report_.rejections.size() < most_rejection_examples)
            report_.rejections.push_back(input.options.path + ':' + std::to_string(one.line) +
                                         ": " + one.reason);
    };
    const SideName from = flags_.rejected.empty() ? SideName::usual : SideName::given;
    PERDURE_TRY_VALUE(report_.side_file,
                      write_side_file(wished, from, made_.inputs, *target_, note));
    const std::uint64_t earlier = report_.whole.rejected - report_.run.rejected;
    if (earlier > 0)
        report_.remarks.push_back(thousands(earlier) +
                                  (earlier == 1 ? " record was" : " records were") +
                                  " rejected by earlier runs and not read again; "
                                  "if the table was mended since, " +
                                  (made_.schema.key ? "add --again" : "load " + report_.side_file));
    return {};
}

Result<void> Load::look_back() {
    if (!flags_.verify || report_.stopped || report_.signal != 0) return {};
    const TimePoint since = clock_.now();
    tally_.bytes_verified = 0;
    line_.show([this, since] { return verifying_words(tally_, clock_.now() - since); }, 1s);
    auto verified = verify(*target_, made_.inputs, made_.schema, {}, &tally_.bytes_verified);
    line_.clear();
    PERDURE_TRY_VALUE(report_.verified, std::move(verified));
    return {};
}

// After an input that had changed was read again: rows that it does not have any more.
Result<void> Load::count_rows_left(const Feed& feed) {
    if (report_.stopped || report_.signal != 0 || !feed.read_again()) return {};
    const Schema& schema = made_.schema;
    const bool comparable = schema.key && schema.columns[*schema.key].type != Type::other;
    if (!comparable || !target_->reads_are_free()) {
        report_.remarks.emplace_back(
            "rows that the input does not have any more were not looked for: " +
            std::string{comparable ? "reading the whole table would be paid for"
                                   : "the key's type cannot be compared here"});
        return {};
    }
    line_.show([] { return std::string{"looking for rows that the input does not have any more"}; },
               1s);
    auto left = rows_not_in(made_.inputs, schema, *target_);
    line_.clear();
    PERDURE_TRY_VALUE(report_.rows_left, std::move(left));
    return {};
}

int Load::verdict() const {
    if (report_.stopped && report_.stopped->failure)
        return status_while_loading(*report_.stopped->failure);
    if (report_.signal != 0) return exit_code::signal_offset + report_.signal;
    if (trouble_ != exit_code::success) return trouble_;
    if (report_.verified && !report_.verified->good()) return exit_code::differs;
    return report_.whole.rejected > 0 ? exit_code::rejected : exit_code::success;
}

int Load::tell() {
    report_.counts = target_->counts();
    report_.status = verdict();
    const int printed = print(flags_.json ? to_json(report_) : in_words(report_));
    return printed == exit_code::success ? report_.status : printed;
}

int Load::give_up(const Failure& failure) {
    line_.clear();
    const int status = refuse(failure);
    if (flags_.json) print(refusal_json(failure, report_, status));
    return status;
}

int Load::run() {
    const TimePoint begun = clock_.now();
    if (auto ready = get_ready(); !ready) return give_up(ready.error());
    if (flags_.dry_run) {
        auto would = intent();
        line_.clear();
        // Names of columns are data.
        return would ? print_data(*would) : give_up(would.error());
    }
    if (auto made = make_room(); !made) return give_up(made.error());
    tally_.bytes_all = made_.bytes;
    const FeedOptions options{.limits = {.records = report_.batch},
                              .identity = made_.schema.key ? Identity::by_key : Identity::by_place,
                              .copies = flags_.again ? FeedOptions::Copies::loaded
                                                     : FeedOptions::Copies::recognised};
    Feed feed{*target_, made_.inputs, options, tally_, clock_};
    for (Input& input : made_.inputs) input.opened.reset();
    go(feed);
    // The account is told whatever happens to the side file and to --verify.
    if (auto written = write_rejected(); !written) {
        refuse(written.error());
        trouble_ = exit_code::output_failed;
    }
    if (auto counted = count_rows_left(feed); !counted) trouble_ = refuse(counted.error());
    if (auto looked = look_back(); !looked) trouble_ = refuse(looked.error());
    report_.elapsed = clock_.now() - begun;
    return tell();
}

}  // namespace

int run(const LoadFlags& flags) {
    LoadFlags settled = flags;
    if (auto table = settle_table(settled); !table) {
        const int status = refuse(table.error());
        if (flags.json) print(refusal_json(table.error(), {}, status));
        return status;
    }
    Attention attention;  // before any other thread begins
    return Load{settled, attention}.run();
}

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
#include "naive_loader.hpp"

#include <cstdio>
#include <fstream>
#include <memory>
#include <vector>

#include "orders.hpp"
#include "perdure/sql/planned_faults.hpp"
#include "perdure/sql/rows.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/time/clock.hpp"
#include "perdure/try.hpp"
#include "text/output.hpp"

namespace demo {

namespace {

constexpr int retries = 5;
constexpr Duration pause = 100ms;
constexpr Duration statement_timeout = 5s;
// SQLite's own default: a database that is locked is an error at once, and the retries wait.
constexpr Duration busy_timeout = 1ms;

// As `perdure load --faults` spreads them.
sql::FaultChances chances_of(const NaiveOptions& options) {
    const double share = options.faults;
    const sql::Odds half{.fail_before = share / 2, .fail_after = share / 2};
    return {.seed = options.faults_seed,
            .open = half,
            .begin = half,
            .execute = half,
            .commit = {.fail_before = share / 3, .fail_after = share / 3, .half_open = share / 3}};
}

std::string insert_of(std::size_t rows) {
    std::string text = "insert into orders (id, customer, item, cents, note, placed_at) values ";
    for (std::size_t i = 0; i < rows; ++i) text += i == 0 ? "(?,?,?,?,?,?)" : ",(?,?,?,?,?,?)";
    return text;
}

// Used by one thread.
class NaiveLoader {
public:
    NaiveLoader(const NaiveOptions& options, std::shared_ptr<sql::Driver> driver)
        : options_{options}, driver_{std::move(driver)} {}

    int run();

private:
    Result<void> connect();
    Result<void> create_table();
    Result<void> insert(const std::vector<Order>& batch);
    template <class Step>
    bool try_hard(Step step);
    void flush();
    [[nodiscard]] std::uint64_t progress() const;
    void note_progress() const;
    [[nodiscard]] sql::Bounds bounds() const {
        return {.deadline = Deadline::in(statement_timeout, clock_.now())};
    }

    const NaiveOptions& options_;
    Clock& clock_ = system_clock();
    std::shared_ptr<sql::Driver> driver_;
    std::unique_ptr<sql::Session> session_;
    std::vector<Order> batch_;
    std::uint64_t line_ = 0;
};

Result<void> NaiveLoader::connect() {
    if (session_ && session_->state() == sql::State::idle) return {};
    session_.reset();
    PERDURE_TRY_VALUE(session_, driver_->connect({.bounds = bounds()}, clock_));
    return {};
}

Result<void> NaiveLoader::create_table() {
    PERDURE_TRY(connect());
    sql::RowBuffer none{1024};
    PERDURE_TRY(session_->run({"create table if not exists orders (id integer, customer text, item "
                               "text, cents integer, note text, placed_at text)"},
                              none, bounds()));
    return {};
}

Result<void> NaiveLoader::insert(const std::vector<Order>& batch) {
    PERDURE_TRY(connect());
    PERDURE_TRY(session_->begin({.lock_limit = busy_timeout}, bounds()));
    std::vector<sql::Parameter> values;
    for (const Order& order : batch)
        values.insert(values.end(), {order.id, order.customer, order.item, order.cents, order.note,
                                     order.placed_at});
    const std::string text = insert_of(batch.size());
    sql::RowBuffer none{1024};
    if (auto done = session_->run({text, values}, none, bounds()); !done) {
        session_->roll_back(bounds());
        return done.take_failure();
    }
    return session_->commit(bounds());
}

template <class Step>
bool NaiveLoader::try_hard(Step step) {
    for (int attempt = 0;; ++attempt) {
        const auto done = step();
        if (done) return true;
        const Failure& failure = done.error();
        tool::say("failed (" + failure.code + "): " + failure.message);
        if (attempt == retries) return false;
        clock_.sleep_until(after(clock_.now(), pause), {});
    }
}

void NaiveLoader::flush() {
    if (batch_.empty()) return;
    if (!try_hard([&] { return insert(batch_); }))
        tool::say("given up: the batch that ends at line " + std::to_string(line_));
    batch_.clear();
    note_progress();
}

std::uint64_t NaiveLoader::progress() const {
    std::uint64_t lines = 0;
    std::ifstream{options_.progress} >> lines;
    return lines;
}

void NaiveLoader::note_progress() const {
    const std::string fresh = options_.progress + ".new";
    std::ofstream{fresh} << line_ << '\n';
    std::rename(fresh.c_str(), options_.progress.c_str());
}

int NaiveLoader::run() {
    if (!try_hard([&] { return create_table(); })) return 1;
    std::ifstream source{options_.source, std::ios::binary};
    const std::uint64_t done = progress();
    for (std::string text; std::getline(source, text);) {
        if (++line_ <= done) continue;
        if (auto order = parse_order(text)) batch_.push_back(*std::move(order));
        else tool::say("rejected line " + std::to_string(line_) + ": " + order.error().message);
        if (batch_.size() >= options_.batch) flush();
    }
    flush();
    return source.bad() ? 1 : 0;
}

}  // namespace

int load_naively(const NaiveOptions& options) {
    auto driver = sql::sqlite(options.database);
    if (!driver) {
        tool::say(driver.error().message);
        return 1;
    }
    const sql::PlannedFaults faults;
    sql::PlannedFaults{faults}.by_chance(chances_of(options));
    const int status = NaiveLoader{options, sql::with_faults(*driver, faults)}.run();
    tool::say("done");
    return status;
}

}  // namespace demo

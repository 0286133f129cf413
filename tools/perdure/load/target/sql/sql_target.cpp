// SPDX-License-Identifier: Apache-2.0
#include "load/target/sql/sql_target.hpp"

#include <mutex>
#include <utility>

#include "load/target/caution.hpp"
#include "load/target/ledger_target.hpp"
#include "load/target/sql/sql_ledger.hpp"
#include "load/target/sql/sql_look.hpp"
#include "load/target/sql/sql_target_plan.hpp"
#include "load/target/sql/sql_target_values.hpp"
#include "load/target/sql/sql_target_write.hpp"
#include "load/target/sql_target_watch.hpp"
#include "perdure/sql/open.hpp"
#include "perdure/sql/transact.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

// Buffers of the threads that write.
class Shelf {
public:
    [[nodiscard]] Scratch take() {
        const std::lock_guard lock{mutex_};
        if (kept_.empty()) return {};
        Scratch scratch = std::move(kept_.back());
        kept_.pop_back();
        return scratch;
    }
    void give_back(Scratch scratch) {
        const std::lock_guard lock{mutex_};
        kept_.push_back(std::move(scratch));
    }

private:
    std::mutex mutex_;
    std::vector<Scratch> kept_;
};

sql::DatabaseOptions database_options(const SqlTargetOptions& options, const Dialect& dialect) {
    const int workers = options.workers > 0 ? options.workers : dialect.workers;
    sql::DatabaseOptions made;
    made.plan = plan_of(dialect.product, options.patience);
    made.tokens.use = sql::TokenUse::create;
    // One more for each: a lost COMMIT is asked for in another session.
    made.pool.max_connections = 2 * workers + 1;
    return made;
}

class SqlTarget final : public LedgerTarget<SqlLedger> {
public:
    SqlTarget(const SqlTargetOptions& options, const std::shared_ptr<sql::Driver>& plain,
              const std::shared_ptr<sql::Driver>& driver, TableName table)
        : dialect_{dialect_of(driver->traits().product)},
          table_{std::move(table)},
          name_{driver->name()},
          file_{plain->file()},
          workers_{options.workers > 0 ? options.workers : dialect_.workers},
          watch_{options.observer},
          database_{driver, database_options(options, dialect_), {.observer = &watch_}},
          reader_{plain, database_options(options, dialect_)},
          ledger_{database_, dialect_, table_} {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] int workers() const noexcept override { return workers_; }
    [[nodiscard]] std::optional<std::string> local_file() const override {
        return file_.empty() ? std::nullopt : std::optional{file_};
    }
    [[nodiscard]] bool reads_are_free() const noexcept override { return true; }
    [[nodiscard]] std::size_t most_columns() const noexcept override {
        return dialect_.most_columns;
    }
    [[nodiscard]] bool folds_case() const noexcept override {
        return dialect_.product != sql::Product::postgres;
    }

    [[nodiscard]] Result<std::optional<TableFacts>> look() override;
    [[nodiscard]] std::string create_statement(const Schema& schema) const override {
        return load::create_statement(dialect_, table_, schema);
    }
    [[nodiscard]] Result<void> create(const Schema& schema) override;
    void use(const Schema& schema) override {
        statements_ = std::make_unique<RowStatements>(dialect_, table_, schema);
    }

    [[nodiscard]] Result<Range> write(const Order& order, const std::stop_token& stop) override;
    [[nodiscard]] Result<void> scan(const RowReader& each) override;
    [[nodiscard]] Result<void> find(std::span<const Value> keys, const RowReader& each) override {
        return statements_->find(database_, keys, each);
    }
    [[nodiscard]] Result<std::uint64_t> count() override {
        return count_rows(database_, dialect_, table_);
    }
    [[nodiscard]] std::optional<Waiting> waiting() const override { return watch_.waiting(); }
    [[nodiscard]] TargetCounts counts() const override {
        TargetCounts counts = watch_.counts();
        counts.budget = budget_.milli_left() / 1000.0;
        return counts;
    }

private:
    enum class Phase : std::uint8_t { before_rows, rows_written };
    [[nodiscard]] Result<Range> write_once(const Order& order, const std::stop_token& stop,
                                           Meeting meeting, Scratch& scratch);
    [[nodiscard]] Result<Range> write_in(sql::Transaction& tx, const Order& order, Meeting meeting,
                                         Scratch& scratch);
    [[nodiscard]] SqlLedger& ledger() noexcept override { return ledger_; }

    const Dialect& dialect_;
    const TableName table_;
    const std::string name_;
    const std::string file_;
    const int workers_;
    TargetWatch watch_;
    sql::Database database_;
    sql::Database reader_;  // without planned faults: a long read is not repeated
    const Budget& budget_ = database_.caller().budget();
    SqlLedger ledger_;
    std::unique_ptr<RowStatements> statements_;
    Shelf shelf_;
    Caution caution_;
};

Result<std::optional<TableFacts>> SqlTarget::look() {
    if (dialect_.product == sql::Product::mariadb) {
        PERDURE_TRY_VALUE(
            const sql::Rows rows,
            database_.query({.name = "look"}, "select @@lower_case_table_names <> 0"));
        PERDURE_TRY_VALUE(const bool folds, rows.single<bool>());
        if (folds) ledger_.fold_case();
    }
    return look_at(database_, dialect_, table_);
}

// What was made, or was there before, must be fit to be loaded.
Result<void> SqlTarget::create(const Schema& schema) {
    PERDURE_TRY(make_table(database_, dialect_, create_statement(schema)));
    PERDURE_TRY(look());
    return {};
}

Result<Range> SqlTarget::write(const Order& order, const std::stop_token& stop) {
    Scratch scratch = shelf_.take();
    const Meeting first = caution_.advised() ? Meeting::likely : Meeting::unlikely;
    auto written = write_once(order, stop, first, scratch);
    if (!written && written.error().code == "key-met") {
        caution_.met_keys();
        written = write_once(order, stop, Meeting::likely, scratch);
    }
    if (written && first == Meeting::likely && written->written < order.count) caution_.met_keys();
    shelf_.give_back(std::move(scratch));
    return written;
}

Result<Range> SqlTarget::write_once(const Order& order, const std::stop_token& stop,
                                    Meeting meeting, Scratch& scratch) {
    Phase phase = Phase::before_rows;
    const auto body = [&](sql::Transaction& tx) -> Result<Range> {
        phase = Phase::before_rows;
        auto range = write_in(tx, order, meeting, scratch);
        if (range) phase = Phase::rows_written;
        return range;
    };
    auto written = sql::transact(database_, {.name = write_operation, .stop = stop}, body);
    // Constraints may be checked at the end only: then COMMIT tells of the row.
    if (!written && phase == Phase::rows_written)
        return fail(as_record(dialect_.product, std::move(written.error())));
    return written;
}

// The range goes first, so that two who load the same find out before they have written much.
Result<Range> SqlTarget::write_in(sql::Transaction& tx, const Order& order, Meeting meeting,
                                  Scratch& scratch) {
    Range range = order.range;
    range.written = order.count;
    range.present = 0;
    range.rejected = order.rejected.size();
    const Range claimed = range;
    PERDURE_TRY(ledger_.claim(tx, order.source->name, claimed));
    RowWriter writer{*statements_, order, scratch};
    PERDURE_TRY_VALUE(WrittenRows rows, writer.write(tx, meeting));
    range.written = rows.written;
    range.present = rows.present;
    range.rejected += rows.rejected.size();
    PERDURE_TRY(ledger_.reject(tx, order, order.rejected));
    PERDURE_TRY(ledger_.reject(tx, order, rows.rejected));
    if (range != claimed) PERDURE_TRY(ledger_.settle(tx, order.source->name, range));
    return range;
}

Result<void> SqlTarget::scan(const RowReader& each) {
    const sql::StatementOptions options{.name = "scan", .deadline = 24h};
    std::vector<Value> values;
    const auto on_row = [&](const sql::Row& row) -> Result<void> {
        PERDURE_TRY(read_values(statements_->schema(), row, values));
        return each(values);
    };
    PERDURE_TRY(reader_.stream(options, on_row, statements_->select()));
    return {};
}

}  // namespace

Result<std::unique_ptr<Target>> open_sql_target(const SqlTargetOptions& options) {
    PERDURE_TRY_VALUE(TableName table, parse_table(options.table));
    PERDURE_TRY_VALUE(const std::shared_ptr<sql::Driver> plain, sql::driver_for(options.url));
    const sql::Product product = plain->traits().product;
    PERDURE_TRY(check_length(dialect_of(product), table));
    if (product != sql::Product::sqlite && product != sql::Product::postgres &&
        product != sql::Product::mariadb)
        return fail(
            {.cause = Cause::invalid,
             .origin = Origin::application,
             .code = "target",
             .message = "only sqlite:, file:, postgres:// and mariadb:// can be loaded; the ledger "
                        "needs to know which database it speaks to, and odbc: does not say it"});
    if (product == sql::Product::sqlite && plain->file().empty())
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "target",
                     .message = "a database in memory would vanish with the load"});
    std::shared_ptr<sql::Driver> driver = plain;
    if (options.faults) {
        sql::PlannedFaults faults;
        faults.by_chance(*options.faults);
        driver = sql::with_faults(plain, faults);
    }
    return std::unique_ptr<Target>{
        std::make_unique<SqlTarget>(options, plain, driver, std::move(table))};
}

}  // namespace tool::load

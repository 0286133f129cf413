// SPDX-License-Identifier: Apache-2.0
#include "load/target/dynamodb/dynamodb_target.hpp"

#include <set>
#include <utility>

#include "load/target/caution.hpp"
#include "load/target/dynamodb/dynamodb_ledger.hpp"
#include "load/target/dynamodb/dynamodb_ledger_items.hpp"
#include "load/target/dynamodb/dynamodb_plan.hpp"
#include "load/target/dynamodb/dynamodb_rows.hpp"
#include "load/target/dynamodb/dynamodb_write.hpp"
#include "load/target/invalid_load.hpp"
#include "load/target/ledger_ranges.hpp"
#include "load/target/ledger_target.hpp"
#include "load/target/sql_target_watch.hpp"
#include "perdure/dynamodb/batch_get.hpp"
#include "perdure/dynamodb/describe_table.hpp"
#include "perdure/dynamodb/pages.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr int usual_dynamodb_workers = 4;

int workers_of(const DynamoTargetOptions& options) noexcept {
    return options.workers > 0 ? options.workers : usual_dynamodb_workers;
}

dynamodb::ClientOptions client_options(const DynamoTargetOptions& options, Observer& observer) {
    dynamodb::Surroundings surroundings = dynamodb::Surroundings::of_process();
    if (!options.url.profile.empty()) surroundings.variables["AWS_PROFILE"] = options.url.profile;
    return {.region = options.url.region,
            .endpoint = options.url.endpoint,
            .credentials = options.credentials,
            .plan = dynamodb_plan(options.patience),
            .pool = {.max_connections = 2 * workers_of(options) + 4},
            .environment = {.observer = &observer},
            .surroundings = std::move(surroundings)};
}

class DynamoTarget final : public LedgerTarget<DynamoLedger> {
public:
    explicit DynamoTarget(const DynamoTargetOptions& options)
        : table_{options.url.table},
          workers_{workers_of(options)},
          watch_{options.observer, "TransactWriteItems"},
          client_{client_options(options, watch_)},
          name_{"dynamodb " + client_.endpoint()},
          ledger_{client_, table_, workers_ + 1} {}

    [[nodiscard]] const Failure* problem() const noexcept { return client_.problem(); }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] int workers() const noexcept override { return workers_; }
    [[nodiscard]] std::size_t most_records() const noexcept override {
        return most_records_of_dynamodb;
    }
    [[nodiscard]] bool takes_any_field() const noexcept override { return true; }

    [[nodiscard]] Result<std::optional<TableFacts>> look() override;
    [[nodiscard]] std::string create_statement(const Schema& schema) const override;
    [[nodiscard]] Result<void> create(const Schema& schema) override;
    void use(const Schema& schema) override {
        rows_ = std::make_unique<ItemRows>(schema, table_, key_);
    }

    [[nodiscard]] Result<Range> write(const Order& order, const std::stop_token& stop) override;
    void settle(Rows& rows) const override { rows_->settle(rows); }
    [[nodiscard]] Result<void> scan(const RowReader& each) override;
    [[nodiscard]] Result<void> find(std::span<const Value> keys, const RowReader& each) override;
    [[nodiscard]] Result<std::uint64_t> count() override;
    [[nodiscard]] std::optional<Waiting> waiting() const override { return watch_.waiting(); }
    [[nodiscard]] TargetCounts counts() const override {
        TargetCounts counts = watch_.counts();
        counts.budget = budget_.milli_left() / 1000.0;
        return counts;
    }

private:
    [[nodiscard]] DynamoLedger& ledger() noexcept override { return ledger_; }

    const std::string table_;
    const int workers_;
    TargetWatch watch_;
    dynamodb::Client client_;
    const Budget& budget_ = client_.caller().budget();
    const std::string name_;
    DynamoLedger ledger_;
    KeyParts key_;  // the table's, once it was looked at or made
    std::unique_ptr<ItemRows> rows_;
    Caution caution_;
};

// A table has no columns but those of its key.
Result<std::optional<TableFacts>> DynamoTarget::look() {
    auto described = client_.send(dynamodb::DescribeTable{table_});
    if (!described && described.error().code == no_such_table) return std::optional<TableFacts>{};
    if (described && described->status == dynamodb::TableStatus::creating)
        described = dynamodb::wait_until_active(client_, table_, while_it_is_made());
    if (!described) return described.take_failure();
    TableFacts facts;
    for (const dynamodb::KeyAttribute& part : described->key) {
        if (part.type == dynamodb::KeyType::binary)
            return fail(invalid_load("not-loadable",
                                     "the key '" + part.name + "' of table '" + table_ +
                                         "' is binary, and neither JSON nor CSV has such values"));
        const bool place = part.name == place_attribute && described->key.size() == 1;
        facts.columns.push_back(
            {.name = part.name,
             .type = part.type == dynamodb::KeyType::string ? Type::text : Type::real,
             .required = !place,
             .has_default = place,
             .server_type = std::string{letters(part.type)}});
    }
    if (described->key.size() == 1) facts.unique.push_back(described->key.front().name);
    key_ = std::move(described->key);
    PERDURE_TRY_VALUE(facts.rows, count());
    return std::optional{std::move(facts)};
}

std::string DynamoTarget::create_statement(const Schema& schema) const {
    const std::string name =
        schema.key ? schema.columns[*schema.key].name : std::string{place_attribute};
    const auto type =
        schema.key ? key_type(schema.columns[*schema.key].type) : dynamodb::KeyType::string;
    const std::string letter{type ? letters(*type) : "?"};
    return "aws dynamodb create-table --table-name " + table_ +
           " --billing-mode PAY_PER_REQUEST --attribute-definitions AttributeName=" + name +
           ",AttributeType=" + letter + " --key-schema AttributeName=" + name + ",KeyType=HASH";
}

Result<void> DynamoTarget::create(const Schema& schema) {
    dynamodb::KeyAttribute key{std::string{place_attribute}};
    if (schema.key) {
        const Column& column = schema.columns[*schema.key];
        const auto type = key_type(column.type);
        if (!type)
            return fail(
                invalid_load("key-type", "column '" + column.name + "' holds " +
                                             std::string{to_string(column.type)} +
                                             ", and a key of DynamoDB is text or a number"));
        key = {column.name, *type};
    }
    PERDURE_TRY_VALUE(dynamodb::TableDescription made,
                      dynamodb::ensure_table(client_, dynamodb::CreateTable{table_, std::move(key)},
                                             while_it_is_made()));
    key_ = std::move(made.key);
    return {};
}

Result<Range> DynamoTarget::write(const Order& order, const std::stop_token& stop) {
    const auto hold = ledger_.hold(order.source->name);
    if (!hold) return fail(not_held());
    DynamoWrite writing{client_, *hold, *rows_, order, stop};
    if (caution_.advised()) PERDURE_TRY(writing.look_first());
    auto written = writing.run();
    if (writing.met_keys()) caution_.met_keys();
    return written;
}

Result<void> DynamoTarget::scan(const RowReader& each) {
    auto all = pages(client_, dynamodb::Scan{table_}.consistent());
    ReadRow row;
    for (Result<dynamodb::Page>& page : all) {
        if (!page) return page.take_failure();
        for (const dynamodb::Item& item : page->items) {
            rows_->read(item, row);
            PERDURE_TRY(each(row.values));
        }
    }
    return {};
}

Result<void> DynamoTarget::find(std::span<const Value> keys, const RowReader& each) {
    dynamodb::BatchGet wanted{table_};
    wanted.consistent();
    std::set<std::string> seen;
    const std::size_t parts = key_.size();
    for (std::size_t at = 0; at + parts <= keys.size(); at += parts) {
        dynamodb::Item key = rows_->key_of(keys.subspan(at, parts));
        if (seen.insert(dynamodb::key_text(key)).second) wanted.key(std::move(key));
    }
    auto report = dynamodb::batch_get(client_, wanted);
    if (!report.complete()) return fail(std::move(report.leftovers.front().failure));
    ReadRow row;
    for (const auto& found : report.values) {
        if (!found || !*found) continue;
        rows_->read(**found, row);
        PERDURE_TRY(each(row.values));
    }
    return {};
}

// All that is asked is whether there are any. To count a large table costs what it costs to read it,
// so no more than its first rows are.
Result<std::uint64_t> DynamoTarget::count() {
    auto counted = pages(client_, dynamodb::Scan{table_}.consistent().count_only());
    for (Result<dynamodb::Page>& page : counted) {
        if (!page) return page.take_failure();
        if (page->count > 0) return static_cast<std::uint64_t>(page->count);
    }
    return std::uint64_t{0};
}

}  // namespace

Result<std::unique_ptr<Target>> open_dynamodb_target(const DynamoTargetOptions& options) {
    if (options.url.table.empty())
        return fail(invalid_load("target",
                                 "which table? dynamodb://TABLE?region=REGION, or --table TABLE"));
    if (options.url.table == dynamodb_ledger_table)
        return fail(
            invalid_load("target", "'perdure_load' is the ledger of loads, not a table to load"));
    auto target = std::make_unique<DynamoTarget>(options);
    if (const Failure* problem = target->problem()) return fail(*problem);
    return std::unique_ptr<Target>{std::move(target)};
}

}  // namespace tool::load

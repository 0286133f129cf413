// SPDX-License-Identifier: Apache-2.0
#include "load/target/cosmos/cosmos_target.hpp"

#include <utility>

#include "load/target/caution.hpp"
#include "load/target/cosmos/cosmos_ledger.hpp"
#include "load/target/cosmos/cosmos_plan.hpp"
#include "load/target/cosmos/cosmos_rows.hpp"
#include "load/target/cosmos/cosmos_write.hpp"
#include "load/target/invalid_load.hpp"
#include "load/target/ledger_target.hpp"
#include "load/target/sql_target_watch.hpp"
#include "perdure/call/batch.hpp"
#include "perdure/cosmos/ensure.hpp"
#include "perdure/cosmos/pages.hpp"
#include "perdure/cosmos/wire/document.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr int usual_cosmos_workers = 4;
constexpr int at_once = 8;  // records of one batch
// What a kill may cost each worker to be looked at again.
constexpr std::size_t most_at_a_time = 500;
constexpr std::size_t enough_to_count = 1000;

int workers_of(const CosmosTargetOptions& options) noexcept {
    return options.workers > 0 ? options.workers : usual_cosmos_workers;
}

// Etags are checked in one region only, so all writes go to the same. So do reads, by the account's own
// order of its regions: elsewhere the ledger, or an item, may be behind.
cosmos::ClientOptions client_options(const CosmosTargetOptions& options, Observer& observer) {
    cosmos::ClientOptions made;
    made.endpoint = options.access.endpoint;
    made.key = options.access.key;
    made.connection_string = options.access.connection_string;
    if (!options.url.discovery.empty()) made.discovery = cosmos::Discovery::endpoint_only;
    made.writes = cosmos::Writes::first_region;
    made.plan = cosmos_plan(options.patience);
    // What comes late does no harm: it is what was to be there, or is refused by its etag.
    made.settle = Duration::zero();
    made.pool.max_connections = at_once * workers_of(options) + 4;
    made.environment.observer = &observer;
    return made;
}

class CosmosTarget final : public LedgerTarget<CosmosLedger> {
public:
    explicit CosmosTarget(const CosmosTargetOptions& options)
        : container_{options.url.database, options.url.container},
          partition_{options.url.partition.empty() ? "/id" : options.url.partition},
          key_{options.key},
          workers_{workers_of(options)},
          watch_{options.observer, "CreateItem"},
          client_{client_options(options, watch_)},
          crew_{cosmos_crew_plan()},
          name_{"cosmos " + options.url.endpoint + options.url.database},
          ledger_{client_, container_} {}

    [[nodiscard]] const Failure* problem() const noexcept { return client_.problem(); }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] int workers() const noexcept override { return workers_; }
    [[nodiscard]] std::size_t most_records() const noexcept override { return most_at_a_time; }
    [[nodiscard]] bool takes_any_field() const noexcept override { return true; }

    [[nodiscard]] Result<std::optional<TableFacts>> look() override;
    [[nodiscard]] std::string create_statement(const Schema& schema) const override;
    [[nodiscard]] Result<void> create(const Schema& schema) override;
    void use(const Schema& schema) override {
        rows_ = std::make_unique<CosmosRows>(schema, partition_);
        ledger_.ids_from(rows_->id_from());
    }
    [[nodiscard]] Result<void> open_ledger() override {
        PERDURE_TRY(rows_->check());
        return ledger_.open();
    }
    [[nodiscard]] Result<void> check_begun(std::string_view source) override {
        return ledger_.check_begun(source);
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
    [[nodiscard]] CosmosLedger& ledger() noexcept override { return ledger_; }
    [[nodiscard]] bool by_id() const noexcept { return partition_ == "/id"; }

    const cosmos::ContainerName container_;
    std::string partition_;     // the container's, once it was looked at or made
    bool unique_keys_ = false;  // likewise
    const std::string key_;
    const int workers_;
    TargetWatch watch_;
    cosmos::Client client_;
    const Budget& budget_ = client_.caller().budget();
    Caller crew_;
    const std::string name_;
    CosmosLedger ledger_;
    std::unique_ptr<CosmosRows> rows_;
    Caution caution_;
};

// Items have no columns but id and partition key. An id that a record has not is filled in.
Result<std::optional<TableFacts>> CosmosTarget::look() {
    auto found = client_.send(cosmos::ReadContainer{container_});
    if (!found && found.error().cause == Cause::not_found) return std::optional<TableFacts>{};
    if (!found) return found.take_failure();
    const std::vector<std::string>& paths = found->properties.key.paths;
    if (paths.size() != 1 || paths[0].find_first_of("/\"", 1) != std::string::npos)
        return fail(invalid_load("not-loadable",
                                 "the partition key of container '" + container_.container +
                                     "' is not one field of its items, and others cannot be "
                                     "loaded yet"));
    partition_ = paths[0];
    unique_keys_ =
        cosmos::Document{found->json}.text_at("/uniqueKeyPolicy/uniqueKeys/0").has_value();
    TableFacts facts;
    facts.columns.push_back({.name = "id", .type = Type::other, .has_default = true});
    if (by_id()) facts.unique = {"id"};
    else
        facts.columns.push_back(
            {.name = partition_.substr(1), .type = Type::other, .required = true});
    if (by_id() && !key_.empty() && key_ != "id") facts.unique.push_back(key_);
    PERDURE_TRY_VALUE(facts.rows, count());
    return std::optional{std::move(facts)};
}

std::string CosmosTarget::create_statement(const Schema&) const {
    return "az cosmosdb sql container create --database-name " + container_.database + " --name " +
           container_.container + " --partition-key-path " + partition_;
}

Result<void> CosmosTarget::create(const Schema& schema) {
    PERDURE_TRY(CosmosRows(schema, partition_).check());
    PERDURE_TRY(cosmos::ensure_database(client_, cosmos::CreateDatabase{container_.database}));
    PERDURE_TRY(
        cosmos::ensure_container(client_, cosmos::CreateContainer{container_, {partition_}}));
    return {};
}

Result<Range> CosmosTarget::write(const Order& order, const std::stop_token& stop) {
    PERDURE_TRY_VALUE(std::string generation, ledger_.begin(order.source->name, order.range));
    CosmosWriteOptions options{.generation = std::move(generation), .stop = stop};
    options.at_once = at_once;
    options.look_first = caution_.advised();
    options.unique_keys = unique_keys_;
    CosmosWrite writing{client_, container_, *rows_, order, std::move(options)};
    PERDURE_TRY_VALUE(const CosmosOutcome outcome, writing.run(crew_));
    if (outcome.met_keys) caution_.met_keys();
    Range range = order.range;
    range.written = outcome.written;
    range.present = outcome.present;
    range.rejected = order.rejected.size() + outcome.rejected.size();
    PERDURE_TRY(ledger_.finish(order, range, outcome.rejected));
    return range;
}

Result<void> CosmosTarget::scan(const RowReader& each) {
    auto all = pages(client_, cosmos::Query{container_, "SELECT * FROM c"});
    CosmosReading reading;
    for (Result<cosmos::Page>& page : all) {
        if (!page) return page.take_failure();
        for (const std::string& json : page->documents) {
            rows_->read(json, reading);
            PERDURE_TRY(each(reading.row.values));
        }
    }
    return {};
}

Result<void> CosmosTarget::find(std::span<const Value> keys, const RowReader& each) {
    const std::size_t parts = by_id() ? 1 : 2;
    const std::size_t wanted = keys.size() / parts;
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<std::string>> {
        ChunkAnswer<std::string> answer{chunk};
        for (std::size_t at = 0; at < chunk.size(); ++at) {
            const auto where = rows_->address_of(keys.subspan(chunk[at] * parts, parts));
            answer.done(at, {});
            if (!where) continue;
            PERDURE_TRY_VALUE(auto found,
                              client_.send(cosmos::FindItem{container_, where->id, where->key}));
            if (found) answer.done(at, std::move(found->json));
        }
        return answer;
    };
    if (wanted == 0) return {};
    auto report = run_batch(crew_, {.name = "find", .safety = Safety::read},
                            {.chunk_items = wanted / at_once + 1, .parallel = {.most = at_once}},
                            wanted, send);
    if (!report.complete()) return fail(std::move(report.leftovers.front().failure));
    CosmosReading reading;
    for (const std::optional<std::string>& json : report.values) {
        if (!json || json->empty()) continue;
        rows_->read(*json, reading);
        PERDURE_TRY(each(reading.row.values));
    }
    return {};
}

// All that is asked is whether there are any. To count a large container costs what it costs to read it,
// so no more than its first items are.
Result<std::uint64_t> CosmosTarget::count() {
    auto all = pages(client_, cosmos::Query{container_, "SELECT c.id FROM c"}.page_size(
                                  static_cast<int>(enough_to_count)));
    std::uint64_t seen = 0;
    for (Result<cosmos::Page>& page : all) {
        if (!page) return page.take_failure();
        seen += page->documents.size();
        if (seen >= enough_to_count) break;
    }
    return seen;
}

}  // namespace

Result<std::unique_ptr<Target>> open_cosmos_target(const CosmosTargetOptions& options) {
    if (options.url.container == cosmos_ledger_container)
        return fail(invalid_load("target",
                                 "'perdure_load' is the ledger of loads, not a container to load"));
    auto target = std::make_unique<CosmosTarget>(options);
    if (const Failure* const problem = target->problem()) return fail(*problem);
    std::unique_ptr<Target> made = std::move(target);
    return made;
}

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
//
// Does the ledger of loads into Cosmos DB keep apart what must not be mixed?
#include <atomic>
#include <functional>

#include "perdure/call/observer.hpp"
#include "perdure/cosmos/ensure.hpp"
#include "tools/load_cosmos_place.hpp"

namespace tool::load {
namespace {

constexpr const char* input = "input.csv";

// Does something once, when the target it watches is in the middle of a batch: it has created a record.
class InTheMiddle final : public perdure::Observer {
public:
    explicit InTheMiddle(std::function<void()> deed) : deed_{std::move(deed)} {}
    void on_event(const perdure::Event& event) noexcept override {
        if (event.kind == perdure::EventKind::finished && event.operation == "CreateItem" &&
            ++created_ == 2)
            deed_();
    }

private:
    const std::function<void()> deed_;
    std::atomic<int> created_{0};
};

class LoadCosmosLedger : public ::testing::Test {
protected:
    // Without a field `id`: `key` is the column of --key, or nothing.
    [[nodiscard]] std::unique_ptr<Target> ready(std::optional<std::size_t> key,
                                                perdure::Observer* observer = nullptr) const {
        CosmosTargetOptions options = place.options(1);
        options.observer = observer;
        auto target = open_cosmos_target(options);
        EXPECT_TRUE(target) << to_string(target.error());
        Schema schema = test_schema(key);
        schema.columns[0].name = "order_no";
        EXPECT_TRUE((*target)->create(schema));
        (*target)->use(schema);
        EXPECT_TRUE((*target)->open_ledger());
        return *std::move(target);
    }
    [[nodiscard]] static SourceEntry source() { return {.name = input, .head_bytes = 7}; }
    [[nodiscard]] std::size_t items() const {
        return place.gateway().items("shop", "orders", "East US");
    }
    [[nodiscard]] cosmos::ClientOptions account() const {
        return {.endpoint = place.gateway().endpoint(), .key = std::string{chaos::emulator_key}};
    }
    [[nodiscard]] static std::size_t rejections(Target& target) {
        std::size_t kept = 0;
        EXPECT_TRUE(target.rejections(input, [&](const KeptRejection&) -> Result<void> {
            ++kept;
            return {};
        }));
        return kept;
    }
    // What a load that is killed before it notes its first batch leaves behind.
    void leave_unnoted(std::optional<std::size_t> key, const Order& order) const {
        auto killed = ready(key);
        ASSERT_TRUE(killed->enter(source()));
        place.gateway().plan(
            {{.method = "PUT", .path = "*/perdure_load/*", .status = 403, .substatus = 5300}});
        EXPECT_FALSE(killed->write(order, {}));
        place.gateway().plan({});
    }

    CosmosPlace place;
};

TEST_F(LoadCosmosLedger, refuses_to_go_on_under_other_ids_than_an_input_was_begun_with) {
    Orders orders{input};
    const Order order = orders.make({{1, "one"}, {2, "two"}});
    struct Row {
        std::optional<std::size_t> before;
        std::optional<std::size_t> now;
        const char* words;
    };
    for (const Row& row : {Row{0, std::nullopt, "begun with --key order_no"},
                           Row{std::nullopt, 0, "begun without --key"}}) {
        SCOPED_TRACE(row.words);
        leave_unnoted(row.before, order);
        auto other = ready(row.now);
        for (const Result<void>& said : {other->check_begun(input), other->forget(input)}) {
            ASSERT_FALSE(said);
            EXPECT_EQ(said.error().cause, Cause::invalid);
            EXPECT_EQ(said.error().code, "other-ids");
            EXPECT_THAT(said.error().message, HasSubstr(row.words));
        }
        const auto entered = other->enter(source());
        ASSERT_FALSE(entered);
        EXPECT_EQ(entered.error().code, "other-ids");
        auto same = ready(row.before);
        EXPECT_TRUE(same->check_begun(input));
        ASSERT_TRUE(same->enter(source()));
        EXPECT_EQ(write(*same, order).written, 2u);
        EXPECT_EQ(items(), 2u);
        EXPECT_FALSE(other->forget(input)) << "by the ledger they are there";
        ASSERT_TRUE(same->forget(input));
        place.drop_table();
    }
}

TEST_F(LoadCosmosLedger, forgets_an_input_begun_with_other_ids_when_none_of_its_records_is_there) {
    auto first = ready(std::nullopt);
    Orders orders{input};
    ASSERT_TRUE(first->enter(source()));
    write(*first, orders.with_rejected({{1, "one"}}, "no"));
    Orders others{"others.csv"};
    write(*first, others.make({{7, "of another input"}}));
    auto keyed = ready(0);
    const auto forgotten = keyed->forget(input);
    ASSERT_TRUE(forgotten) << to_string(forgotten.error());
    EXPECT_TRUE(keyed->enter(source()));
}

TEST_F(LoadCosmosLedger, lets_ids_be_chosen_when_the_first_bytes_of_an_empty_input_come) {
    ASSERT_TRUE(ready(std::nullopt)->enter({.name = input}));
    auto keyed = ready(0);
    EXPECT_TRUE(keyed->check_begun(input));
    ASSERT_TRUE(keyed->enter(source()));
    EXPECT_EQ(ready(std::nullopt)->enter(source()).error().code, "other-ids");
}

TEST_F(LoadCosmosLedger, keeps_rejections_that_whoever_took_over_has_noted) {
    Orders theirs{input};
    const Order rejecting = theirs.with_rejected({{1, "one"}, {2, "two"}, {3, "no"}}, "no");
    ASSERT_TRUE(ready(0)->enter(source()));
    auto successor = ready(0);
    InTheMiddle overtaking{[&] {
        EXPECT_TRUE(successor->enter(source()));
        EXPECT_TRUE(successor->write(rejecting, {}));
    }};
    auto overtaken = ready(0, &overtaking);
    ASSERT_TRUE(overtaken->enter(source()));
    // What it does not reject itself it would not put back.
    Orders ours{input};
    const auto late = overtaken->write(ours.make({{1, "one"}, {2, "two"}, {3, "no"}}), {});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, "taken");
    EXPECT_EQ(rejections(*successor), 1u);
    EXPECT_EQ(successor->done(input)->at(0).rejected, 1u);
}

TEST_F(LoadCosmosLedger, that_somebody_has_forgotten_is_taken) {
    Orders orders{input};
    auto other = ready(0);
    InTheMiddle forgetting{[&] { EXPECT_TRUE(other->forget(input)); }};
    auto watched = ready(0, &forgetting);
    ASSERT_TRUE(watched->enter(source()));
    const auto written = watched->write(orders.make({{1, "one"}, {2, "two"}}), {});
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, "taken") << to_string(written.error());
}

TEST_F(LoadCosmosLedger, does_not_bring_back_an_entry_that_was_forgotten_after_a_lost_answer) {
    Orders orders{input};
    auto target = ready(0);
    write(*target, orders.make({{1, "one"}}));
    place.gateway().plan({{.method = "PUT",
                           .path = "*/perdure_load/*",
                           .to = 1,
                           .strikes = chaos::Strikes::after_applying,
                           .ending = chaos::FaultEnding::reset}});
    ASSERT_TRUE(target->write(orders.make({{2, "two"}}), {}));
    auto other = ready(0);
    ASSERT_TRUE(other->forget(input));
    EXPECT_TRUE(target->merge(input, 0, orders.end())) << "left to whoever begins anew";
    EXPECT_FALSE(other->entry(input)->has_value());
}

TEST_F(LoadCosmosLedger, cannot_be_loaded_itself) {
    CosmosTargetOptions options = place.options(1);
    options.url.container = "perdure_load";
    const auto target = open_cosmos_target(options);
    ASSERT_FALSE(target);
    EXPECT_EQ(target.error().cause, Cause::invalid);
    EXPECT_THAT(target.error().message, HasSubstr("the ledger of loads"));
}

TEST_F(LoadCosmosLedger, says_which_container_of_another_kind_stands_in_its_way) {
    cosmos::Client client{account()};
    ASSERT_TRUE(ensure_database(client, cosmos::CreateDatabase{"shop"}));
    ASSERT_TRUE(
        ensure_container(client, cosmos::CreateContainer{{"shop", "perdure_load"}, {"/id"}}));
    auto target = place.open(1);
    ASSERT_TRUE(target->create(test_schema(0)));
    target->use(test_schema(0));
    const auto opened = target->open_ledger();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().cause, Cause::invalid);
    EXPECT_THAT(opened.error().message, HasSubstr("'perdure_load' in database 'shop'"));
    EXPECT_THAT(opened.error().message, HasSubstr("load into another database"));
}

TEST_F(LoadCosmosLedger, asks_for_another_name_of_an_input_whose_name_is_not_utf8) {
    auto target = ready(0);
    for (const auto& said : {target->done("\xff.csv").error(), target->entry("\xff.csv").error()}) {
        EXPECT_EQ(said.cause, Cause::invalid);
        EXPECT_THAT(said.message, HasSubstr("--as"));
    }
}

TEST_F(LoadCosmosLedger, is_read_where_it_is_written_however_far_other_regions_are_behind) {
    chaos::GatewayOptions far;
    far.regions = {{"East US"}, {"West US", perdure::never}};
    far.consistency = chaos::GatewayConsistency::eventual;
    const CosmosPlace split{far};
    auto target = made_ready(*open_cosmos_target(split.options(1)), 0);
    Orders orders{input};
    EXPECT_EQ(write(*target, orders.with_rejected({{1, "one"}, {2, "no"}}, "no")).written, 1u);
    EXPECT_EQ(target->done(input)->size(), 1u);
    EXPECT_EQ(rejections(*target), 1u);
    EXPECT_EQ(*target->count(), 1u);
    for (const chaos::GatewayRecord& one : split.gateway().records())
        EXPECT_NE(one.region, "West US") << one.method << ' ' << one.path;
}

}  // namespace
}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
//
// Does a load into DynamoDB keep what every target promises, and what is its own?
#include "live/support/dynamo_server.hpp"
#include "load/target/dynamodb/dynamodb_target.hpp"
#include "perdure/dynamodb/pages.hpp"
#include "perdure/dynamodb/put_item.hpp"
#include "perdure/dynamodb/query.hpp"
#include "perdure/dynamodb/wait.hpp"
#include "tools/load_target_case.hpp"

namespace tool::load {
namespace {

namespace dynamodb = perdure::dynamodb;
using perdure::live::Dynamo;
using perdure::live::DynamoServer;

// A local server makes and drops tables in no time.
const dynamodb::WaitOptions at_once{.every = std::chrono::milliseconds{5}};

std::shared_ptr<dynamodb::Credentials> some_keys() {
    return dynamodb::fixed_credentials({"AKIDEXAMPLE", "secret"});
}

DynamoServer& server() {
    static DynamoServer one{Dynamo::dynoxide};
    return one;
}

// Each has a table of its own in one server; the ledger is that of all.
class DynamoPlace final : public TargetPlace {
public:
    DynamoPlace() {
        if (!missing().empty()) return;
        static int tables = 0;
        table = "table" + std::to_string(++tables);
        client = std::make_unique<dynamodb::Client>(dynamodb::ClientOptions{
            .region = "eu-west-1", .endpoint = server().url(), .credentials = some_keys()});
    }
    [[nodiscard]] std::string missing() const override {
        return DynamoServer::missing(Dynamo::dynoxide);
    }
    [[nodiscard]] std::unique_ptr<Target> open(int workers) override {
        DynamoTargetOptions options{.workers = workers};
        options.url = {.table = table, .region = "eu-west-1", .endpoint = server().url()};
        options.credentials = some_keys();
        auto target = open_dynamodb_target(options);
        EXPECT_TRUE(target) << to_string(target.error());
        return *std::move(target);
    }
    void drop_table() override { ASSERT_TRUE(ensure_gone(*client, table, at_once)); }
    [[nodiscard]] std::uint64_t ledger_items(const std::string& source) override {
        const auto page = client->send(dynamodb::Query{"perdure_load"}
                                           .key("id = :id")
                                           .value(":id", table + "#" + source)
                                           .consistent());
        return page ? page->items.size() : 9999;
    }
    [[nodiscard]] std::vector<double> extremes() const override {
        return {-1e120, 5e-120, 1.7976931348623157e108};
    }

    std::string table;
    std::unique_ptr<dynamodb::Client> client;
};

std::unique_ptr<TargetPlace> dynamo_place() { return std::make_unique<DynamoPlace>(); }

INSTANTIATE_TEST_SUITE_P(Dynamo, LoadContract,
                         ::testing::Values(PlaceMaker{"dynamodb", dynamo_place}));

class LoadDynamoTarget : public ::testing::Test {
protected:
    void SetUp() override {
        if (!place.missing().empty()) GTEST_SKIP() << place.missing();
    }
    void make_table(dynamodb::CreateTable wanted) const {
        ASSERT_TRUE(ensure_table(*place.client, wanted, at_once));
    }
    [[nodiscard]] std::unique_ptr<Target> open() { return place.open(0); }
    [[nodiscard]] std::unique_ptr<Target> ready(std::optional<std::size_t> key) {
        return made_ready(open(), key);
    }

    DynamoPlace place;
};

TEST_F(LoadDynamoTarget, tells_the_key_of_a_table_and_nothing_else) {
    make_table({place.table, "pk", {"sk", dynamodb::KeyType::number}});
    const auto facts = open()->look();
    ASSERT_TRUE(facts && *facts);
    ASSERT_EQ((*facts)->columns.size(), 2u);
    EXPECT_EQ((*facts)->columns[0].name, "pk");
    EXPECT_EQ((*facts)->columns[0].type, Type::text);
    EXPECT_TRUE((*facts)->columns[0].required);
    EXPECT_EQ((*facts)->columns[1].type, Type::real);
    EXPECT_THAT((*facts)->unique, IsEmpty()) << "neither of them alone";
    EXPECT_EQ((*facts)->rows, 0u);
}

TEST_F(LoadDynamoTarget, refuses_a_binary_key_with_a_clear_word) {
    make_table({place.table, {"id", dynamodb::KeyType::binary}});
    const auto facts = open()->look();
    ASSERT_FALSE(facts);
    EXPECT_EQ(facts.error().code, "not-loadable");
}

TEST_F(LoadDynamoTarget, finds_the_key_again_that_it_made) {
    auto target = open();
    EXPECT_THAT(target->create_statement(test_schema(0)),
                HasSubstr("AttributeName=id,AttributeType=N"));
    ASSERT_TRUE(target->create(test_schema(0)));
    const auto facts = target->look();
    ASSERT_TRUE(facts && *facts);
    EXPECT_THAT((*facts)->unique, ElementsAre("id"));
    EXPECT_TRUE(target->create(test_schema(0))) << "once more does no harm";
    EXPECT_FALSE(target->create(test_schema(3))) << "truths cannot be keys";
}

TEST_F(LoadDynamoTarget, takes_98_records_at_once_and_asks_for_less_of_more) {
    auto target = ready(0);
    ASSERT_EQ(target->most_records(), 98u);
    Orders orders{"input.csv"};
    const auto records = [](std::int64_t first, int count, const std::string& name) {
        std::vector<TestRecord> made;
        for (int i = 0; i < count; ++i) made.push_back({.id = first + i, .name = name});
        return made;
    };
    EXPECT_EQ(refusal(*target, orders.make(records(0, 99, "n"))), "record");
    const std::string much(90 * 1024, 'x');
    EXPECT_EQ(refusal(*target, orders.make(records(0, 60, much))), "record") << "over 4 MB";
    EXPECT_EQ(*target->count(), 0u);
    EXPECT_EQ(write(*target, orders.make(records(0, 98, "n"))).written, 98u);
    Orders again{"again.csv"};
    EXPECT_EQ(write(*target, again.make(records(0, 98, "n"))).present, 98u);
    EXPECT_EQ(write(*target, orders.make(records(1000, 30, much))).written, 30u);
}

TEST_F(LoadDynamoTarget, rejects_what_cannot_be_an_item_without_asking) {
    auto target = ready(0);
    Orders orders{"input.csv"};
    const Range range = write(
        *target,
        orders.make(
            {{1, "one"}, {2, std::string(410 * 1024, 's')}, {3, "three", 1e300}, {4, "four"}}));
    EXPECT_EQ(range.written, 2u);
    EXPECT_EQ(range.rejected, 2u);
    std::string reasons;
    ASSERT_TRUE(target->rejections("input.csv", [&](const KeptRejection& one) -> Result<void> {
        reasons += one.reason + "\n";
        return {};
    }));
    EXPECT_THAT(reasons, HasSubstr("only its first"));
    EXPECT_EQ(reasons.find("sss"), std::string::npos);
}

}  // namespace
}  // namespace tool::load

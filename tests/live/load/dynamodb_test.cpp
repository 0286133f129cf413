// SPDX-License-Identifier: Apache-2.0
//
// Does `perdure load` bring records into DynamoDB as it does into databases of SQL: none lost, none
// twice, through kills, two loads at once and a wire that loses answers?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "live/load/support/service_case.hpp"
#include "live/support/dynamo_server.hpp"
#include "perdure/chaos/proxy.hpp"
#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/json.hpp"
#include "perdure/dynamodb/pages.hpp"
#include "perdure/dynamodb/update_item.hpp"
#include "perdure/dynamodb/wait.hpp"

namespace perdure::live {
namespace {

using dynamodb::Item;
using ::testing::HasSubstr;

// The keys of the programs that are started here.
void give_keys() {
    ::setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE", 1);
    ::setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
}

class LoadDynamo : public ServiceCase {
protected:
    void SetUp() override {
        if (!DynamoServer::missing(Dynamo::dynoxide).empty())
            GTEST_SKIP() << DynamoServer::missing(Dynamo::dynoxide);
        give_keys();
        server = std::make_unique<DynamoServer>(Dynamo::dynoxide);
        client = std::make_unique<dynamodb::Client>(
            dynamodb::ClientOptions{.region = "eu-west-1", .endpoint = server->url()});
        write_input();
    }

    [[nodiscard]] std::string url() const override { return url_at(server->port()); }
    [[nodiscard]] static std::string url_at(std::uint16_t port) {
        return "dynamodb://orders?region=eu-west-1&endpoint=http://127.0.0.1:" +
               std::to_string(port);
    }
    [[nodiscard]] std::int64_t items() const override {
        std::int64_t sum = 0;
        for (auto& page : pages(*client, dynamodb::Scan{"orders"}.consistent().count_only()))
            sum += page ? page->count : 0;
        return sum;
    }
    void expect_all() const override {
        std::set<std::int64_t> awaited;
        for (int i = records.first; i < records.first + records.count; ++i) awaited.insert(i);
        for (auto& page : pages(*client, dynamodb::Scan{"orders"}.consistent())) {
            ASSERT_TRUE(page) << to_string(page.error());
            for (Item& item : page->items) {
                const auto id = item.get<std::int64_t>("id");
                ASSERT_TRUE(id);
                EXPECT_EQ(awaited.erase(*id), 1u) << *id << " is twice or was not sent";
                item.remove("perdure_id");
                EXPECT_EQ(told(item), told(sent(static_cast<int>(*id))));
            }
        }
        EXPECT_EQ(awaited.size(), 0u) << "missing, the first is " << *awaited.begin();
    }
    void change_700() override {
        ASSERT_TRUE(client->send(dynamodb::UpdateItem{"orders", {{"id", 700}}}
                                     .update("SET paid = :no, price = :one")
                                     .value(":no", "changed")
                                     .value(":one", 1)));
    }

    std::unique_ptr<DynamoServer> server;
    std::unique_ptr<dynamodb::Client> client;

private:
    static Item sent(int id) {
        auto item = dynamodb::item_from_plain_json(json_record(id));
        if (item->find("note")->is_null()) item->remove("note");
        return *std::move(item);
    }
    // As the service is free to write it: attributes in no order, numbers without zeros at the end.
    static std::string told(const Item& item) {
        std::map<std::string, std::string> parts;
        for (const dynamodb::Attribute& one : item) {
            std::string text = to_json(Item{{"v", one.value}});
            if (const auto number = one.value.as<dynamodb::Number>()) text = *number->canonical();
            if (const auto list = one.value.as<dynamodb::List>())
                text = *(*list)[0].as<dynamodb::Number>()->canonical() + " " +
                       *(*list)[1].as<std::string>() + " " +
                       *(*list)[2].as<dynamodb::Number>()->canonical();
            parts[one.name] = text;
        }
        std::string all;
        for (const auto& [name, text] : parts)
            all.append(name).append("=").append(text).append(";");
        return all;
    }
};

TEST_F(LoadDynamo, brings_every_record_and_the_second_time_finds_them_there) {
    bring_all_and_find_them_there();
}

TEST_F(LoadDynamo, by_place_loads_and_verifies_records_without_a_key) {
    expect_verified(load({"--verify"}));
}

TEST_F(LoadDynamo, rejects_a_record_whose_key_is_there_with_other_values) {
    reject_what_is_there_with_other_values();
}

TEST_F(LoadDynamo, reads_an_input_that_has_changed_again_and_does_not_look_for_rows_it_lost) {
    read_a_changed_input_again();
}

TEST_F(LoadDynamo, refuses_an_input_that_has_changed_and_has_no_keys) {
    refuse_a_changed_input_by_place();
}

TEST_F(LoadDynamo, without_keys_ends_with_7_and_says_where_they_were_looked_for) {
    for (const char* name : {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}) ::unsetenv(name);
    ::setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
    ::setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent/credentials", 1);
    ::setenv("AWS_CONFIG_FILE", "/nonexistent/config", 1);
    expect_person_needed(load({"--key", "id"}), "AWS_ACCESS_KEY_ID");
    give_keys();
    EXPECT_EQ(items(), 0);
}

TEST_F(LoadDynamo, killed_in_the_middle_goes_on_where_it_stopped) { kill_twice_and_go_on(); }

TEST_F(LoadDynamo, started_twice_at_once_ends_in_one_of_them_with_every_record_once) {
    start_twice_at_once("10");
}

TEST_F(LoadDynamo, through_a_wire_that_loses_answers_loses_no_record) {
    const std::string seed = new_seed();
    SCOPED_TRACE("seed " + seed);
    const auto transactions = [](chaos::Fault fault, double chance) {
        return chaos::Rule{.fault = fault,
                           .match = {.header = "x-amz-target: DynamoDB_20120810.TransactWriteItems",
                                     .probability = chance}};
    };
    const auto proxy = chaos::Proxy::start(
        {.rules = {transactions(chaos::Fault::reset_after, 0.1),
                   transactions(chaos::Fault::reset_before, 0.05),
                   {.fault = chaos::Fault::reset_after, .match = {.probability = 0.03}}},
         .seed = std::stoull(seed)},
        {.to = server->address()});
    ASSERT_TRUE(proxy);
    const LoadEnd end =
        load({"--key", "id", "--batch", "20", "--verify"}, url_at((*proxy)->port()));
    EXPECT_GT(end.number("retries"), 0) << end.words();
    EXPECT_GT((*proxy)->counters().of(chaos::Fault::reset_after), 0u);
    expect_verified(end);
    std::cout << end.out;
}

TEST_F(LoadDynamo, knows_records_by_both_parts_of_a_key) {
    ASSERT_TRUE(ensure_table(
        *client, dynamodb::CreateTable{"orders", "name", {"day", dynamodb::KeyType::number}},
        {.every = std::chrono::milliseconds{5}}));
    home.write(input, "{\"name\": \"a\", \"day\": 1, \"n\": 1}\n"
                      "{\"name\": \"a\", \"day\": 2, \"n\": 2}\n"
                      "{\"name\": \"a\", \"day\": 1.0, \"n\": 1}\n"
                      "{\"name\": \"a\", \"day\": 1, \"n\": 7}\n"
                      "{\"name\": \"\", \"day\": 1, \"n\": 7}\n"
                      "{\"name\": \"b\", \"n\": 7}\n");
    const LoadEnd end = load({"--verify"});
    EXPECT_EQ(end.status, 4) << end.words();
    expect_account(end, 2, 1, 3);
    EXPECT_THAT(end.out, HasSubstr("\"verified\":true"));
    EXPECT_EQ(items(), 2);
    const LoadEnd without = load({"--key", "n"});
    EXPECT_EQ(without.status, 125) << without.words();
    home.write(input, "{\"nobody\": 1}\n");
    const LoadEnd keyless = load({"--as", "another"});
    EXPECT_EQ(keyless.status, 125) << keyless.words();
    EXPECT_THAT(keyless.words(), HasSubstr("the key of table 'orders' is 'name'"));
}

TEST_F(LoadDynamo, that_is_only_tried_out_writes_nothing) {
    const LoadEnd end = load({"--key", "id", "--dry-run"});
    EXPECT_EQ(end.status, 0) << end.words();
    EXPECT_THAT(end.out, HasSubstr("aws dynamodb create-table --table-name orders"));
    EXPECT_THAT(end.out, HasSubstr("\"batch\":98"));
    EXPECT_EQ(items(), 0);
    EXPECT_THAT(server->ask("ListTables", "{}").body, HasSubstr("\"TableNames\":[]"));
}

TEST_F(LoadDynamo, says_what_is_wrong_with_what_it_was_told) {
    const std::string to = url();
    expect_refused({
        {{input, "--to", to + "&regoin=x"}, "not 'regoin'"},
        {{input, "--to", to, "--table", "lines"}, "--table names 'lines'"},
        {{input, "--to", to}, "there is no table 'orders'; --create makes it"},
        {{input, "--to", to, "--create", "--key", "nothing"}, "there is no column 'nothing'"},
        {{input, "--to", to, "--create", "--key", "paid"}, "text or a number"},
        {{input, "--to", to, "--create", "--faults", "10%"}, "perdure chaos"},
    });
}

}  // namespace
}  // namespace perdure::live

// SPDX-License-Identifier: Apache-2.0
//
// Does `perdure load` bring records into Cosmos DB as it does into databases of SQL: none lost, none
// twice, through kills, two loads at once, a wire that loses answers, regions that go and partitions that
// are split?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>

#include "live/load/support/service_case.hpp"
#include "load/source/json_canon.hpp"
#include "load/source/json_record.hpp"
#include "perdure/chaos/cosmos/gateway.hpp"
#include "perdure/chaos/proxy.hpp"
#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/pages.hpp"
#include "perdure/cosmos/patch_item.hpp"

namespace perdure::live {
namespace {

using ::testing::HasSubstr;

class LoadCosmos : public ServiceCase {
protected:
    void SetUp() override {
        // Of the programs that are started here.
        const std::string key{chaos::emulator_key};
        ::setenv("COSMOS_KEY", key.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
        start({.partitions = 3});
        write_input();
    }
    void start(const chaos::GatewayOptions& options) {
        client.reset();
        auto started = chaos::CosmosGateway::start(options);
        ASSERT_TRUE(started) << to_string(started.error());
        gateway = *std::move(started);
        client = std::make_unique<cosmos::Client>(cosmos::ClientOptions{
            .endpoint = gateway->endpoint(), .key = std::string{chaos::emulator_key}});
    }

    [[nodiscard]] std::string url() const override { return url_at(gateway->endpoint()); }
    [[nodiscard]] static std::string url_at(const std::string& endpoint) {
        return "cosmos+" + endpoint + "shop/orders";
    }
    [[nodiscard]] std::int64_t items() const override {
        return static_cast<std::int64_t>(gateway->items("shop", "orders", "East US"));
    }
    // Every record is there as it was sent, was written once, and there is nothing else.
    void expect_all() const override {
        std::map<std::string, int> written;
        for (const chaos::AppliedWrite& one : gateway->writes())
            if (one.container == "dbs/shop/colls/orders") ++written[one.id];
        EXPECT_EQ(written.size(), static_cast<std::size_t>(records.count));
        for (const auto& [id, times] : written) EXPECT_EQ(times, 1) << id;
        std::size_t seen = 0;
        for (auto& page : pages(*client, cosmos::Query{name, "SELECT * FROM c"})) {
            ASSERT_TRUE(page) << to_string(page.error());
            for (const std::string& json : page->documents) {
                const auto there = fields(json);
                const int id = std::stoi(there.at("id").substr(1));
                EXPECT_EQ(there, fields(with_text_id(json_record(id), id)));
                ++seen;
            }
        }
        EXPECT_EQ(seen, static_cast<std::size_t>(records.count));
    }
    void change_700() override {
        ASSERT_TRUE(client->send(
            cosmos::PatchItem{name, "700", {"700"}, cosmos::Patch{}.set("/paid", "changed")}
                .idempotent()));
    }

    const cosmos::ContainerName name{"shop", "orders"};
    std::unique_ptr<chaos::CosmosGateway> gateway;
    std::unique_ptr<cosmos::Client> client;

private:
    static std::string with_text_id(std::string record, int id) {
        const std::string number = std::to_string(id);
        const std::size_t at = record.find(number, record.find("\"id\""));
        return record.replace(at, number.size(), '"' + number + '"');
    }
    // What the record says, without what the service and the load add, and without nulls.
    static std::map<std::string, std::string> fields(const std::string& json) {
        tool::load::JsonReader reader;
        std::vector<tool::load::JsonField> found;
        std::deque<std::string> texts;
        EXPECT_EQ(reader.split(json, 0, found, texts), "");
        std::map<std::string, std::string> said;
        for (const auto& one : found)
            if (!one.name.starts_with('_') && one.name != "perdure_writer" && one.token != "null")
                said.emplace(one.name, tool::load::canonical_json(one.token).value_or("?"));
        return said;
    }
};

TEST_F(LoadCosmos, brings_every_record_and_the_second_time_finds_them_there) {
    bring_all_and_find_them_there();
}

TEST_F(LoadCosmos, without_a_key_takes_the_field_id_for_it_and_verifies) {
    expect_verified(load({"--verify"}));
}

TEST_F(LoadCosmos, by_place_loads_records_without_an_id_and_the_second_time_nothing) {
    home.write(input, "{\"a\": 1}\n{\"a\": 1}\n{\"a\": null, \"b\": [1, {\"c\": 0.50}]}\n");
    const LoadEnd end = load({"--verify", "--type", "b=json"});
    EXPECT_EQ(end.status, 0) << end.words();
    EXPECT_THAT(end.out, HasSubstr("\"verified\":true"));
    expect_account(end, 3, 0, 0);
    EXPECT_EQ(items(), 3);
    EXPECT_EQ(load({"--type", "b=json"}).number("account", "read"), 0);
}

TEST_F(LoadCosmos, rejects_a_record_whose_key_is_there_with_other_values) {
    reject_what_is_there_with_other_values();
}

TEST_F(LoadCosmos, reads_an_input_that_has_changed_again_and_does_not_look_for_rows_it_lost) {
    read_a_changed_input_again();
}

TEST_F(LoadCosmos, refuses_an_input_that_has_changed_and_has_no_keys) {
    refuse_a_changed_input_by_place();
}

TEST_F(LoadCosmos, with_a_wrong_key_ends_with_7_in_the_services_words) {
    ::setenv("COSMOS_KEY", "d3Jvbmc=", 1);  // NOLINT(concurrency-mt-unsafe)
    expect_person_needed(load({"--key", "id"}), "401");
    EXPECT_EQ(items(), 0);
}

TEST_F(LoadCosmos, killed_in_the_middle_goes_on_where_it_stopped) { kill_twice_and_go_on(); }

TEST_F(LoadCosmos, started_twice_at_once_ends_in_one_of_them_with_every_record_once) {
    start_twice_at_once("13");
}

TEST_F(LoadCosmos, through_a_wire_that_loses_answers_loses_no_record) {
    const std::string seed = new_seed();
    SCOPED_TRACE("seed " + seed);
    const auto writes = [](chaos::Fault fault, double chance) {
        return chaos::Rule{.fault = fault, .match = {.method = "POST", .probability = chance}};
    };
    const std::string at = gateway->endpoint();
    const std::size_t host = std::string_view{"http://"}.size();
    const auto proxy = chaos::Proxy::start(
        {.rules = {writes(chaos::Fault::reset_after, 0.03),
                   writes(chaos::Fault::reset_before, 0.02),
                   {.fault = chaos::Fault::reset_after, .match = {.probability = 0.01}}},
         .seed = std::stoull(seed)},
        {.to = at.substr(host, at.rfind('/') - host)});
    ASSERT_TRUE(proxy);
    const std::string to = url_at("http://127.0.0.1:" + std::to_string((*proxy)->port()) + "/") +
                           "?discovery=endpoint";
    const LoadEnd end = load({"--key", "id", "--batch", "100", "--verify"}, to);
    EXPECT_GT(end.number("retries"), 0) << end.words();
    EXPECT_GT((*proxy)->counters().of(chaos::Fault::reset_after), 0u);
    expect_verified(end);
    std::cout << end.out;
}

TEST_F(LoadCosmos, goes_on_while_partitions_split_and_a_region_is_lost) {
    start({.regions = {{"East US"}, {"West US"}}, .partitions = 2});
    Loading loading{orders({"--key", "id", "--batch", "50"})};
    await_items(loading, records.count / 10);
    ASSERT_TRUE(gateway->split({.database = "shop", .container = "orders", .requests = 20}));
    await_items(loading, records.count / 4);
    ASSERT_TRUE(gateway->fail_over("West US", chaos::FailOver::caught_up));
    ASSERT_TRUE(gateway->set("East US", chaos::RegionState::refusing));
    const LoadEnd end = loading.wait();
    EXPECT_EQ(end.status, 0) << end.words();
    expect_account(end, records.count, 0, 0);
    const LoadEnd looked = load({"--key", "id", "--verify"});
    EXPECT_EQ(looked.status, 0) << looked.words();
    EXPECT_EQ(gateway->items("shop", "orders", "West US"), static_cast<std::size_t>(records.count));
    std::cout << end.out;
}

TEST_F(LoadCosmos, that_is_only_tried_out_writes_nothing) {
    const LoadEnd end = load({"--key", "id", "--dry-run"});
    EXPECT_EQ(end.status, 0) << end.words();
    EXPECT_THAT(end.out, HasSubstr("az cosmosdb sql container create"));
    EXPECT_THAT(end.out, HasSubstr("\"batch\":500"));
    EXPECT_EQ(items(), 0);
}

TEST_F(LoadCosmos, says_what_is_wrong_with_what_it_was_told) {
    const std::string to = url();
    expect_refused({
        {{input, "--to", to + "?regoin=x"}, "not 'regoin'"},
        {{input, "--to", to, "--table", "lines"}, "--table names 'lines'"},
        {{input, "--to", to}, "there is no table 'orders'; --create makes it"},
        {{input, "--to", to, "--create", "--key", "nothing"}, "there is no column 'nothing'"},
        {{input, "--to", to, "--create", "--key", "name"}, "leave --key out"},
        {{input, "--to", to, "--create", "--faults", "10%"}, "perdure chaos"},
        {{input, "--to", "cosmos+http://example.com/a/b"}, "on this machine"},
    });
}

}  // namespace
}  // namespace perdure::live

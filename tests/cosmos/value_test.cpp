// SPDX-License-Identifier: Apache-2.0
//
// Does what a user typed stay within its quotes?
#include "perdure/cosmos/value.hpp"

#include <limits>

#include "cosmos/staged.hpp"
#include "perdure/cosmos/wire/document.hpp"

namespace perdure::cosmos {
namespace {

TEST(Value, writes_objects_and_arrays_as_json_in_the_order_given) {
    EXPECT_EQ(object({}).json(), "{}");
    EXPECT_EQ(array({}).json(), "[]");
    EXPECT_EQ(object({{"id", "o-1"},
                      {"cents", 1299},
                      {"rate", 0.5},
                      {"paid", false},
                      {"note", nullptr},
                      {"lines", array({object({{"sku", "b7"}}), 2, "x"})},
                      {"serial", Value::raw("123456789012345678901234567890")}})
                  .json(),
              R"({"id":"o-1","cents":1299,"rate":0.5,"paid":false,"note":null,)"
              R"("lines":[{"sku":"b7"},2,"x"],"serial":123456789012345678901234567890})");
}

TEST(Value, keeps_names_with_quotes_in_them_names) {
    for (const std::string name :
         {R"(ada", "admin": true, "x": ")", R"(ada\)", "ada\n\"}", "{\"id\":\"2\"}", "\x01\x7f"}) {
        const Value made = object({{"id", "1"}, {"customer", name}, {name, 7}});
        ASSERT_TRUE(made.check()) << name;
        ASSERT_TRUE(valid_item(made.json())) << made.json();
        const Document read{made.json()};
        EXPECT_EQ(read.string_at("/customer"), name);
        EXPECT_EQ(read.string_at("/id"), "1");
        EXPECT_FALSE(read.truth_at("/admin"));
    }
}

TEST(Value, that_cannot_be_sent_makes_no_object_that_can) {
    const Value bad[] = {
        object({{"a", "\xff"}}),
        object({{"\xff", 1}}),
        object({{"a", std::numeric_limits<double>::infinity()}}),
        object({{"a", Value::raw("1,\"b\":2")}}),
        object({{"id", "1"}, {"id", "2"}}),
        object({{"a", array({1, "\xff"})}}),
    };
    for (const Value& value : bad) {
        const auto checked = value.check();
        ASSERT_FALSE(checked);
        EXPECT_EQ(checked.error().code, "invalid-value");
        EXPECT_FALSE(valid_item(value.json()));
    }
}

TEST(Value, gives_back_the_name_that_was_typed_after_a_round_trip) {
    Stage stage{account_of(1)};
    Client client{stage.options_for()};
    const std::string name = R"(O'Hara "the boss", "admin": true, \)";
    const auto json = object({{"id", "o-1"}, {"pk", "A"}, {"name", name}}).json();
    ASSERT_TRUE(client.send(CreateItem{orders, json, PartitionKey{"A"}}));
    const auto got = client.send(read_of("o-1"));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(Document{got->json}.string_at("/name"), name);
    EXPECT_FALSE(Document{got->json}.truth_at("/admin"));
}

}  // namespace
}  // namespace perdure::cosmos

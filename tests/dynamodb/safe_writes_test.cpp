// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a write whose answer is lost? A service with one item, and attempts that are lost
// before or after they were done.
#include "dynamodb/talking.hpp"

#include <functional>
#include <mutex>
#include <optional>

#include "perdure/dynamodb/counted.hpp"
#include "perdure/dynamodb/create_once.hpp"
#include "perdure/dynamodb/update_item.hpp"
#include "perdure/dynamodb/versioned.hpp"

namespace perdure::dynamodb {
namespace {

// What happens to one attempt to write.
enum class Fate : std::uint8_t { well, lost_before, lost_after, error_after, throttled };

// Just enough of a table: one item, created under attribute_not_exists.
class OneItem {
public:
    explicit OneItem(std::vector<Fate> fates, std::string before = {})
        : item{std::move(before)}, fates_{std::move(fates)} {}

    Reply operator()(const Seen& seen) {
        const std::lock_guard held{mutex_};
        if (operation_of(seen) == "GetItem") {
            ++reads;
            return said(item.empty() ? "{}" : R"({"Item":)" + item + "}");
        }
        ++writes;
        const Fate fate = writes <= fates_.size() ? fates_[writes - 1] : Fate::well;
        if (fate == Fate::lost_before) return lost();
        if (fate == Fate::throttled) return refused_reply("ThrottlingException");
        const Reply answer = write(seen);
        if (fate == Fate::lost_after) return lost();
        return fate == Fate::error_after ? http::status(500) : answer;
    }

    std::string item;  // as JSON; empty: none
    std::size_t writes = 0, reads = 0;
    int applied = 0;

private:
    Reply write(const Seen& seen) {
        if (!item.empty())
            return refused_reply("ConditionalCheckFailedException", R"(,"Item":)" + item);
        item = between(seen.body, R"("Item":)", R"(,"ConditionExpression")");
        ++applied;
        return said("{}");
    }
    std::mutex mutex_;
    std::vector<Fate> fates_;
};

class Creations : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, Creations, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

struct Story {
    std::string_view name;
    std::vector<Fate> fates;
    std::string there;  // before
    bool done;
    std::optional<Effect> effect;
    int applied;
    bool found_out = false;
};

TEST_P(Creations, are_done_once_and_know_it) {
    using enum Fate;
    const std::string theirs = R"({"pk":{"S":"a"},"perdure_writer":{"S":"another"}})";
    const std::string unmarked = R"({"pk":{"S":"a"}})";
    const std::vector<Story> stories = {
        {"all went well", {well}, "", true, {}, 1},
        {"lost before", {lost_before}, "", true, {}, 1},
        {"lost after", {lost_after}, "", true, {}, 1, true},
        {"an error after", {error_after}, "", true, {}, 1, true},
        {"throttled, then lost after", {throttled, lost_after}, "", true, {}, 1, true},
        {"lost again and again, the first was it",
         {lost_after, lost_before, lost_before, lost_before},
         "",
         true,
         {},
         1,
         true},
        {"lost again and again, none was it",
         {lost_before, lost_before, lost_before, lost_before},
         "",
         false,
         Effect::none,
         0},
        {"another's", {well}, theirs, false, Effect::none, 0},
        {"another's, seen after a loss", {lost_before, well}, theirs, false, Effect::none, 0},
        {"somebody's without a mark, seen after a loss",
         {lost_before, well},
         unmarked,
         false,
         Effect::unknown,
         0},
    };
    for (const Story& story : stories) {
        SCOPED_TRACE(story.name);
        OneItem table{story.fates, story.there};
        Server server{std::ref(table)};
        Client client{talking_to(server)};
        const auto made = ask(client, CreateOnce{"orders", {{"pk", "a"}, {"n", 1}}, {"pk"}});
        EXPECT_EQ(made.has_value(), story.done) << (made ? "" : to_string(made.error()));
        EXPECT_EQ(table.applied, story.applied);
        if (made) {
            EXPECT_EQ(made->found_out, story.found_out);
        } else if (story.effect) {
            EXPECT_EQ(made.error().effect, *story.effect) << to_string(made.error());
        }
    }
}

TEST_P(Creations, may_be_asked_for_again_with_a_token_of_ones_own) {
    OneItem table{{Fate::well}};
    Server server{std::ref(table)};
    Client client{talking_to(server)};
    const CreateOnce creation =
        CreateOnce{"orders", {{"pk", "a"}}, {"pk"}}.token("t-1").marker("made_by");
    EXPECT_FALSE(ask(client, creation)->found_out);
    EXPECT_TRUE(ask(client, creation)->found_out);
    EXPECT_EQ(table.item, R"({"pk":{"S":"a"},"made_by":{"S":"t-1"}})");
    EXPECT_FALSE(
        ask(client, CreateOnce{"orders", {{"pk", "a"}}, {"pk"}}.token("t-2").marker("made_by")));
}

TEST(Creation, needs_its_key_and_room_for_its_mark) {
    std::string body;
    EXPECT_FALSE((CreateOnce{"orders", {{"pk", "a"}}, {}}.append_body(body, {})));
    EXPECT_FALSE((CreateOnce{"orders", {{"pk", "a"}}, {"sk"}}.append_body(body, {})));
    EXPECT_FALSE((CreateOnce{"orders", {{"pk", "a"}, {"perdure_writer", "x"}}, {"pk"}}.append_body(
        body, {})));
}

TEST_P(Creations, take_what_is_missing_as_not_done_only_after_a_while) {
    OneItem table{{Fate::lost_before}};
    Server server{std::ref(table)};
    ClientOptions options = talking_to(server, quick(1));
    options.settle = 100ms;
    Client client{options};
    const TimePoint began = system_clock().now();
    const auto made = ask(client, CreateOnce{"orders", {{"pk", "a"}}, {"pk"}});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().effect, Effect::none);
    EXPECT_GE(system_clock().now() - began, 100ms);
    EXPECT_EQ(table.reads, 2u);
}

struct Version {
    std::string_view name;
    std::int64_t seen;
    std::optional<Item> now;
    Verdict verdict;
};
TEST(Versions, tell_whose_the_item_is_by_number_and_mark) {
    const CallFacts facts{.id = "mine"};
    const std::vector<Version> table = {
        {"never there", 0, {}, Verdict::no},
        {"gone", 3, {}, Verdict::unknown},
        {"still the old one", 3, Item{{"version", 3}, {"perdure_writer", "x"}}, Verdict::no},
        {"ours", 3, Item{{"version", 4}, {"perdure_writer", "mine"}}, Verdict::yes},
        {"ours, and the first", 0, Item{{"version", 1}, {"perdure_writer", "mine"}}, Verdict::yes},
        {"another's", 3, Item{{"version", 4}, {"perdure_writer", "x"}}, Verdict::no},
        {"without a mark", 3, Item{{"version", 4}}, Verdict::unknown},
        {"further on", 3, Item{{"version", 6}, {"perdure_writer", "x"}}, Verdict::unknown},
        {"without a version", 3, Item{{"perdure_writer", "mine"}}, Verdict::unknown},
    };
    for (const Version& row : table) {
        const Versioned write{"orders", {{"pk", "a"}}, {"pk"}, row.seen};
        EXPECT_EQ(write.landed(row.now, facts).verdict(), row.verdict) << row.name;
    }
}

TEST(Versions, are_written_with_the_next_number_under_the_one_that_was_seen) {
    std::string body;
    ASSERT_TRUE((Versioned{"orders", {{"pk", "a"}, {"version", 7}}, {"pk"}, 7}.append_body(
        body, {.id = "me"})));
    EXPECT_EQ(
        body,
        R"({"TableName":"orders","Item":{"pk":{"S":"a"},"version":{"N":"8"},"perdure_writer":{"S":"me"}},)"
        R"("ConditionExpression":"#v = :seen","ExpressionAttributeNames":{"#v":"version"},)"
        R"("ExpressionAttributeValues":{":seen":{"N":"7"}},)"
        R"("ReturnValuesOnConditionCheckFailure":"ALL_OLD"})");
    body.clear();
    ASSERT_TRUE((Versioned{"orders", {{"pk", "a"}}, {"pk"}, 0}.append_body(body, {.id = "me"})));
    EXPECT_NE(body.find("attribute_not_exists(#k)"), std::string::npos);
    EXPECT_FALSE((Versioned{"orders", {{"pk", "a"}}, {"pk"}, -1}.append_body(body, {})));
    EXPECT_FALSE((
        Versioned{"orders", {{"pk", "a"}}, {"pk"}, 1}.attributes("pk", "m").append_body(body, {})));
}

TEST(Counts, remember_their_calls_in_four_sets_by_turns) {
    const Counted count = Counted{"visits", {{"pk", "home"}}, "n"}.window(2min);
    const auto filled_at = [&](Duration since) {
        std::string body;
        EXPECT_TRUE(count.append_body(body, {.id = "me", .began = WallTime{since}}));
        return between(body, R"("#filled":")", "\"") + " " + between(body, R"("#emptied":")", "\"");
    };
    EXPECT_EQ(filled_at(0s), "perdure_counted_0 perdure_counted_2");
    EXPECT_EQ(filled_at(119s), "perdure_counted_0 perdure_counted_2");
    EXPECT_EQ(filled_at(120s), "perdure_counted_1 perdure_counted_3");
    EXPECT_EQ(filled_at(240s), "perdure_counted_2 perdure_counted_0");
    EXPECT_EQ(filled_at(360s), "perdure_counted_3 perdure_counted_1");
    EXPECT_EQ(filled_at(480s), "perdure_counted_0 perdure_counted_2");
}

// The item is paid for by its size, so the set holds 16 digits of the 36 characters of a call's id.
TEST(Counts, keep_a_short_form_of_the_id_and_find_it_again) {
    const Counted count{"visits", {{"pk", "home"}}, "n"};
    const CallFacts facts{.id = "9f1c1d5e-7a0b-4c55-8f53-0f6f2c0f7a11"};
    std::string body;
    ASSERT_TRUE(count.append_body(body, facts));
    EXPECT_EQ(between(body, R"(":ids":{"SS":[")", "\""), "8f530f6f2c0f7a11");
    const Item there{{"n", 5}, {"perdure_counted_2", StringSet{"8f530f6f2c0f7a11"}}};
    EXPECT_EQ(count.landed(there, facts).verdict(), Verdict::yes);
    const CallFacts other{.id = "9f1c1d5e-7a0b-4c55-8f53-0f6f2c0f7a12"};
    EXPECT_EQ(count.landed(there, other).verdict(), Verdict::no);
}

// Price and memory follow the window: it is no longer than the default deadline asks for.
TEST(Counts, remember_for_twice_the_default_deadline) {
    const Counted count{"visits", {{"pk", "home"}}, "n"};
    EXPECT_EQ(count.lasts(), plan_for(Retries::perdure).deadline);
    EXPECT_EQ(Counted{count}.window(1min).lasts(), 30s);
}

TEST(Counts, find_their_own_id_in_any_of_the_sets) {
    const CallFacts facts{.id = "me"};
    const Counted count{"visits", {{"pk", "home"}}, "n"};
    EXPECT_EQ(count.landed({}, facts).verdict(), Verdict::no);
    EXPECT_EQ(
        count.landed(Item{{"n", 4}, {"perdure_counted_0", StringSet{"you"}}}, facts).verdict(),
        Verdict::no);
    for (const char* set :
         {"perdure_counted_0", "perdure_counted_1", "perdure_counted_2", "perdure_counted_3"}) {
        auto landed = count.landed(Item{{"n", 5}, {set, StringSet{"you", "me"}}}, facts);
        ASSERT_EQ(landed.verdict(), Verdict::yes);
        EXPECT_EQ(landed.value().value.text(), "5");
        EXPECT_TRUE(landed.value().found_out);
    }
    std::string body;
    EXPECT_FALSE((Counted{"visits", {{"pk", "home"}}, "pk"}.append_body(body, facts)));
    EXPECT_FALSE((Counted{"visits", {{"pk", "home"}}, "n"}.window(1ms).append_body(body, facts)));
}

class Updates : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, Updates, ::testing::Values(Way::blocking, Way::coroutine), name_of);

// The caller knows how to see it, so nobody has to guess.
TEST_P(Updates, are_looked_for_before_they_are_repeated) {
    for (const bool applied : {false, true}) {
        std::atomic<int> writes = 0, reads = 0;
        Server server{[&](const Seen& seen) {
            if (operation_of(seen) == "UpdateItem") return ++writes == 1 ? lost() : said("{}");
            ++reads;
            EXPECT_NE(seen.body.find(R"("ConsistentRead":true)"), std::string::npos);
            return said(applied ? R"({"Item":{"state":{"S":"paid"}}})"
                                : R"({"Item":{"state":{"S":"open"}}})");
        }};
        Client client{talking_to(server)};
        const auto paid = [](const std::optional<Item>& now) {
            if (!now) return Verdict::unknown;
            return *now->get<std::string>("state") == "paid" ? Verdict::yes : Verdict::no;
        };
        const auto done = ask(client, UpdateItem{"orders", {{"pk", "a"}}}
                                          .update("SET #s = :p")
                                          .name("#s", "state")
                                          .value(":p", "paid")
                                          .landed(paid));
        ASSERT_TRUE(done) << to_string(done.error());
        EXPECT_EQ(done->found_out, applied);
        EXPECT_EQ(writes, applied ? 1 : 2);
        EXPECT_GE(reads, 1);
    }
}

}  // namespace
}  // namespace perdure::dynamodb

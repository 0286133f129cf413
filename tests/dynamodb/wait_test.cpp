// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/wait.hpp"

#include <mutex>
#include <utility>

#include "dynamodb/scripted_service.hpp"

namespace perdure::dynamodb {
namespace {

// A table that takes its time, told by what is asked of it.
class Administration {
public:
    enum class State : std::uint8_t { missing, creating, active, deleting };

    // So many questions until it is done with what it is doing.
    void begin(State state, int questions) {
        const std::lock_guard held{mutex_};
        state_ = state;
        left_ = questions;
    }
    http::Reply operator()(const Told& told) {
        const std::lock_guard held{mutex_};
        if (told.operation == "DescribeTable") return describe();
        if (told.operation == "CreateTable") return create();
        return remove();
    }
    void lose_the_next_answer() { lose_ = true; }
    std::string key = "pk";

private:
    http::Reply described(std::string_view member) const {
        const std::string_view word = state_ == State::creating ? "CREATING"
                                      : state_ == State::active ? "ACTIVE"
                                                                : "DELETING";
        return said(R"({")" + std::string{member} + R"(":{"TableName":"t","TableStatus":")" +
                    std::string{word} + R"(","AttributeDefinitions":[{"AttributeName":")" + key +
                    R"(","AttributeType":"S"}],"KeySchema":[{"AttributeName":")" + key +
                    R"(","KeyType":"HASH"}]}})");
    }
    http::Reply describe() {
        const bool over = left_ > 0 && --left_ == 0;
        if (over && state_ == State::creating) state_ = State::active;
        if (over && state_ == State::deleting) state_ = State::missing;
        return state_ == State::missing ? refused_reply("ResourceNotFoundException")
                                        : described("Table");
    }
    http::Reply create() {
        if (state_ != State::missing) return refused_reply("ResourceInUseException");
        state_ = State::creating;
        left_ = 2;
        if (std::exchange(lose_, false)) return http::status(500);
        return described("TableDescription");
    }
    http::Reply remove() {
        if (state_ == State::missing) return refused_reply("ResourceNotFoundException");
        if (state_ != State::active) return refused_reply("ResourceInUseException");
        state_ = State::deleting;
        left_ = 2;
        if (std::exchange(lose_, false)) return http::status(500);
        return described("TableDescription");
    }

    std::mutex mutex_;
    State state_ = State::missing;
    int left_ = 0;
    bool lose_ = false;
};
using State = Administration::State;

class Wait : public ::testing::TestWithParam<Way> {
protected:
    static bool blocking() { return GetParam() == Way::blocking; }
    static WaitOptions quickly() {
        WaitOptions options;
        options.every = 1ms;
        options.longest = 2ms;
        options.within = 5s;
        return options;
    }
    Result<TableDescription> until_active(WaitOptions options = quickly()) {
        return blocking() ? wait_until_active(service.client(), "t", options)
                          : wait_for(start_wait_until_active(service.client(), "t", options));
    }
    Result<void> until_gone() {
        return blocking() ? wait_until_gone(service.client(), "t", quickly())
                          : wait_for(start_wait_until_gone(service.client(), "t", quickly()));
    }
    Result<TableDescription> ensure() {
        const CreateTable table{"t", "pk"};
        return blocking() ? ensure_table(service.client(), table, quickly())
                          : wait_for(start_ensure_table(service.client(), table, quickly()));
    }
    Result<void> gone() {
        return blocking() ? ensure_gone(service.client(), "t", quickly())
                          : wait_for(start_ensure_gone(service.client(), "t", quickly()));
    }
    void begin(State state, int questions = 2) { tables.begin(state, questions); }

    Administration tables;
    Service service{[this](const Told& told) { return tables(told); }, 4};
};
INSTANTIATE_TEST_SUITE_P(, Wait, ::testing::Values(Way::blocking, Way::coroutine), name_of);

TEST_P(Wait, sees_a_table_become_active) {
    begin(State::creating, 3);
    const auto table = until_active();
    ASSERT_TRUE(table) << to_string(table.error());
    EXPECT_EQ(table->status, TableStatus::active);
    EXPECT_EQ(service.order(), "DescribeTable DescribeTable DescribeTable");
}

TEST_P(Wait, takes_a_table_that_is_not_there_for_one_that_is_not_there_yet) {
    begin(State::missing);
    // The third pause would be of 5 s or more: it ends between two questions, never within one.
    WaitOptions options = quickly();
    options.factor = 100;
    options.longest = 1h;
    options.within = 4s;
    const auto table = until_active(options);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().stop, Stop::deadline);
    EXPECT_EQ(table.error().code, "not-yet");
    EXPECT_EQ(table.error().message, "there is no such table");
    EXPECT_EQ(table.error().effect, Effect::none);
    EXPECT_EQ(service.heard().size(), 3u);
    EXPECT_LT(table.error().elapsed, 4s + 500ms);
}

TEST_P(Wait, sees_a_table_go) {
    begin(State::deleting, 3);
    EXPECT_TRUE(until_gone());
    EXPECT_EQ(service.order(), "DescribeTable DescribeTable DescribeTable");
}

TEST_P(Wait, ends_when_told) {
    begin(State::creating, 1'000'000);
    std::stop_source stop;
    stop.request_stop();
    WaitOptions options = quickly();
    options.stop = stop.get_token();
    const auto table = until_active(options);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().stop, Stop::cancelled);
}

TEST_P(Wait, ends_at_once_where_asking_is_forbidden) {
    Service closed{[](const Told&) { return refused_reply("AccessDeniedException"); }, 4};
    const auto table = blocking()
                           ? wait_until_active(closed.client(), "t", quickly())
                           : wait_for(start_wait_until_active(closed.client(), "t", quickly()));
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().cause, Cause::forbidden);
    EXPECT_EQ(table.error().stop, Stop::permanent);
    EXPECT_EQ(closed.heard().size(), 1u);
}

TEST_P(Wait, makes_a_table_and_waits_for_it) {
    begin(State::missing);
    const auto table = ensure();
    ASSERT_TRUE(table) << to_string(table.error());
    EXPECT_EQ(table->status, TableStatus::active);
    EXPECT_EQ(service.order(), "DescribeTable CreateTable DescribeTable DescribeTable");
}

TEST_P(Wait, makes_no_table_that_is_there) {
    begin(State::active);
    ASSERT_TRUE(ensure());
    EXPECT_EQ(service.order(), "DescribeTable");
}

TEST_P(Wait, knows_its_own_table_when_the_answer_was_lost) {
    begin(State::missing);
    tables.lose_the_next_answer();
    const auto table = ensure();
    ASSERT_TRUE(table) << to_string(table.error());
    EXPECT_EQ(service.order(), "DescribeTable CreateTable DescribeTable DescribeTable");
}

TEST_P(Wait, takes_no_table_with_another_key) {
    begin(State::active);
    tables.key = "id";
    const auto table = ensure();
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().cause, Cause::conflict);
    EXPECT_EQ(table.error().code, "other-key");
    EXPECT_EQ(table.error().effect, Effect::none);
}

TEST_P(Wait, deletes_a_table_and_sees_it_gone) {
    begin(State::active);
    EXPECT_TRUE(gone());
    EXPECT_EQ(service.order(), "DescribeTable DeleteTable DescribeTable DescribeTable");
}

TEST_P(Wait, deletes_nothing_that_is_gone_or_going) {
    begin(State::missing);
    EXPECT_TRUE(gone());
    begin(State::deleting);
    EXPECT_TRUE(gone());
    EXPECT_EQ(service.order(), "DescribeTable DescribeTable DescribeTable");
}

TEST_P(Wait, deletes_a_table_that_is_just_being_made_when_it_can) {
    begin(State::creating, 2);
    EXPECT_TRUE(gone());
    EXPECT_EQ(service.order(),
              "DescribeTable DeleteTable DescribeTable DeleteTable DescribeTable DescribeTable");
}

TEST_P(Wait, looks_again_when_the_answer_to_a_deletion_was_lost) {
    begin(State::active);
    tables.lose_the_next_answer();
    EXPECT_TRUE(gone());
    EXPECT_EQ(service.order(), "DescribeTable DeleteTable DescribeTable DescribeTable");
}

TEST_P(Wait, says_at_once_what_is_wrong_with_the_client) {
    Client client{ClientOptions{.surroundings = {}}};
    ASSERT_TRUE(client.problem());
    const auto table = blocking() ? wait_until_active(client, "t")
                                  : wait_for(start_wait_until_active(client, "t"));
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().cause, client.problem()->cause);
}

}  // namespace
}  // namespace perdure::dynamodb

// SPDX-License-Identifier: Apache-2.0
//
// What does each request say when it was done and the answer was lost? And what about those that only
// look so?
#include "cosmos/orders.hpp"
#include "cosmos/request_stage.hpp"

namespace perdure::cosmos {
namespace {

const std::string json = R"({"id":"i","pk":"A","n":1})";

class LostAnswers : public DrivenBothWays {
protected:
    // The first answers to this method are lost after the request was done.
    void lose(const std::string& method, std::uint64_t answers = 1) {
        chaos::GatewayFault fault;
        fault.method = method;
        fault.resource = "docs";
        fault.to = answers;
        fault.strikes = chaos::Strikes::after_applying;
        fault.ending = chaos::FaultEnding::reset;
        stage_.gateway().plan({fault});
    }
    void make() {
        const auto made = stage_.client().send(CreateItem{stage_.name, json, key_a});
        ASSERT_TRUE(made) << to_string(made.error());
        etag_ = made->etag;
    }
    template <class R>
    auto ask(const R& request) {
        return DrivenBothWays::ask(stage_.client(), request);
    }

    RequestStage stage_;
    std::string etag_{};
};

TEST_P(LostAnswers, leave_a_plain_creation_unknown) {
    lose("POST");
    const auto made = ask(CreateItem{stage_.name, json, key_a});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().effect, Effect::unknown);
    EXPECT_EQ(made.error().stop, Stop::unsafe);
    EXPECT_EQ(stage_.writes_of("i"), 1u);
}

TEST_P(LostAnswers, are_found_out_by_create_once) {
    lose("POST", 2);
    const auto made = ask(CreateOnce{stage_.name, json, key_a});
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_TRUE(made->found_out);
    EXPECT_EQ(stage_.writes_of("i"), 1u);
}

TEST_P(LostAnswers, do_not_make_create_once_take_anothers_item_for_its_own) {
    make();
    const auto plain = ask(CreateOnce{stage_.name, json, key_a});
    ASSERT_FALSE(plain);
    EXPECT_EQ(plain.error().cause, Cause::conflict);
    EXPECT_EQ(plain.error().effect, Effect::none);
    EXPECT_EQ(stage_.writes_of("i"), 1u);
}

TEST_P(LostAnswers, of_another_process_are_found_out_by_its_token) {
    const auto made = ask(CreateOnce{stage_.name, json, key_a}.token("job-7"));
    ASSERT_TRUE(made) << to_string(made.error());
    const auto again = ask(CreateOnce{stage_.name, json, key_a}.token("job-7"));
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_FALSE(made->found_out);
    EXPECT_TRUE(again->found_out);
    const auto other = ask(CreateOnce{stage_.name, json, key_a}.token("job-8"));
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().cause, Cause::conflict);
    EXPECT_EQ(other.error().effect, Effect::none);
    EXPECT_EQ(stage_.writes_of("i"), 1u);
}

TEST_P(LostAnswers, are_found_out_by_replace_versioned) {
    make();
    lose("PUT", 2);
    const auto kept = ask(ReplaceVersioned{stage_.name, "i", key_a, json, etag_});
    ASSERT_TRUE(kept) << to_string(kept.error());
    EXPECT_TRUE(kept->found_out);
    EXPECT_EQ(stage_.writes_of("i"), 2u);
    const auto late = ask(ReplaceVersioned{stage_.name, "i", key_a, json, etag_});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().cause, Cause::conflict);
    EXPECT_EQ(late.error().effect, Effect::none);
}

TEST_P(LostAnswers, leave_a_conflict_of_a_conditional_write_unknown) {
    make();
    lose("PUT");
    const auto kept = ask(ReplaceItem{stage_.name, "i", key_a, json}.if_match(etag_));
    ASSERT_FALSE(kept);
    EXPECT_EQ(kept.error().cause, Cause::conflict);
    EXPECT_EQ(kept.error().effect, Effect::unknown);
    EXPECT_EQ(stage_.writes_of("i"), 2u);
}

TEST_P(LostAnswers, are_repeated_where_the_caller_says_so) {
    make();
    lose("POST");
    const auto put = ask(UpsertItem{stage_.name, json, key_a}.idempotent());
    ASSERT_TRUE(put) << to_string(put.error());
    lose("PATCH");
    const auto set =
        ask(PatchItem{stage_.name, "i", key_a, Patch{}.set("/n", 2)}.idempotent().returning_item());
    ASSERT_TRUE(set) << to_string(set.error());
    EXPECT_NE(set->json.find("\"n\":2"), std::string::npos) << set->json;
    lose("DELETE");
    const auto gone = ask(DeleteItem{stage_.name, "i", key_a}.idempotent());
    ASSERT_TRUE(gone) << to_string(gone.error());
    EXPECT_FALSE(gone->was_there);
}

// Another may have deleted the item in between, and a repeat would make it again.
TEST_P(LostAnswers, do_not_make_an_upsert_of_one_version_repeat_itself) {
    make();
    lose("POST");
    const auto put = ask(UpsertItem{stage_.name, json, key_a}.if_match(etag_));
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().effect, Effect::unknown);
    EXPECT_EQ(put.error().stop, Stop::unsafe);
    EXPECT_EQ(stage_.writes_of("i"), 2u);
}

TEST_P(LostAnswers, are_not_repeated_where_he_does_not) {
    make();
    lose("PATCH");
    const auto counted = ask(PatchItem{stage_.name, "i", key_a, Patch{}.increment("/n", 1)});
    ASSERT_FALSE(counted);
    EXPECT_EQ(counted.error().effect, Effect::unknown);
    lose("DELETE");
    const auto gone = ask(DeleteItem{stage_.name, "i", key_a});
    ASSERT_FALSE(gone);
    EXPECT_EQ(gone.error().effect, Effect::unknown);
    EXPECT_EQ(stage_.writes_of("i"), 3u);
}

TEST_P(LostAnswers, of_batches_are_found_out_by_their_marker) {
    make();
    lose("POST");
    const Batch plain = Batch{stage_.name, key_a}.create(R"({"id":"b1","pk":"A"})").read("i");
    const auto lost = ask(plain);
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().effect, Effect::unknown);
    lose("POST");
    const auto found = ask(Batch{stage_.name, key_a}
                               .create(R"({"id":"b2","pk":"A"})")
                               .marked_by(R"({"id":"job-1","pk":"A"})"));
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_TRUE(found->found_out);
    EXPECT_EQ(stage_.writes_of("b1") + stage_.writes_of("b2"), 2u);
}

TEST_P(LostAnswers, are_none_when_a_batch_is_refused) {
    make();
    const auto refused = ask(
        Batch{stage_.name, key_a}.create(R"({"id":"b1","pk":"A"})").create(json).remove("nobody"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().cause, Cause::conflict);
    EXPECT_EQ(refused.error().effect, Effect::none);
    EXPECT_NE(refused.error().message.find("operation 2"), std::string::npos)
        << refused.error().message;
    EXPECT_EQ(stage_.writes_of("b1"), 0u);

    const auto done = ask(Batch{stage_.name, key_a}
                              .create(R"({"id":"b1","pk":"A"})")
                              .patch("i", Patch{}.increment("/n", 5))
                              .read("i")
                              .remove("b1"));
    ASSERT_TRUE(done) << to_string(done.error());
    ASSERT_EQ(done->results.size(), 4u);
    EXPECT_NE(done->results[2].body.find("\"n\":6"), std::string::npos) << done->results[2].body;
}

TEST_P(LostAnswers, of_a_new_database_that_was_never_made_do_not_end_its_making) {
    chaos::GatewayFault fault;
    fault.method = "POST";
    fault.resource = "dbs";
    fault.to = 1;
    fault.strikes = chaos::Strikes::before_applying;
    fault.ending = chaos::FaultEnding::reset;
    stage_.gateway().plan({fault});
    const CreateDatabase wanted{"late"};
    const auto made = blocking() ? ensure_database(stage_.client(), wanted)
                                 : await(start_ensure_database(stage_.client(), wanted));
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(made->id, "late");
}

TEST_P(LostAnswers, of_a_new_container_are_found_out_by_looking) {
    chaos::GatewayFault fault;
    fault.method = "POST";
    fault.resource = "colls";
    fault.strikes = chaos::Strikes::after_applying;
    fault.ending = chaos::FaultEnding::reset;
    stage_.gateway().plan({fault});
    const CreateContainer wanted{{"db", "late"}, {"/tenant", "/user"}};
    const auto made = blocking() ? ensure_container(stage_.client(), wanted)
                                 : await(start_ensure_container(stage_.client(), wanted));
    ASSERT_TRUE(made) << to_string(made.error());
    EXPECT_EQ(made->properties.key.paths, (std::vector<std::string>{"/tenant", "/user"}));

    const CreateContainer other{{"db", "late"}, {"/tenant"}};
    const auto refused = blocking() ? ensure_container(stage_.client(), other)
                                    : await(start_ensure_container(stage_.client(), other));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "other-key");
    const auto again = blocking()
                           ? ensure_database(stage_.client(), CreateDatabase{"db"})
                           : await(start_ensure_database(stage_.client(), CreateDatabase{"db"}));
    EXPECT_TRUE(again);
}

INSTANTIATE_TEST_SUITE_P(, LostAnswers, ::testing::Values(Driven::blocking, Driven::coroutine),
                         driven_name);

}  // namespace
}  // namespace perdure::cosmos

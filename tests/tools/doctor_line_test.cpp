// SPDX-License-Identifier: Apache-2.0
#include "doctor/journal_line.hpp"

#include <gtest/gtest.h>

#include "doctor/report.hpp"
#include "doctor/tally.hpp"

namespace tool::doctor {
namespace {

// Keeps the room behind the line that the reader asks for.
class Lines : public ::testing::Test {
protected:
    LineKind read(std::string line) {
        const std::size_t size = line.size();
        text_ = std::move(line);
        text_.resize(size + LineReader::padding, 'x');
        return reader.read({text_.data(), size});
    }
    LineReader reader;

private:
    std::string text_;
};

constexpr const char* whole =
    R"({"kind":"call","time_unix_nano":1794000000000000000,"service.name":"shop",)"
    R"("service.instance.id":"host-7","peer.service":"orders","operation":"get","elapsed_ns":70000000,)"
    R"("cpu_ns":30000,"succeeded":true,"attempts_made":2,"weight":3,"subject":"00000000000000aa",)"
    R"("request_bytes":512,"attempt_timeout_ns":50000000,"new_member":{"a":[1,2]},"attempts":[)"
    R"({"number":1,"started_ns":0,"took_ns":50000000,"server.address":"east","phases":{"reached":"dns",)"
    R"("sent":"nothing","dns_ns":50000000},"cause":"timed_out","effect":"none","code":"T\"1","request_id":"r-1"},)"
    R"({"number":2,"started_ns":60000000,"took_ns":10000000,"waited_before_ns":10000000,"succeeded":true}]})";

TEST_F(Lines, a_call_is_read_with_its_attempts) {
    ASSERT_EQ(read(whole), LineKind::call) << reader.wrong();
    const CallLine& call = reader.call();
    EXPECT_EQ(call.instance, "host-7");
    EXPECT_EQ(call.weight, 3U);
    EXPECT_EQ(call.elapsed, 70'000'000);
    ASSERT_EQ(call.attempts.size(), 2U);
    EXPECT_EQ(call.attempts[0].cause, Cause::timed_out);
    EXPECT_EQ(call.attempts[0].reached, Phase::dns);
    EXPECT_EQ(call.attempts[0].code, "T\"1");
    EXPECT_EQ(call.attempts[1].waited, 10'000'000);
    EXPECT_TRUE(call.attempts[1].succeeded);
}

TEST_F(Lines, the_kind_may_stand_last_and_nothing_of_the_line_before_remains) {
    ASSERT_EQ(read(whole), LineKind::call);
    ASSERT_EQ(read(R"({"elapsed_ns":1.0,"succeeded":true,"time_unix_nano":5,"kind":"call"})"),
              LineKind::call);
    EXPECT_TRUE(reader.call().attempts.empty());
    EXPECT_EQ(reader.call().weight, 1U);
    EXPECT_TRUE(reader.call().instance.empty());
    EXPECT_EQ(reader.call().elapsed, 1);
    ASSERT_EQ(read(R"({"kind":"process","time_unix_nano":5,"process.cpu.utilization":0.5,)"
                   R"("tick_late_ns":7,"interval_ns":1000000000,"dropped_lines":2})"),
              LineKind::process);
    EXPECT_EQ(reader.process().tick_late, 7);
    EXPECT_EQ(read(R"({"kind":"journal","event":"started","version":1})"), LineKind::journal);
}

TEST_F(Lines, what_cannot_be_read_says_why) {
    for (const char* line :
         {"", "{", "17", "[]", "null", "{}", R"({"kind":"song"})", R"({"kind":"call"})",
          R"({"kind":"call","time_unix_nano":5} x)", R"({"kind":"call","time_unix_nano":-5})",
          R"({"kind":"call","time_unix_nano":"5"})",
          R"({"kind":"call","time_unix_nano":5,"attempts":{}})",
          R"({"kind":"call","time_unix_nano":5,"attempts":[7]})",
          R"({"kind":"call","time_unix_nano":5,"weight":0})",
          R"({"kind":"call","time_unix_nano":5,"elapsed_ns":1e300})",
          R"({"kind":"call","time_unix_nano":5,"attempts":[{"cause":"gremlins"}]})",
          R"({"kind":"call","time_unix_nano":5,"operation":")"
          "\xff\"}",
          R"({"kind":"call","time_unix_nano":5,"operation":"cut of)"}) {
        EXPECT_EQ(read(line), LineKind::unreadable) << line;
        EXPECT_FALSE(reader.wrong().empty()) << line;
    }
    EXPECT_EQ(read(whole), LineKind::call) << "a bad line spoils nothing";
}

TEST_F(Lines, every_prefix_of_a_line_is_refused_without_harm) {
    const std::string text = whole;
    for (std::size_t size = 0; size < text.size(); ++size)
        EXPECT_EQ(read(text.substr(0, size)), LineKind::unreadable) << size;
}

CallLine call_of(std::vector<AttemptLine> attempts) {
    return {.began = second, .instance = "a", .succeeded = true, .attempts = std::move(attempts)};
}

TEST(Trouble, is_what_a_retry_may_mend_and_not_an_answer_or_a_lost_race) {
    const CallLine plain = call_of({{.cut_off = true}});
    EXPECT_EQ(trouble_of(plain.attempts[0], plain), Cause::timed_out);
    const CallLine race = call_of({{.cut_off = true}, {.hedge = true, .succeeded = true}});
    EXPECT_FALSE(trouble_of(race.attempts[0], race));
    CallLine unwanted = call_of({{.cut_off = true}});
    unwanted.stop = Stop::cancelled;
    EXPECT_FALSE(trouble_of(unwanted.attempts[0], unwanted));
    const CallLine answers = call_of({{.cause = Cause::not_found}, {.cause = Cause::throttled}});
    EXPECT_FALSE(trouble_of(answers.attempts[0], answers));
    EXPECT_EQ(trouble_of(answers.attempts[1], answers), Cause::throttled);
}

TEST(TallyOfCalls, counts_answers_apart_from_failures) {
    Tally tally;
    CallLine call = call_of({{.cause = Cause::not_found}});
    call.succeeded = false;
    call.stop = Stop::permanent;
    tally.add(call);
    EXPECT_EQ(tally.answered_no, 1U);
    EXPECT_EQ(tally.failed, 0U);
    EXPECT_EQ(tally.affected, 0U);
    call.attempts[0].cause = Cause::unavailable;
    call.stop = Stop::attempts;
    tally.add(call);
    EXPECT_EQ(tally.failed, 1U);
    // Refused before any attempt: the breaker, the limiter.
    call.attempts.clear();
    call.stop = Stop::breaker;
    tally.add(call);
    EXPECT_EQ(tally.failed, 2U);
}

TEST_F(Lines, attempts_that_ended_after_their_deadline_are_counted_and_told) {
    ASSERT_EQ(read(R"({"kind":"call","time_unix_nano":5,"weight":3,"succeeded":true,"attempts":[)"
                   R"({"number":1,"took_ns":9,"overran_ns":4,"succeeded":true}]})"),
              LineKind::call)
        << reader.wrong();
    EXPECT_EQ(reader.call().attempts[0].overran, 4);
    Report report;
    report.tally.add(reader.call());
    EXPECT_EQ(report.tally.overran, 3U);
    EXPECT_NE(as_text(report).find("3 attempts ended after the deadline"), std::string::npos);
    EXPECT_NE(as_json(report).find(R"("attempts_overran":3)"), std::string::npos);
}

TEST(TallyOfCalls, stays_bounded_and_keeps_what_is_hot) {
    Tally tally;
    for (int i = 0; i < 100'000; ++i) {
        const bool hot = i % 10 == 0;
        const std::string name = hot ? "hot" : "cold-" + std::to_string(i);
        CallLine call = call_of(
            {{.cause = hot ? std::optional{Cause::throttled} : std::nullopt, .address = name},
             {.succeeded = true}});
        call.subject = call.instance = call.operation = name;
        tally.add(call);
    }
    EXPECT_LE(tally.subjects.rows().size(), 20'000U);
    EXPECT_LE(tally.instances.rows().size(), 257U);
    EXPECT_LE(tally.places.rows().size(), 129U);
    EXPECT_LE(tally.works.rows().size(), 257U);
    EXPECT_EQ(tally.subjects.rows().at("hot").limited, 10'000U);
    EXPECT_EQ(tally.calls, 100'000U);
}

}  // namespace
}  // namespace tool::doctor

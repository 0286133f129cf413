// SPDX-License-Identifier: Apache-2.0
//
// What does a load say while it runs, and with which status does a failure end it?
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "exit_code.hpp"
#include "load/engine/crew.hpp"
#include "load/engine/load_progress.hpp"
#include "load/engine/load_status.hpp"
#include "load/engine/of_input.hpp"
#include "load/engine/verify.hpp"
#include "perdure/testing/virtual_clock.hpp"
#include "tools/load_memory_target.hpp"

namespace tool::load {
namespace {

using namespace perdure;

// Has one input, and says of every other that it is new.
class CopiedTarget final : public MemoryTarget {
public:
    [[nodiscard]] Result<std::optional<SourceEntry>> entry(std::string_view name) override {
        return name == "in" ? MemoryTarget::entry(name) : Result<std::optional<SourceEntry>>{};
    }
    [[nodiscard]] Result<std::vector<SourceEntry>> begun_alike(const SourceEntry&) override {
        return std::vector<SourceEntry>{**MemoryTarget::entry("in")};
    }
};

// Hours pass with an input of some hundred gigabytes.
TEST(LoadProgress, says_that_content_is_compared_under_another_name_and_how_much_was) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("perdure-compared-" + std::to_string(::getpid()) + ".jsonl");
    std::ofstream{path} << "{\"id\":1}\n{\"id\":2}\n";
    const Schema schema{.columns = {{.name = "id", .type = Type::integer}}};
    CopiedTarget target;
    Tally tally;
    for (const char* name : {"in", "copy"}) {
        Feed feed{target, {{.options = {.path = path}, .name = name}}, {}, tally};
        EXPECT_FALSE((Crew{target, feed, schema, tally, {.workers = 1}}.end().failure)) << name;
    }
    EXPECT_EQ(target.ids.size(), 2u);
    EXPECT_EQ(tally.bytes_checked, 18u);
    EXPECT_EQ(tally.bytes_to_check, 18u);
    EXPECT_FALSE(tally.checking);
    tally.checking = true;
    tally.bytes_checked = std::uint64_t{3} << 20u;
    tally.bytes_to_check = std::uint64_t{5000} << 20u;
    LoadProgress progress{tally, target, perdure::system_clock()};
    EXPECT_EQ(progress.words(), "comparing what was loaded before with the input: 3 of 5,000 MiB");
    tally.bytes_to_check = 0;
    EXPECT_EQ(progress.words(), "comparing what was loaded before with the input: 3 MiB");
    std::filesystem::remove(path);
}

TEST(LoadProgress, says_when_it_goes_on_how_much_of_the_input_is_to_be_compared) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("perdure-resumed-" + std::to_string(::getpid()) + ".jsonl");
    std::ofstream{path} << "{\"id\":1}\n{\"id\":2}\n";
    const Schema schema{.columns = {{.name = "id", .type = Type::integer}}};
    MemoryTarget target;
    Tally tally;
    for (const std::uint64_t to_check : {0u, 18u}) {
        Feed feed{target, {{.options = {.path = path}, .name = "in"}}, {}, tally};
        EXPECT_FALSE((Crew{target, feed, schema, tally, {.workers = 1}}.end().failure));
        EXPECT_EQ(tally.bytes_to_check, to_check);
        std::ofstream{path, std::ios::app} << "{\"id\":3}\n";
    }
    std::filesystem::remove(path);
}

TEST(LoadProgress, says_for_whom_it_waits_and_how_long_instead_of_the_time_left) {
    MemoryTarget target;
    Tally tally;
    tally.bytes_all = 100;
    perdure::testing::VirtualClock clock;
    LoadProgress progress{tally, target, clock};
    tally.bytes_done = 50;
    tally.records = 10;
    EXPECT_EQ(progress.words(), "50 % · 10 rows · 0/s");
    clock.advance(10s);
    tally.bytes_done = 97;
    tally.records = 20;
    EXPECT_EQ(progress.words(), "97 % · 20 rows · 2/s · 1 s left");
    target.waits =
        Waiting{.reason = "Connection refused", .attempt = 3, .since = clock.now(), .allowed = 60s};
    EXPECT_EQ(progress.words(), "97 % · 20 rows · 2/s · 1 s left") << "for less than a second";
    clock.advance(12s);
    EXPECT_EQ(progress.words(), "97 % · 20 rows · 1/s · waiting for memory, 12 s of 60 s, "
                                "attempt 3: Connection refused");
    target.waits.reset();
    tally.rejected = 1;
    EXPECT_EQ(progress.words(), "97 % · 20 rows · 1/s · 1 s left · 1 rejected");
}

TEST(LoadProgress, puts_what_it_waits_for_in_front_of_what_went_wrong) {
    EXPECT_EQ(in_words(Moment{.done = 1,
                              .rejected = 2,
                              .share = 1.0,
                              .seconds_left = 7,
                              .target = {.retries = 3, .throttled = 4, .unknown = 5},
                              .waiting = "waiting for memory, 2 s"}),
              "100 % · 1 row · 0/s · waiting for memory, 2 s · 2 rejected · 3 retries · "
              "4 throttled · 5 unknown");
}

TEST(LoadStatus, tells_a_name_that_does_not_exist_from_a_resolver_that_does_not_answer) {
    const auto of_name = [](const char* code) {
        return Failure{.cause = Cause::unavailable, .code = code};
    };
    EXPECT_EQ(status_of(of_name("ARES_ENOTFOUND")), exit_code::needs_person);
    EXPECT_EQ(status_while_loading(of_name("ARES_ENOTFOUND")), exit_code::needs_person);
    EXPECT_EQ(status_of(of_name("ARES_ETIMEOUT")), exit_code::stopped);
    EXPECT_EQ(status_of(of_name("ARES_ECONNREFUSED")), exit_code::stopped);
}

TEST(LoadStatus, is_the_one_of_the_table_for_every_cause) {
    const struct {
        Failure failure;
        int before;
        int while_loading;
    } cases[] = {
        {{.cause = Cause::credentials}, 7, 7},
        {{.cause = Cause::forbidden}, 7, 7},
        {{.cause = Cause::not_found}, 7, 7},
        {{.cause = Cause::too_large}, 7, 7},
        {{.cause = Cause::invalid}, 7, 7},  // the target says so
        {{.cause = Cause::invalid, .origin = Origin::application}, 125, 7},
        {{.cause = Cause::invalid, .origin = Origin::application, .dependency = input_mark}, 3, 3},
        {{.cause = Cause::invalid, .origin = Origin::application, .code = "no-credentials"}, 7, 7},
        {{.cause = Cause::corrupt, .dependency = input_mark}, 3, 3},
        {{.cause = Cause::unavailable}, 5, 5},
        {{.cause = Cause::throttled}, 5, 5},
        {{.cause = Cause::conflict}, 5, 5},
    };
    for (const auto& at : cases) {
        EXPECT_EQ(status_of(at.failure), at.before) << to_string(at.failure);
        EXPECT_EQ(status_while_loading(at.failure), at.while_loading) << to_string(at.failure);
    }
}

TEST(LoadProgress, says_how_much_was_verified) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("perdure-verified-" + std::to_string(::getpid()) + ".jsonl");
    std::ofstream{path} << "{\"id\":1}\n{\"id\":2}\n";
    MemoryTarget target;
    Tally tally;
    const Schema schema{.columns = {{.name = "id", .type = Type::integer}}};
    ASSERT_TRUE(verify(target, {{.options = {.path = path}, .name = "in"}}, schema, {},
                       &tally.bytes_verified));
    EXPECT_EQ(tally.bytes_verified, 18u);
    std::filesystem::remove(path);
    tally.bytes_all = 72;
    EXPECT_EQ(verifying_words(tally, 90s),
              "verifying: 25 % of the inputs are read again and compared with the table (90 s)");
    tally.bytes_all = 0;
    EXPECT_EQ(verifying_words(tally, 1s),
              "verifying: the inputs are read again and compared with the table (1 s)");
}

}  // namespace
}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
//
// A small body in gzip can hold gigabytes: is it unpacked in bounded steps, under the attempt's clock?
#include "../../src/http/unpacking.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "http/asking.hpp"
#include "http/packed.hpp"

namespace perdure::http {
namespace {

constexpr std::size_t step_size = 262'144;
// What one call of zlib may read and write beyond that.
constexpr std::size_t slack = 32'768;
constexpr std::size_t bomb_size = 16u << 20;

const std::string& bomb() {
    static const std::string bytes = packed(std::string(bomb_size, '\0'));
    return bytes;
}

// Each look at it moves it by a second, so its readings count turns.
class CountingClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const noexcept override {
        return TimePoint{Duration{1s} * ++readings_};
    }
    [[nodiscard]] WallTime wall() const noexcept override { return system_clock().wall(); }
    Woken sleep_until(TimePoint, const std::stop_token&) override { return Woken::on_time; }
    [[nodiscard]] int readings() const noexcept { return readings_; }

private:
    mutable std::atomic<int> readings_{0};
};

ClientOptions unpacking(Duration deadline, std::size_t limit = 2 * bomb_size,
                        Clock& clock = system_clock()) {
    return {.plan = {.name = "test", .deadline = deadline, .rule = {.attempts = 1}},
            .limits = {.decompressed = limit},
            .proxy_from = ProxyFrom::nowhere,
            .encoding = AskFor::gzip,
            .environment = {.clock = clock}};
}

Reply packed_reply(const std::string& body, int code = 200) {
    return status(code, body, "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n");
}

TEST(Unpacking, does_no_more_in_a_step_than_it_was_told_to) {
    Unpacking unpacking{2 * bomb_size};
    unpacking.received_more();
    std::size_t steps = 0;
    std::size_t total = 0;
    while (unpacking.more()) {
        const auto did = unpacking.step(bomb(), step_size);
        ASSERT_TRUE(did) << to_string(did.error());
        ASSERT_LE(*did, step_size + slack);
        total += *did;
        ++steps;
    }
    EXPECT_EQ(total, bomb_size + bomb().size());
    EXPECT_GE(steps, bomb_size / (step_size + slack));
    Response response{.status = 200, .body = bomb()};
    ASSERT_TRUE(unpacking.finish(response));
    EXPECT_EQ(response.body.size(), bomb_size);
}

TEST(Unpacking, bounds_a_step_also_where_the_bytes_hold_nothing) {
    std::string members;
    while (members.size() < 4 * step_size) members += packed("");
    Unpacking unpacking{1000};
    unpacking.received_more();
    std::size_t steps = 0;
    for (; unpacking.more(); ++steps) {
        const auto did = unpacking.step(members, step_size);
        ASSERT_TRUE(did);
        ASSERT_LE(*did, step_size + slack);
    }
    EXPECT_GE(steps, 4u);
}

TEST(Unpacking, gives_the_same_however_the_body_comes) {
    std::string text;
    for (int i = 0; i < 2'000; ++i) text += std::to_string(i * 7919);
    const std::string bytes = packed(text) + packed("end");
    for (const std::size_t piece : {std::size_t{1}, std::size_t{100}, bytes.size()}) {
        for (const std::size_t most : {std::size_t{1}, step_size}) {
            Unpacking unpacking{bomb_size};
            for (std::size_t end = 0; end < bytes.size();) {
                end = std::min(end + piece, bytes.size());
                unpacking.received_more();
                while (unpacking.more())
                    ASSERT_TRUE(unpacking.step(std::string_view{bytes}.substr(0, end), most));
            }
            Response response{.status = 200, .body = bytes};
            ASSERT_TRUE(unpacking.finish(response));
            EXPECT_EQ(response.body, text + "end") << piece << " " << most;
        }
    }
}

TEST(UnpackingClient, looks_at_the_clock_after_every_256_kb) {
    Server server{[](const Seen&) { return packed_reply(bomb()); }};
    CountingClock clock;
    Client client{server.url(), unpacking(1h, 2 * bomb_size, clock)};
    const auto got = client.send(Request::get("/"));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body.size(), bomb_size);
    EXPECT_FALSE(got->headers.find("content-encoding"));
    EXPECT_GE(clock.readings(), static_cast<int>(bomb_size / (step_size + slack)));
    EXPECT_EQ(client.connections().idle, 1);
}

TEST(UnpackingClient, gives_up_at_the_deadline_in_the_middle_of_a_body) {
    Server server{[](const Seen&) { return packed_reply(bomb()); }};
    CountingClock clock;
    Client client{server.url(), unpacking(60s, 2 * bomb_size, clock)};
    const auto got = client.send(Request::post("/"));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::timed_out) << to_string(got.error());
    EXPECT_EQ(got.error().code, "body-timeout");
    EXPECT_EQ(got.error().effect, Effect::applied);
    EXPECT_GE(got.error().elapsed, 15s) << "the time of unpacking counts";
    EXPECT_LE(got.error().elapsed, 62s);
}

class UnpackingBothWays : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, UnpackingBothWays, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(UnpackingBothWays, stops_at_the_limit_whatever_follows) {
    Server server{[](const Seen&) { return packed_reply(bomb()); }};
    Client client{server.url(), unpacking(5s, 1 << 20)};
    const auto got = ask(client, Request::get("/"));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().cause, Cause::too_large);
    EXPECT_EQ(got.error().code, "gzip");
}

TEST_P(UnpackingBothWays, reads_several_members_and_refuses_what_is_cut_short) {
    const std::string two = packed("one ") + packed("two");
    Server server{[&](const Seen& seen) {
        if (seen.target == "/cut") return packed_reply(two.substr(0, two.size() - 1));
        return packed_reply(seen.target == "/more" ? two + "garbage" : two);
    }};
    Client client{server.url(), unpacking(5s)};
    const auto got = ask(client, Request::get("/"));
    ASSERT_TRUE(got) << to_string(got.error());
    EXPECT_EQ(got->body, "one two");
    for (const char* const target : {"/cut", "/more"}) {
        SCOPED_TRACE(target);
        const auto damaged = ask(client, Request::post(target));
        ASSERT_FALSE(damaged);
        EXPECT_EQ(damaged.error().cause, Cause::corrupt);
        EXPECT_EQ(damaged.error().effect, Effect::applied);
    }
}

TEST_P(UnpackingBothWays, gives_refusals_unpacked_and_damaged_ones_as_they_came) {
    Server server{[](const Seen& seen) {
        return packed_reply(seen.target == "/damaged" ? "no gzip" : packed("what is wrong"), 404);
    }};
    Client client{server.url(), unpacking(5s)};
    Response answer;
    auto got = ask(client, Request::get("/"), {.last_answer = &answer});
    EXPECT_EQ(got.error().status, 404);
    EXPECT_NE(got.error().message.find("what is wrong"), std::string::npos);
    EXPECT_EQ(answer.body, "what is wrong");
    got = ask(client, Request::get("/damaged"), {.last_answer = &answer});
    EXPECT_EQ(got.error().status, 404);
    EXPECT_EQ(answer.body, "no gzip");
    EXPECT_TRUE(answer.headers.find("content-encoding"));
    got = ask(client, Request::post("/damaged").answers(404));
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code, "gzip");
    EXPECT_EQ(got.error().effect, Effect::unknown);
}

}  // namespace
}  // namespace perdure::http

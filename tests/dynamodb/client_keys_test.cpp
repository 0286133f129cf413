// SPDX-License-Identifier: Apache-2.0
//
// What happens while keys are being fetched, and when the service calls them expired?
#include "dynamodb/talking.hpp"

#include <atomic>
#include <mutex>

namespace perdure::dynamodb {
namespace {

// Gives what the test says, in its own time.
class ShelfOfKeys final : public Credentials {
public:
    std::shared_ptr<const Keys> current(WallTime) override {
        const std::lock_guard held{mutex_};
        if (empty_for_ > 0) --empty_for_;
        return empty_for_ > 0 ? nullptr : keys_;
    }
    void renew(const Keys& expired) override {
        const std::lock_guard held{mutex_};
        ++renewed;
        EXPECT_EQ(expired.id, keys_->id);
        if (!next_.empty()) keys_ = std::make_shared<Keys>(next_, "the-secret", "token");
        empty_for_ = 3;
    }
    std::optional<Failure> problem() const override { return {}; }
    void put(const std::string& id, int empty_for = 0) {
        const std::lock_guard held{mutex_};
        keys_ = std::make_shared<Keys>(id, "the-secret", "token");
        empty_for_ = empty_for;
    }
    void then(const std::string& id) { next_ = id; }
    std::atomic<int> renewed = 0;

private:
    std::mutex mutex_;
    std::shared_ptr<const Keys> keys_;
    std::string next_;
    int empty_for_ = 0;
};

class KeysOfCalls : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, KeysOfCalls, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

std::string signed_by(const Seen& seen) {
    return between(seen.header("authorization"), "Credential=", "/");
}

TEST_P(KeysOfCalls, are_waited_for_without_a_request_or_a_token_spent) {
    auto shelf = std::make_shared<ShelfOfKeys>();
    shelf->put("first", 5);
    Server server{[](const Seen&) { return said("{}"); }};
    ClientOptions options = talking_to(server);
    options.credentials = shelf;
    Client client{options};
    ASSERT_TRUE(ask(client, get_order));
    EXPECT_EQ(server.requests(), 1);
    EXPECT_EQ(server.seen()[0].header("x-amz-security-token"), "token");
}

TEST_P(KeysOfCalls, are_renewed_once_when_the_service_calls_them_expired) {
    auto shelf = std::make_shared<ShelfOfKeys>();
    shelf->put("old");
    shelf->then("new");
    Server server{[](const Seen& seen) {
        return signed_by(seen) == "old" ? refused_reply("ExpiredTokenException") : said("{}");
    }};
    ClientOptions options = talking_to(server);
    options.credentials = shelf;
    Client client{options};
    ASSERT_TRUE(ask(client, get_order));
    EXPECT_EQ(shelf->renewed, 1);
    EXPECT_EQ(server.requests(), 2);
}

TEST_P(KeysOfCalls, that_nobody_can_renew_end_the_call) {
    Server server{[](const Seen&) { return refused_reply("ExpiredTokenException"); }};
    Client client{talking_to(server)};
    const auto got = ask(client, get_order);
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().effect, Effect::none);
    EXPECT_EQ(server.requests(), 1);
    EXPECT_EQ(to_string(got.error()).find("the-secret"), std::string::npos);
}

}  // namespace
}  // namespace perdure::dynamodb

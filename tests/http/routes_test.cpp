// SPDX-License-Identifier: Apache-2.0
//
// How many places does a client keep connections to? A server can name as many as it likes.
#include <vector>

#include "http/asking.hpp"

namespace perdure::http {
namespace {

constexpr std::size_t most = 200;  // besides the given endpoints

std::string place(std::size_t number) { return "http://place-" + std::to_string(number) + ".test"; }

TEST(Routes, that_nothing_holds_make_room_for_new_ones) {
    Client client{"http://given.test", plain()};
    Route* const given = client.route("http://given.test").value().get();
    for (std::size_t i = 0; i < 10 * most; ++i) {
        ASSERT_TRUE(client.route(place(i)));
        ASSERT_LE(client.routes(), most + 1);
    }
    EXPECT_EQ(client.route("http://given.test").value().get(), given) << "never forgotten";
}

TEST(Routes, that_were_used_last_are_kept) {
    Client client{"http://given.test", plain()};
    const std::weak_ptr<Route> old = client.route(place(0)).value();
    const std::weak_ptr<Route> liked = client.route(place(1)).value();
    for (std::size_t i = 2; i <= most; ++i) {
        ASSERT_TRUE(client.route(place(i)));
        ASSERT_TRUE(client.route(place(1)));
    }
    EXPECT_TRUE(old.expired());
    EXPECT_FALSE(liked.expired());
}

TEST(Routes, that_are_held_are_refused_beyond_a_limit) {
    Client client{"http://given.test", plain()};
    std::vector<std::shared_ptr<Route>> held;
    for (std::size_t i = 0; i < most; ++i) held.push_back(client.route(place(i)).value());
    const auto more = client.route(place(most));
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().cause, Cause::exhausted);
    EXPECT_EQ(more.error().code, "too-many-routes");
    EXPECT_NE(more.error().message.find("200 places"), std::string::npos) << more.error().message;
    EXPECT_TRUE(client.route(place(0))) << "one that is there";
    held.pop_back();
    EXPECT_TRUE(client.route(place(most)));
    EXPECT_EQ(client.routes(), most + 1);
}

TEST(Routes, of_given_endpoints_are_not_limited) {
    std::vector<std::string> urls;
    for (std::size_t i = 0; i < 2 * most; ++i) urls.push_back(place(i));
    Client client{urls, plain()};
    EXPECT_EQ(client.problem(), nullptr);
    EXPECT_EQ(client.routes(), 2 * most);
    client.forget_unused_routes();
    EXPECT_EQ(client.routes(), 2 * most);
    EXPECT_TRUE(client.route("http://other.test"));
    client.forget_unused_routes();
    EXPECT_EQ(client.routes(), 2 * most);
}

class FullClients : public BothWays {};
INSTANTIATE_TEST_SUITE_P(Both, FullClients, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(FullClients, leave_a_redirect_to_the_caller) {
    Server there;
    Server here{[&](const Seen&) { return status(302, "", "Location: " + there.url() + "\r\n"); }};
    ClientOptions options = plain();
    options.redirects = 1;
    Client client{here.url(), options};
    std::vector<std::shared_ptr<Route>> held;
    for (std::size_t i = 0; i < most; ++i) held.push_back(client.route(place(i)).value());
    EXPECT_EQ(ask(client, Request::get("/"))->status, 302);
    held.clear();
    EXPECT_EQ(ask(client, Request::get("/"))->status, 200);
}

TEST_P(FullClients, follow_endpoints_that_are_replaced_again_and_again) {
    Server server;
    Client client{server.url(), plain()};
    for (std::size_t i = 0; i < most + 50; ++i) {
        client.endpoints().refresh({server.url() + "/" + std::to_string(i)});
        const auto got = ask(client, Request::get("/x"));
        ASSERT_TRUE(got) << to_string(got.error());
        EXPECT_EQ(got->body, "/" + std::to_string(i) + "/x");
        ASSERT_LE(client.routes(), most + 1);
    }
}

}  // namespace
}  // namespace perdure::http

// SPDX-License-Identifier: Apache-2.0
//
// What does a client do with an account document that leads elsewhere? Its keys stay where the user sent
// them.
#include <mutex>

#include "cosmos/staged.hpp"
#include "http/server.hpp"
#include "net/tls_peer.hpp"
#include "perdure/cosmos/wire/location_rule.hpp"

namespace perdure::cosmos {
namespace {

using http::Seen;
using http::Server;

class CosmosLocations : public BothWays {
protected:
    // What was said to `notice`.
    class Heard {
    public:
        void operator()(const std::string& text) {
            const std::lock_guard held{mutex_};
            texts_.push_back(text);
        }
        [[nodiscard]] std::vector<std::string> texts() const {
            const std::lock_guard held{mutex_};
            return texts_;
        }

    private:
        mutable std::mutex mutex_;
        std::vector<std::string> texts_;
    };

    static std::string document(const std::string& name, const std::string& url) {
        const std::string list =
            R"([{"name":")" + name + R"(","databaseAccountEndpoint":")" + url + R"("}])";
        return R"({"id":"acct","writableLocations":)" + list + R"(,"readableLocations":)" + list +
               "}";
    }
    static http::Reply item() {
        return http::ok(R"({"id":"1","pk":"A"})",
                        "Content-Type: application/json\r\nx-ms-request-charge: 1\r\n");
    }
    ClientOptions options_for(const std::string& endpoint) {
        return {.endpoint = endpoint,
                .key = std::string{chaos::emulator_key},
                .plan = quick(),
                .notice = [this](const std::string& text) { heard_(text); }};
    }

    Heard heard_;
};
INSTANTIATE_TEST_SUITE_P(Both, CosmosLocations, ::testing::Values(Way::blocking, Way::coroutine),
                         name_of);

TEST_P(CosmosLocations, in_plain_http_get_no_signature_of_a_client_that_was_given_https) {
    Server open{[](const Seen&) { return item(); }};
    const auto identity = testing::make_identity("IP:127.0.0.1");
    const auto context = testing::make_server(identity);
    const testing::PemFile trusted{identity};
    Server secure{[&](const Seen& seen) {
                      return seen.target == "/" ? http::ok(document("East US", open.url()))
                                                : item();
                  },
                  {.tls = context.get()}};
    ClientOptions options = options_for(secure.url());
    options.tls.ca_file = trusted.path();
    Client client{options};
    for (int call = 0; call < 2; ++call) {
        const auto read = ask(client, read_of("1"));
        ASSERT_TRUE(read) << to_string(read.error());
    }
    EXPECT_EQ(open.connections(), 0);
    ASSERT_EQ(heard_.texts().size(), 1u) << "told once";
    EXPECT_EQ(heard_.texts()[0],
              "the account document names East US at " + open.url() +
                  ", which is not used: " + std::string{describe(LocationCheck::weaker_scheme)});
}

TEST_P(CosmosLocations, of_another_host_are_not_asked_and_the_given_endpoint_serves_instead) {
    Server server{[](const Seen& seen) {
        const auto elsewhere = document(R"(East\u001b]0;US)", "https://acct.evil.test/");
        return seen.target == "/" ? http::ok(elsewhere) : item();
    }};
    Client client{options_for(server.url())};
    const auto read = ask(client, read_of("1"));
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(client.read_regions(), std::vector<std::string>{"global"});
    EXPECT_EQ(client.write_regions(), std::vector<std::string>{"global"});
    ASSERT_EQ(heard_.texts().size(), 1u);
    EXPECT_EQ(heard_.texts()[0].find('\x1b'), std::string::npos);
    EXPECT_NE(heard_.texts()[0].find("acct.evil.test"), std::string::npos) << heard_.texts()[0];
}

TEST_P(CosmosLocations, of_a_listed_domain_are_used) {
    Server server{[](const Seen& seen) {
        return seen.target == "/" ? http::ok(document("East US", "https://east.corp.test/"))
                                  : item();
    }};
    ClientOptions options = options_for(server.url());
    options.regions.other_domains = {"corp.test"};
    Plan plan = quick();
    plan.rule.attempts = 1;
    plan.connect = {.attempts = 1};
    options.plan = plan;
    Client client{options};
    EXPECT_FALSE(ask(client, read_of("1"))) << "there is no such host";
    EXPECT_EQ(client.read_regions(), std::vector<std::string>{"East US"});
    EXPECT_TRUE(heard_.texts().empty());
}

TEST_P(CosmosLocations, cannot_be_listed_as_what_is_no_domain) {
    ClientOptions options = options_for("http://127.0.0.1:1/");
    options.regions.other_domains = {"*.corp.test"};
    Client client{options};
    const auto read = ask(client, read_of("1"));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, "invalid-options");
}

}  // namespace
}  // namespace perdure::cosmos

// SPDX-License-Identifier: Apache-2.0
//
// Servers on the loopback that speak DynamoDB's language, and a way to ask them that has nothing to do
// with the client under test.
//
//     DynamoServer server{DynamoServer::Kind::dynoxide};      // ask missing() first
//     server.create_table("orders");
//     EXPECT_EQ(server.ask("GetItem", R"({"TableName":…})").status, 200);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "live/support/process.hpp"
#include "live/support/temp_dir.hpp"
#include "perdure/http/client.hpp"

namespace perdure::live {

// dynoxide: the one with transactions, a single program. dynalite: the one in JavaScript that closes
// idle connections after some seconds. verifying: ours, which checks signatures and holds nothing.
enum class Dynamo : std::uint8_t { dynoxide, dynalite, verifying };

// What the verifying server expects.
struct Expected {
    std::string key = "AKIDEXAMPLE";
    std::string secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    std::string token{};
    std::string region = "us-east-1";
    int clock_offset = 0;  // seconds by which its clock is ahead
};

// Used by the thread that made it, which must live as long: the system ends the server with it.
class DynamoServer {
public:
    // Why there is none to be had here; empty if there is.
    static std::string missing(Dynamo kind);

    // Runs. Ends the test program with a message if it does not come up.
    explicit DynamoServer(Dynamo kind = Dynamo::dynoxide, Expected expected = {});
    DynamoServer(const DynamoServer&) = delete;
    DynamoServer& operator=(const DynamoServer&) = delete;
    ~DynamoServer();

    // On the same port. What it held is gone.
    void restart();
    void stop() { process_->stop(); }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] std::string url() const { return "http://" + address(); }

    // One request, one answer of any status, past every proxy.
    [[nodiscard]] http::Response ask(const std::string& operation, const std::string& json);
    // With a partition key "pk" of type S. Ends the test program if there is none afterwards.
    void create_table(const std::string& name);
    // What came to the verifying server, as JSON: [{"headers":{…},"verdict":"good"},…]
    [[nodiscard]] std::string requests();

private:
    void start();
    [[nodiscard]] std::vector<std::string> command() const;

    const Dynamo kind_;
    const Expected expected_;
    TempDir home_;
    std::uint16_t port_ = free_port();
    std::unique_ptr<Process> process_;
    std::unique_ptr<http::Client> client_;
};

}  // namespace perdure::live

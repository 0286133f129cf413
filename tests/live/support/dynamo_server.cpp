// SPDX-License-Identifier: Apache-2.0
#include "live/support/dynamo_server.hpp"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "live/support/npm.hpp"

namespace perdure::live {
namespace {

const std::string dynoxide = "@dynoxide/linux-x64";
const std::string verifying = PERDURE_DYNAMO_TESTS "/verifying_server.py";

// The servers look only whether it is well-formed.
constexpr std::string_view authorization =
    "AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=0000";

}  // namespace

std::string DynamoServer::missing(Dynamo kind) {
    switch (kind) {
        case Dynamo::dynoxide: return npm_missing(dynoxide);
        case Dynamo::dynalite: {
            const std::string why = npm_missing("dynalite");
            return why.empty() ? node_missing() : why;
        }
        case Dynamo::verifying: return python().empty() ? "python3 is not installed" : "";
    }
    return "there is no such server";
}

DynamoServer::DynamoServer(Dynamo kind, Expected expected)
    : kind_{kind}, expected_{std::move(expected)} {
    // Somebody else may have taken the port in between.
    for (int attempt = 0; attempt < 3; ++attempt) {
        start();
        if (wait_for_port(port_) == Answers::yes && process_->running()) return;
        std::cerr << process_->log();
        port_ = free_port();
    }
    give_up("a server for DynamoDB's tests does not come up");
}

DynamoServer::~DynamoServer() = default;

void DynamoServer::start() {
    process_ = std::make_unique<Process>(command(), home_.file("server.log"));
    client_ = std::make_unique<http::Client>(
        url(), http::ClientOptions{.plan = {.name = "plain", .rule = {.attempts = 1}},
                                   .proxy_from = http::ProxyFrom::nowhere});
}

void DynamoServer::restart() {
    process_->stop();
    start();
    if (wait_for_port(port_) == Answers::yes && process_->running()) return;
    give_up(process_->log() + "a server for DynamoDB's tests does not come back");
}

std::vector<std::string> DynamoServer::command() const {
    const std::string port = std::to_string(port_);
    switch (kind_) {
        case Dynamo::dynoxide:
            return {npm_program(dynoxide + "/dynoxide"),
                    "serve",
                    "--host",
                    "127.0.0.1",
                    "--port",
                    port};
        case Dynamo::dynalite:
            return {node(),
                    npm_path("dynalite/cli.js"),
                    "--host",
                    "127.0.0.1",
                    "--port",
                    port,
                    "--createTableMs",
                    "0",
                    "--deleteTableMs",
                    "0",
                    "--updateTableMs",
                    "0"};
        case Dynamo::verifying: break;
    }
    return {python(),
            "-B",
            verifying,
            "--port",
            port,
            "--key",
            expected_.key,
            "--secret",
            expected_.secret,
            "--token",
            expected_.token,
            "--region",
            expected_.region,
            "--clock-offset",
            std::to_string(expected_.clock_offset)};
}

http::Response DynamoServer::ask(const std::string& operation, const std::string& json) {
    auto request = http::Request::post("/");
    request.header("X-Amz-Target", "DynamoDB_20120810." + operation);
    request.header("X-Amz-Date", "20260101T000000Z");
    request.header("Authorization", authorization);
    request.body(json, "application/x-amz-json-1.0");
    for (const int status : {400, 403, 404, 413, 500}) request.answers(status);
    auto answer = client_->send(request);
    if (!answer) give_up("asking the server failed: " + answer.error().message);
    return *std::move(answer);
}

void DynamoServer::create_table(const std::string& name) {
    const http::Response made = ask(
        "CreateTable",
        R"({"TableName":")" + name +
            R"(","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],)"
            R"("AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})");
    if (made.status != 200) give_up("no table: " + made.body);
}

std::string DynamoServer::requests() {
    auto answer = client_->send(http::Request::get("/requests"));
    if (!answer) give_up("the verifying server does not answer: " + answer.error().message);
    return answer->body;
}

}  // namespace perdure::live

// SPDX-License-Identifier: Apache-2.0
#include "live/dynamodb/support/fault_rules.hpp"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "live/support/npm.hpp"
#include "perdure/http/client.hpp"

namespace perdure::live {
namespace {

const std::vector<std::pair<std::string, std::string>> as_json{
    {"Content-Type", "application/x-amz-json-1.0"}, {"x-amzn-RequestId", "INJECTED"}};

const std::string script = PERDURE_DYNAMO_TESTS "/leftover_server.py";

}  // namespace

std::string error_json(const std::string& name, const std::string& message) {
    return R"({"__type":"com.amazonaws.dynamodb.v20120810#)" + name + R"(","message":")" + message +
           R"("})";
}

chaos::Rule refusing(const std::string& name, int status, chaos::Match match) {
    return {.fault = chaos::Fault::inject,
            .match = std::move(match),
            .status = status,
            .headers = as_json,
            .body = error_json(name)};
}

chaos::Rule failing_after(int status, chaos::Match match) {
    return {.fault = chaos::Fault::replace_reply,
            .match = std::move(match),
            .status = status,
            .headers = as_json,
            .body = error_json("InternalServerError")};
}

std::vector<chaos::Rule> losing_answers() {
    const chaos::Match tenth{.probability = 0.1};
    return {failing_after(500, tenth),
            {.fault = chaos::Fault::reset_after, .match = tenth},
            refusing("ProvisionedThroughputExceededException", 400, tenth)};
}

LeftoverServer::LeftoverServer(std::uint16_t to)
    : process_{
          {python(), "-B", script, "--port", std::to_string(port_), "--to", std::to_string(to)},
          home_.file("log")} {
    if (wait_for_port(port_) == Answers::yes && process_.running()) return;
    std::cerr << process_.log() << "the leftover server does not come up\n";
    std::abort();
}

int LeftoverServer::left() const {
    http::Client client{"http://" + address(),
                        http::ClientOptions{.proxy_from = http::ProxyFrom::nowhere}};
    const auto answer = client.send(http::Request::get("/left"));
    return answer ? std::atoi(answer->body.c_str()) : -1;
}

}  // namespace perdure::live

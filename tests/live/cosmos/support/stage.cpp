// SPDX-License-Identifier: Apache-2.0
#include "live/cosmos/support/stage.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <ranges>
#include <sstream>

#include "live/support/npm.hpp"
#include "live/support/process.hpp"
#include "live/support/temp_dir.hpp"

namespace perdure::live {
namespace {

constexpr std::string_view account_read = "account";

chaos::GatewayOptions options(Account account) {
    chaos::GatewayOptions options;
    options.regions = {{.name = "East US"}};
    if (account != Account::one_region) options.regions.push_back({.name = "West US"});
    if (account == Account::two_writable) options.writes = chaos::WriteMode::multiple;
    options.record_headers = {"user-agent"};
    return options;
}

std::string path(const Scene& scene) {
    const std::string docs = "/dbs/d/colls/" + scene.name + "/docs";
    return scene.does == Does::read ? docs + "/seed" : docs;
}

bool sent_by(const chaos::GatewayRecord& record, const std::string& client) {
    return std::ranges::any_of(record.headers,
                               [&](const auto& one) { return one.second.ends_with(" " + client); });
}

}  // namespace

std::size_t Seen::attempts() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(steps, [](const Step& one) { return one.region != account_read; }));
}

std::vector<Duration> Seen::gaps() const {
    std::vector<Duration> gaps;
    const Step* before = nullptr;
    for (const Step& step : steps) {
        if (step.region == account_read) continue;
        if (before) gaps.push_back(step.at - before->at);
        before = &step;
    }
    return gaps;
}

std::string to_string(const Seen& seen) {
    std::vector<std::pair<std::string, int>> parts;
    for (const Seen::Step& step : seen.steps) {
        std::string part = step.region;
        if (part != account_read) {
            part += step.status == 0 ? " reset" : " " + std::to_string(step.status);
            if (step.substatus != 0) part += "/" + std::to_string(step.substatus);
            if (step.session_token.empty() && !seen.steps.front().session_token.empty())
                part += " without token";
        }
        if (parts.empty() || parts.back().first != part) parts.emplace_back(part, 0);
        ++parts.back().second;
    }
    std::string text;
    for (const auto& [part, times] : parts) {
        text += text.empty() ? part : ", " + part;
        if (times > 1 && part != account_read) text += " x" + std::to_string(times);
    }
    return text;
}

Stage::Stage() {
    for (const Account account :
         {Account::one_region, Account::two_regions, Account::two_writable}) {
        auto gateway = chaos::CosmosGateway::start(options(account));
        if (!gateway) throw std::runtime_error{"no gateway: " + gateway.error().message};
        gateways_.emplace(account, *std::move(gateway));
    }
}

void Stage::prepare(const std::vector<Scene>& scenes) {
    for (const auto& [account, gateway] : gateways_) {
        std::vector<chaos::GatewayFault> faults;
        for (const Scene& scene : scenes) {
            if (scene.account != account) continue;
            faults.push_back(scene.fault);
            faults.back().name = scene.name;
            faults.back().path = path(scene);
            faults.back().method = scene.does == Does::read ? "GET" : "POST";
        }
        static_cast<void>(gateway->take_records());
        gateway->plan(std::move(faults));
    }
}

chaos::CosmosGateway& Stage::gateway(Account account) const { return *gateways_.at(account); }

std::string Stage::endpoint(Account account) const { return gateway(account).endpoint(); }

std::string Stage::for_script(const std::vector<Scene>& scenes) const {
    std::string json;
    for (const Scene& scene : scenes) {
        const bool follows = scene.follows == Follows::account;
        const bool regions = scene.account != Account::one_region;
        json += json.empty() ? "[" : ",";
        json += R"({"scene":")" + scene.name + R"(","account":")" + endpoint(scene.account);
        json += R"(","endpoint":")";
        json += follows ? endpoint(scene.account) : gateway(scene.account).endpoint("East US");
        json += R"(","does":")" + std::string{scene.does == Does::read ? "read" : "create"};
        json += R"(","preferred":)" + std::string{regions ? R"(["East US","West US"])" : "[]"};
        json += R"(,"discovery":)" + std::string{follows ? "true" : "false"} + "}";
    }
    return json + "]";
}

Seen Stage::seen(const Scene& scene) const {
    const std::string wanted = path(scene);
    const std::string method = scene.does == Does::read ? "GET" : "POST";
    Seen seen;
    for (const chaos::GatewayRecord& one : gateway(scene.account).records()) {
        const bool attempt = one.path == wanted && one.method == method;
        const bool account = one.path == "/" && sent_by(one, scene.name) && !seen.steps.empty();
        if (!attempt && !account) continue;
        seen.steps.push_back({.at = one.at,
                              .region = account ? std::string{account_read} : one.region,
                              .status = one.status,
                              .substatus = one.substatus,
                              .session_token = one.session_token});
    }
    // What was read afterwards had no part in it.
    while (!seen.steps.empty() && seen.steps.back().region == account_read) seen.steps.pop_back();
    return seen;
}

std::string js_missing() {
    const std::string why = npm_missing("@azure/cosmos");
    return why.empty() ? node_missing() : why;
}

std::map<std::string, Told> play_with_js(const Stage& stage, const std::vector<Scene>& scenes) {
    const TempDir home;
    const std::string file = home.write("scenes.json", stage.for_script(scenes));
    std::string said;
    const int code = run({node(), "--no-warnings", home_of_scripts + "/scenes.mjs", npm_path(""),
                          std::string{chaos::emulator_key}, file},
                         &said);
    EXPECT_EQ(code, 0) << said;

    std::map<std::string, Told> told;
    simdjson::dom::parser parser;
    std::istringstream lines{said};
    for (std::string line; std::getline(lines, line);) {
        simdjson::dom::element json;
        if (parser.parse(line).get(json) != simdjson::SUCCESS) continue;
        Told one;
        one.done = std::string_view{json["told"]} == "done";
        one.status = static_cast<int>(std::int64_t{json["status"]});
        if (std::int64_t number = 0; json["substatus"].get(number) == simdjson::SUCCESS)
            one.substatus = static_cast<int>(number);
        if (std::string_view text; json["error"].get(text) == simdjson::SUCCESS) one.error = text;
        told.emplace(std::string_view{json["scene"]}, std::move(one));
    }
    return told;
}

}  // namespace perdure::live

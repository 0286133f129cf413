// SPDX-License-Identifier: Apache-2.0
//
// What does a request say, and what does it make of an answer? Without a server, and with one that
// answers from a script.
//
//     EXPECT_EQ(body(GetItem{"orders", {{"pk", "o#1"}}}), R"({"TableName":"orders",…})");
//     Service service{[](const Told& told) { return said("{}"); }};
//     service.client().send(…);
//     EXPECT_EQ(service.order(), "GetItem");
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dynamodb/talking.hpp"

namespace perdure::dynamodb {

inline constexpr std::string_view call_id = "11111111-2222-4333-8444-555555555555";

// The JSON it sends, or why it is not sent.
template <Request R>
std::string body(const R& request) {
    std::string text;
    const auto done = request.append_body(text, {.id = call_id});
    if (done) return text;
    EXPECT_EQ(done.error().cause, Cause::invalid) << to_string(done.error());
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(done.error().origin, Origin::application);
    return "refused: " + done.error().message;
}

template <Request R>
auto read(const R& request, std::string json) {
    return request.read(json);
}

// Whether an answer is refused as unreadable.
template <Request R>
bool refuses(const R& request, std::string json) {
    const auto got = request.read(json);
    return !got && got.error().cause == Cause::corrupt && got.error().code == "unreadable-answer";
}

struct Told {
    std::string operation{};
    std::string body{};
};

// Made and asked by the test; answers are given on the server's thread.
class Service {
public:
    explicit Service(std::function<Reply(const Told&)> answer, int attempts = 1)
        : server_{[answer = std::move(answer)](const Seen& seen) { return answer(told(seen)); }},
          client_{talking_to(server_, quick(attempts))} {}

    [[nodiscard]] Client& client() noexcept { return client_; }
    [[nodiscard]] std::vector<Told> heard() const {
        std::vector<Told> all;
        for (const Seen& seen : server_.seen()) all.push_back(told(seen));
        return all;
    }
    // The names of the operations, one after the other.
    [[nodiscard]] std::string order() const {
        std::string names;
        for (const Told& one : heard()) names += (names.empty() ? "" : " ") + one.operation;
        return names;
    }

private:
    static Told told(const Seen& seen) { return {operation_of(seen), seen.body}; }

    Server server_;
    Client client_;
};

template <class Awaited>
auto wait_for(Awaited awaited) {
    return block_on(net::default_reactor(), std::move(awaited));
}

}  // namespace perdure::dynamodb

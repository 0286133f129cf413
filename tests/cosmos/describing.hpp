// SPDX-License-Identifier: Apache-2.0
//
// What does a request say on the wire, and what does it make of an answer? Without a socket.
//
//     EXPECT_EQ(told(ReadItem{…}), "GET /dbs/…\nlink…\n…");
//     const auto written = answered(request, {.status = 201, .headers = {{"etag", "\"e\""}}});
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "perdure/cosmos/order.hpp"

namespace perdure::cosmos {

inline constexpr std::string_view call_id = "11111111-2222-4333-8444-555555555555";
inline const CallFacts these_facts{.id = call_id};

inline std::string without_returns(std::string text) {
    std::erase(text, '\r');
    return text;
}

// Verb and path, type and link to sign, fields, body with its type; or why it is not sent.
template <Request R>
std::string told(const R& request) {
    Envelope envelope;
    const auto done = request.describe(envelope, these_facts);
    if (!done) {
        EXPECT_EQ(done.error().effect, Effect::none);
        EXPECT_EQ(done.error().origin, Origin::application) << to_string(done.error());
        return "refused: " + done.error().code + ": " + done.error().message;
    }
    std::string text{to_string(envelope.verb)};
    text += " " + envelope.path + "\n";
    text.append(type_of(envelope.resource)).append(" ").append(envelope.link).append("\n");
    text += without_returns(envelope.fields);
    if (envelope.consistency)
        text.append("consistency: ").append(to_string(*envelope.consistency)).append("\n");
    if (!envelope.body.empty())
        text.append("Content-Type: ").append(envelope.content_type).append("\n\n") += envelope.body;
    return text;
}

template <Request R>
std::string body_of(const R& request) {
    Envelope envelope;
    const auto done = request.describe(envelope, these_facts);
    return done ? envelope.body : "refused: " + done.error().code;
}

// Only the code of the refusal, or "sent".
template <Request R>
std::string refusal(const R& request) {
    Envelope envelope;
    const auto done = request.describe(envelope, these_facts);
    if (done) return "sent";
    EXPECT_EQ(done.error().effect, Effect::none);
    EXPECT_EQ(done.error().origin, Origin::application) << to_string(done.error());
    return done.error().code;
}

struct Said {
    int status = 200;
    std::string body{};
    std::vector<std::pair<std::string, std::string>> headers{};
    double charge = 1.5;
};

template <Request R>
auto answered(const R& request, const Said& said) {
    http::Response response;
    response.status = said.status;
    response.body = said.body;
    for (const auto& [name, value] : said.headers) response.headers.add(name, value);
    Reply reply{.response = response, .charge = said.charge};
    return request.read(reply, these_facts);
}

// Whether the answer is refused as unreadable.
template <Request R>
bool cannot_read(const R& request, const Said& said) {
    const auto got = answered(request, said);
    return !got && got.error().cause == Cause::corrupt && got.error().code == "unreadable-answer";
}

inline Item there(std::string json, std::string etag = "\"now\"") {
    Item item;
    item.json = std::move(json);
    item.etag = std::move(etag);
    return item;
}

}  // namespace perdure::cosmos

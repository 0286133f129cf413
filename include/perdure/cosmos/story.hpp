// SPDX-License-Identifier: Apache-2.0
//
// What exactly happened in this call? Where each attempt went and why, what the service said and
// charged, beside the record that every call of Perdure has.
//
//     cosmos::Story story;
//     shop.send(read, {.story = &story});
//     story.regions()          "West Europe", "North Europe"
//     log(story.to_json());
//
// The first 10 and the last 5 attempts are kept. Never holds keys, tokens or documents. Typed fields
// are the contract; the text is for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/call/diagnostics.hpp"
#include "perdure/cosmos/wire/status_code.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

// Why an attempt was made, and why there.
enum class Reason : std::uint8_t { initial, retry, other_region, write_region, hedge, question };
std::string_view to_string(Reason reason) noexcept;

struct Leg {
    int number = 0;  // of the attempt, as in Diagnostics
    Reason reason = Reason::initial;
    std::string region{};
    std::string endpoint{};  // host and port
    StatusCode code{};       // 0: no answer
    double charge = 0;
    std::string activity_id{};  // ours, as sent; the service's own word wins
    Duration server_time{};     // what the service says it took
};

// Used by one call at a time; may be reused for the next, which clears it.
class Story {
public:
    Diagnostics call{};

    [[nodiscard]] std::span<const Leg> legs() const noexcept { return {legs_.data(), used_}; }
    [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }
    [[nodiscard]] double charge() const noexcept { return charge_; }  // of all attempts
    [[nodiscard]] std::vector<std::string> regions() const;  // in the order they were asked
    [[nodiscard]] int throttled() const noexcept { return throttled_; }
    // What the service asked for when it last throttled the call.
    [[nodiscard]] Duration last_retry_after() const noexcept { return last_retry_after_; }
    // Repeatedly refused because others change the same item at the same time (449).
    [[nodiscard]] int contended() const noexcept { return contended_; }
    [[nodiscard]] std::string to_json() const;
    // OpenTelemetry's names: db.operation.name, db.cosmosdb.sub_status_code, cloud.region, …
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> attributes() const;

    // For the client.
    struct Subject {
        std::string_view operation{}, database{}, container{};
        std::string_view consistency{};
    };
    void begin(const Subject& subject);
    Leg& add(int number, Reason reason);
    void add(Leg leg) { add(leg.number, leg.reason) = std::move(leg); }
    Leg* find(int number) noexcept;
    void note_answer(int number, StatusCode code, double charge, Duration retry_after);

private:
    std::string operation_, database_, container_, consistency_;
    std::vector<Leg> legs_;  // those beyond `used_` keep their memory for the next call
    std::size_t used_ = 0;
    std::size_t left_out_ = 0;
    double charge_ = 0;
    int throttled_ = 0, contended_ = 0;
    Duration last_retry_after_{};
    StatusCode last_{};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

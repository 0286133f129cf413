// SPDX-License-Identifier: Apache-2.0
//
// What time is it for the service? Every answer says so in its `Date`, a refusal too, so any will do.
//
//     ClockQuestion question{*order.question()};
//     const auto asked = perform(question, options);
#pragma once

#include <string>

#include "perdure/dynamodb/order.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Sends what another order would send, and is content with whatever the service says to it. That order
// must outlive it.
class ClockQuestion final : public Order {
public:
    explicit ClockQuestion(const Order& sends) noexcept : sends_{sends} {}

    [[nodiscard]] std::string_view operation() const noexcept override {
        return sends_.operation();
    }
    [[nodiscard]] std::string_view table() const noexcept override { return sends_.table(); }
    [[nodiscard]] Safety safety() const noexcept override { return Safety::read; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const override {
        return sends_.append_body(out, facts);
    }
    Result<void> read(std::string&) override { return {}; }
    Whose recognise(const ServiceError&, const CallFacts&) override { return Whose::ours; }

private:
    const Order& sends_;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

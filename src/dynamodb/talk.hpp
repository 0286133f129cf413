// SPDX-License-Identifier: Apache-2.0
//
// How is one logical call spoken with DynamoDB? Signed anew for every attempt, the answer checked and
// understood; and, where the request knows how, another request that asks what became of it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "client_inside.hpp"
#include "perdure/dynamodb/skew.hpp"
#include "perdure/http/conversation.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Belongs to one call and is used by its thread. What it is given outlives it.
class Talk final : public http::Conversation {
public:
    Talk(Client::Inside& client, Order& order, const CallOptions& options);
    ~Talk() override;

    // Writes the body. A request that cannot be sent ends here.
    Result<void> open();
    [[nodiscard]] Operation operation() noexcept;

    http::Route& route(const Attempt& attempt) override { return *(void(attempt), client_.route); }
    Result<void> write(std::string& out, const Attempt& attempt, Duration left) override;
    [[nodiscard]] std::string_view large_body() const noexcept override;
    Result<void> judge(http::Response& response, const Attempt& attempt) override;
    Conversation* question() override;
    Landed<void> landed(http::Response& answer, Duration since) override;

private:
    // Applies remedies before the next attempt.
    struct Prepare {
        Result<void> operator()(RemedySet remedies, const Attempt& attempt) const;
        Talk* talk;
    };
    Talk(Talk& about);  // the question about another call
    [[nodiscard]] Deadline ends_by() const noexcept;
    Result<std::shared_ptr<const Keys>> keys_now(WallTime now);
    // How an attempt was signed. A copy that is judged later must not be measured by what the other
    // one has taught the call meanwhile.
    struct Signed {
        WallTime at{};
        Duration skew{};
    };
    Result<void> judge_failure(http::Response& response, const Attempt& attempt, WallTime received);
    // What the call has learned of the clock is its question's too.
    [[nodiscard]] CallSkew& skew() noexcept { return about_ ? about_->skew_ : skew_; }
    [[nodiscard]] Signed& signed_for(const Attempt& attempt) noexcept {
        return signed_[static_cast<std::size_t>(attempt.number) % signed_.size()];
    }

    Client::Inside& client_;
    Order* order_;  // null: a question that nobody has asked yet
    Talk* const about_;
    const CallOptions& options_;
    std::string id_;
    CallFacts facts_;
    std::string target_;
    std::string body_;
    CallSkew skew_;
    std::shared_ptr<const Keys> keys_;     // signed with
    std::shared_ptr<const Keys> refused_;  // and these no more
    std::array<Signed, 8> signed_{};       // by attempt; more are never under way at once
    Prepare prepare_{this};
    std::unique_ptr<Talk> question_;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

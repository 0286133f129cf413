// SPDX-License-Identifier: Apache-2.0
//
// How does the client see a request? Without its type: an envelope to send, an answer to read, and
// perhaps a way to find out what became of it.
//
// A request type has `Answer`, operation(), safety(), describe(envelope, facts) and read(reply, facts).
// It may have has_question(), question() and landed(item, facts), which read the state; and takes(code):
// failures of the service that are answers to it.
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/read_item.hpp"
#include "perdure/cosmos/reply.hpp"
#include "perdure/landed.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

template <class R>
concept Request =
    requires(const R& request, Envelope& envelope, const CallFacts& facts, Reply& reply) {
        typename R::Answer;
        { request.operation() } -> std::convertible_to<std::string_view>;
        { request.safety() } -> std::same_as<Safety>;
        { request.describe(envelope, facts) } -> std::same_as<Result<void>>;
        { request.read(reply, facts) } -> std::same_as<Result<typename R::Answer>>;
    };

// Belongs to one call and is used by its thread.
class Order {
public:
    Order() = default;
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;
    virtual ~Order();

    [[nodiscard]] virtual std::string_view operation() const noexcept = 0;
    [[nodiscard]] virtual Safety safety() const noexcept = 0;
    // Once, before the first attempt. The envelope may refer to the request.
    virtual Result<void> describe(Envelope& envelope, const CallFacts& facts) const = 0;
    // Whether a status from 400 on is an answer all the same.
    [[nodiscard]] virtual bool takes(StatusCode) const noexcept { return false; }
    // Of an answer below 400, or of one that it takes. Keeps what it has read.
    virtual Result<void> read(Reply& reply, const CallFacts& facts) = 0;

    // Null: there is no way to find out. Made when first asked for.
    [[nodiscard]] virtual bool has_question() const noexcept { return false; }
    virtual Order* question() { return nullptr; }
    virtual void forget_question() noexcept {}  // the request was changed
    // After the question was read; after `yes` the answer is kept. `pending`: it is not there and may
    // still come; the client knows how long that is.
    virtual Landed<void> landed(const CallFacts&) { return Landed<void>::unknown(); }
};

template <Request R>
class OrderFor final : public Order {
    static constexpr bool asks = requires(const R& request) { request.question(); };

public:
    using Answer = typename R::Answer;

    // The request must outlive it.
    explicit OrderFor(const R& request) : request_{request} {}

    [[nodiscard]] std::string_view operation() const noexcept override {
        return request_.operation();
    }
    [[nodiscard]] Safety safety() const noexcept override { return request_.safety(); }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const override {
        return request_.describe(envelope, facts);
    }
    [[nodiscard]] bool takes([[maybe_unused]] StatusCode code) const noexcept override {
        if constexpr (requires { request_.takes(code); }) return request_.takes(code);
        return false;
    }
    Result<void> read(Reply& reply, const CallFacts& facts) override {
        auto answer = request_.read(reply, facts);
        if (!answer) return answer.take_failure();
        answer_.emplace(std::move(*answer));
        return {};
    }
    [[nodiscard]] bool has_question() const noexcept override {
        if constexpr (asks) return request_.has_question();
        return false;
    }
    Order* question() override {
        if constexpr (asks) {
            if (!asked_) {
                question_ = request_.question();
                if (question_) asked_.emplace(*question_);
            }
            return asked_ ? &*asked_ : nullptr;
        }
        return nullptr;
    }
    void forget_question() noexcept override {
        if constexpr (asks) {
            asked_.reset();
            question_.reset();
        }
    }
    Landed<void> landed(const CallFacts& facts) override {
        if constexpr (asks) {
            Landed<Answer> found = request_.landed(asked_->take(), facts);
            switch (found.verdict()) {
                case Verdict::yes:
                    answer_.emplace(std::move(found).value());
                    return Landed<void>::yes();
                case Verdict::no: return Landed<void>::no();
                case Verdict::pending: return Landed<void>::pending(found.ask_again_after());
                case Verdict::unknown: break;
            }
        }
        return Landed<void>::unknown();
    }

    // After the call has ended well.
    [[nodiscard]] Answer take() { return *std::move(answer_); }

private:
    struct Nothing {};
    using Question = std::conditional_t<asks, std::optional<FindItem>, Nothing>;

    const R& request_;
    std::optional<Answer> answer_{};
    Question question_{};
    std::conditional_t<asks, std::optional<OrderFor<FindItem>>, Nothing> asked_{};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

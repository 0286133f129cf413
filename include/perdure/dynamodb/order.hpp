// SPDX-License-Identifier: Apache-2.0
//
// How does the client see a request? Without its type: a body to send, an answer to read, and perhaps
// a way to find out what became of it.
//
// A request type has `Answer`, operation(), table(), safety(), append_body(out, facts) and read(json).
// It may have recognise(error, facts), which sees in a refusal that an earlier attempt was the one that
// did it, and question() with landed(now, facts), which read the state; and lasts(), after which nobody
// remembers that it was done before.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "perdure/duration.hpp"
#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/dynamodb/get_item.hpp"
#include "perdure/dynamodb/service_error.hpp"
#include "perdure/landed.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

template <class R>
concept Request = requires(const R& request, std::string& text, const CallFacts& facts) {
    typename R::Answer;
    { request.operation() } -> std::convertible_to<std::string_view>;
    { request.table() } -> std::convertible_to<std::string_view>;
    { request.safety() } -> std::same_as<Safety>;
    { request.append_body(text, facts) } -> std::same_as<Result<void>>;
    { request.read(text) } -> std::same_as<Result<typename R::Answer>>;
};

// Whether a request writes by the service's clock, so that a client which has not measured it yet asks its
// question() first: `static constexpr bool needs_service_clock = true`.
template <class R>
inline constexpr bool needs_service_clock = requires { requires R::needs_service_clock; };

// Belongs to one call and is used by its thread.
class Order {
public:
    Order() = default;
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;
    virtual ~Order();

    [[nodiscard]] virtual std::string_view operation() const noexcept = 0;
    [[nodiscard]] virtual std::string_view table() const noexcept = 0;
    [[nodiscard]] virtual Safety safety() const noexcept = 0;
    virtual Result<void> append_body(std::string& out, const CallFacts& facts) const = 0;
    // The longest that repeating it is safe, from its beginning: as long as its token is remembered.
    [[nodiscard]] virtual Duration lasts() const noexcept { return never; }
    // Keeps what it has read.
    virtual Result<void> read(std::string& json) = 0;

    enum class Whose : std::uint8_t { nobody_knows, ours };
    // After `ours` the answer is kept.
    virtual Whose recognise(const ServiceError&, const CallFacts&) { return Whose::nobody_knows; }
    // Null: there is no way to find out. Made when first asked for.
    [[nodiscard]] virtual bool has_question() const noexcept { return false; }
    virtual Order* question() { return nullptr; }
    // After the question was read; after `yes` the answer is kept.
    virtual Landed<void> landed(const CallFacts&) { return Landed<void>::unknown(); }
};

template <Request R>
class OrderFor final : public Order {
    static constexpr bool asks = requires(const R& request) { request.question(); };
    static constexpr bool recognises =
        requires(const R& request, const ServiceError& error, const CallFacts& facts) {
            request.recognise(error, facts);
        };

public:
    using Answer = typename R::Answer;

    // The request must outlive it.
    explicit OrderFor(const R& request) : request_{request} {}

    [[nodiscard]] std::string_view operation() const noexcept override {
        return request_.operation();
    }
    [[nodiscard]] std::string_view table() const noexcept override { return request_.table(); }
    [[nodiscard]] Safety safety() const noexcept override { return request_.safety(); }
    Result<void> append_body(std::string& out, const CallFacts& facts) const override {
        return request_.append_body(out, facts);
    }
    [[nodiscard]] Duration lasts() const noexcept override {
        if constexpr (requires { request_.lasts(); }) return request_.lasts();
        return never;
    }
    Result<void> read(std::string& json) override {
        auto answer = request_.read(json);
        if (!answer) return answer.take_failure();
        answer_.emplace(std::move(*answer));
        return {};
    }
    Whose recognise(const ServiceError& error, const CallFacts& facts) override {
        if constexpr (recognises) {
            if (auto answer = request_.recognise(error, facts)) {
                answer_.emplace(std::move(*answer));
                return Whose::ours;
            }
        }
        return Whose::nobody_knows;
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
    Landed<void> landed(const CallFacts& facts) override {
        if constexpr (asks) {
            Landed<Answer> found = request_.landed(asked_->take().item, facts);
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
    using Question = std::conditional_t<asks, std::optional<GetItem>, Nothing>;

    const R& request_;
    std::optional<Answer> answer_{};
    Question question_{};
    std::conditional_t<asks, std::optional<OrderFor<GetItem>>, Nothing> asked_{};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

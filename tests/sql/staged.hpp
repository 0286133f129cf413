// SPDX-License-Identifier: Apache-2.0
//
// A database whose sessions do what the test says: for what no real one can be made to do at will.
//
//     const auto stage = std::make_shared<Stage>();
//     stage->commit = [&]() -> Result<void> { arrived.count_down(); let_go.wait(); return {}; };
//     Database database{std::make_shared<StagedDriver>(stage)};
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "perdure/sql/driver.hpp"

namespace perdure::sql {

// Set before the first call. The functions are called by whoever uses the session.
struct Stage {
    Traits traits{.product = Product::postgres, .notes_transactions = true};
    std::function<Result<Done>(std::string_view)> run = [](auto) { return Done{}; };
    std::function<Result<void>()> commit = [] { return Result<void>{}; };
    std::function<void()> roll_back = [] {};
    // What is found of a transaction that is asked for, by its token or its number.
    Landed<void> fate = Landed<void>::unknown();
    std::function<Result<Landed<void>>(const Bounds&)> answer = [this](const Bounds&) {
        return fate;
    };

    std::function<Result<void>(const Bounds&)> connect{};  // none: at once

    std::optional<Token> attempt_id{};  // of the transaction begun last

    std::atomic<int> runs{0};
    std::atomic<int> asked{0};
};

// A statement that fails in a transaction ends it.
class StagedSession final : public Session {
public:
    explicit StagedSession(std::shared_ptr<Stage> stage) : stage_{std::move(stage)} {}
    [[nodiscard]] bool still_good() override { return true; }
    [[nodiscard]] State state() const noexcept override { return state_; }

    [[nodiscard]] Result<Done> run(const Statement& statement, RowSink& /*rows*/,
                                   const Bounds& /*bounds*/) override {
        ++stage_->runs;
        auto done = stage_->run(statement.text);
        if (!done && state_ == State::open) state_ = State::failed;
        return done;
    }
    [[nodiscard]] Result<Begun> begin(const Beginning& how, const Bounds& /*bounds*/) override {
        state_ = State::open;
        if (how.attempt_id) stage_->attempt_id = *how.attempt_id;
        const bool noted = how.noting == Noting::transaction;
        return Begun{.doubt = {.session = "7", .transaction = noted ? "8" : ""}};
    }
    [[nodiscard]] Result<void> commit(const Bounds& /*bounds*/) override {
        auto committed = stage_->commit();
        state_ = State::idle;
        return committed;
    }
    void roll_back(const Bounds& /*bounds*/) noexcept override {
        stage_->roll_back();
        state_ = State::idle;
    }

    [[nodiscard]] Result<Landed<TokenRow>> probe(const Token& /*token*/, std::string_view /*table*/,
                                                 Duration /*wait*/, const Bounds& bounds) override {
        ++stage_->asked;
        auto answer = stage_->answer(bounds);
        if (!answer) return answer.take_failure();
        switch (answer->verdict()) {
            case Verdict::yes: return Landed<TokenRow>::yes({stage_->attempt_id});
            case Verdict::no: return Landed<TokenRow>::no();
            case Verdict::pending: return Landed<TokenRow>::pending();
            case Verdict::unknown: break;
        }
        return Landed<TokenRow>::unknown();
    }
    [[nodiscard]] Result<Landed<void>> outcome_of(const Doubt& /*doubt*/,
                                                  const Bounds& bounds) override {
        ++stage_->asked;
        return stage_->answer(bounds);
    }
    [[nodiscard]] Result<Remains> end_old(const Doubt& /*doubt*/,
                                          const Bounds& /*bounds*/) override {
        return Remains::gone;
    }
    [[nodiscard]] Result<void> make_tokens(std::string_view /*table*/,
                                           const Bounds& /*bounds*/) override {
        return {};
    }
    [[nodiscard]] Result<Purged> purge_tokens(std::string_view /*table*/,
                                              const PurgeBatch& /*which*/,
                                              const Bounds& /*bounds*/) override {
        return Purged{};
    }

private:
    std::shared_ptr<Stage> stage_;
    State state_ = State::idle;
};

class StagedDriver final : public Driver {
public:
    explicit StagedDriver(std::shared_ptr<Stage> stage) : stage_{std::move(stage)} {}
    [[nodiscard]] const Traits& traits() const noexcept override { return stage_->traits; }
    [[nodiscard]] std::string_view name() const noexcept override { return "staged"; }
    [[nodiscard]] Result<std::unique_ptr<Session>> connect(const Connecting& how,
                                                           Clock& /*clock*/) override {
        if (stage_->connect)
            if (auto connected = stage_->connect(how.bounds); !connected)
                return connected.take_failure();
        return std::make_unique<StagedSession>(stage_);
    }

private:
    std::shared_ptr<Stage> stage_;
};

}  // namespace perdure::sql

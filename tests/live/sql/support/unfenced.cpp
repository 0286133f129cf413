// SPDX-License-Identifier: Apache-2.0
#include "live/sql/support/unfenced.hpp"

#include <utility>

namespace perdure::live {
namespace {

using namespace sql;

class Passing final : public Session {
public:
    explicit Passing(std::unique_ptr<Session> inner) noexcept : inner_{std::move(inner)} {}
    [[nodiscard]] bool still_good() override { return inner_->still_good(); }
    [[nodiscard]] State state() const noexcept override { return inner_->state(); }
    Result<Done> run(const Statement& statement, RowSink& rows, const Bounds& bounds) override {
        return inner_->run(statement, rows, bounds);
    }
    Result<Begun> begin(const Beginning& how, const Bounds& bounds) override {
        return inner_->begin(how, bounds);
    }
    Result<void> note(Doubt& doubt, const Bounds& bounds) override {
        return inner_->note(doubt, bounds);
    }
    [[nodiscard]] const TokenRow* found_token() const noexcept override {
        return inner_->found_token();
    }
    Result<void> commit(const Bounds& bounds) override { return inner_->commit(bounds); }
    void roll_back(const Bounds& bounds) noexcept override { inner_->roll_back(bounds); }
    Result<Landed<TokenRow>> probe(const Token& token, std::string_view table, Duration wait,
                                   const Bounds& bounds) override {
        return inner_->probe(token, table, wait, bounds);
    }
    Result<Landed<void>> outcome_of(const Doubt& doubt, const Bounds& bounds) override {
        return inner_->outcome_of(doubt, bounds);
    }
    Result<Remains> end_old(const Doubt&, const Bounds&) override { return Remains::cannot_tell; }
    Result<void> make_tokens(std::string_view table, const Bounds& bounds) override {
        return inner_->make_tokens(table, bounds);
    }
    Result<void> index_tokens(std::string_view table, const Bounds& bounds) override {
        return inner_->index_tokens(table, bounds);
    }
    Result<Purged> purge_tokens(std::string_view table, const PurgeBatch& which,
                                const Bounds& bounds) override {
        return inner_->purge_tokens(table, which, bounds);
    }

private:
    std::unique_ptr<Session> inner_;
};

class Unfenced final : public Driver {
public:
    explicit Unfenced(std::shared_ptr<Driver> inner) noexcept : inner_{std::move(inner)} {}
    [[nodiscard]] const Traits& traits() const noexcept override { return inner_->traits(); }
    [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
    Result<std::unique_ptr<Session>> connect(const Connecting& how, Clock& clock) override {
        auto made = inner_->connect(how, clock);
        if (!made) return made.take_failure();
        return std::unique_ptr<Session>{std::make_unique<Passing>(*std::move(made))};
    }

private:
    std::shared_ptr<Driver> inner_;
};

}  // namespace

std::shared_ptr<sql::Driver> unfenced(std::shared_ptr<sql::Driver> driver) {
    return std::make_shared<Unfenced>(std::move(driver));
}

}  // namespace perdure::live

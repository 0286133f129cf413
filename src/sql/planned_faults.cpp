// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/planned_faults.hpp"

#include <charconv>
#include <string>
#include <utility>

#include "fault_book.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {
namespace {

std::string_view name_of(Moment moment) noexcept {
    switch (moment) {
        case Moment::opening: return "a session was opened";
        case Moment::beginning: return "a transaction was begun";
        case Moment::executing: return "a statement was run";
        case Moment::committing: return "COMMIT was waited for";
    }
    return {};
}

Failure lost_link(Moment moment, Effect effect) {
    return {.cause = Cause::unavailable,
            .effect = effect,
            .origin = Origin::network,
            .remedies = Remedy::fresh_connection,
            .code = "planned",
            .message = "a planned fault: the link was lost while " + std::string{name_of(moment)}};
}

// Swallows rows, or lets only the first through.
class Strainer final : public RowSink {
public:
    Strainer(RowSink& inner, int let_through) noexcept : inner_{inner}, left_{let_through} {}
    Result<void> columns(std::span<const std::string_view> names) override {
        return left_ > 0 ? inner_.columns(names) : Result<void>{};
    }
    Result<void> row(std::span<const Cell> cells) override {
        return left_-- > 0 ? inner_.row(cells) : Result<void>{};
    }

private:
    RowSink& inner_;
    int left_;
};

// A session is known by a number of ours, put before what its driver knows it by: "7;pid=123".
Doubt signed_by(std::uint64_t number, Doubt doubt) {
    doubt.session = std::to_string(number) + ";" + doubt.session;
    return doubt;
}

struct Signed {
    std::uint64_t number = 0;
    Doubt doubt{};
};

Signed unsign(const Doubt& doubt) {
    Signed result{.doubt = doubt};
    const auto mark = doubt.session.find(';');
    if (mark == std::string::npos) return result;
    const char* const start = doubt.session.data();
    std::from_chars(start, start + mark, result.number);
    result.doubt.session = doubt.session.substr(mark + 1);
    return result;
}

// Used by one thread at a time, as every session.
class FaultySession final : public Session {
public:
    FaultySession(std::shared_ptr<FaultBook> book, std::shared_ptr<Driver> driver,
                  std::unique_ptr<Session> inner, Clock& clock)
        : book_{std::move(book)},
          driver_{std::move(driver)},
          inner_{std::move(inner)},
          clock_{clock},
          number_{book_->number_session()} {}

    [[nodiscard]] bool still_good() override { return inner_ && inner_->still_good(); }
    [[nodiscard]] State state() const noexcept override {
        return inner_ ? inner_->state() : State::broken;
    }
    [[nodiscard]] Result<Done> run(const Statement& statement, RowSink& rows,
                                   const Bounds& bounds) override;
    [[nodiscard]] Result<Begun> begin(const Beginning& how, const Bounds& bounds) override;
    [[nodiscard]] Result<void> note(Doubt& doubt, const Bounds& bounds) override;
    [[nodiscard]] const TokenRow* found_token() const noexcept override {
        return inner_ ? inner_->found_token() : nullptr;
    }
    [[nodiscard]] Result<void> commit(const Bounds& bounds) override;
    void roll_back(const Bounds& bounds) noexcept override;

    [[nodiscard]] Result<Landed<TokenRow>> probe(const Token& token, std::string_view table,
                                                 Duration wait, const Bounds& bounds) override {
        if (!inner_) return fail(broken());
        return inner_->probe(token, table, wait, bounds);
    }
    [[nodiscard]] Result<Landed<void>> outcome_of(const Doubt& doubt,
                                                  const Bounds& bounds) override {
        if (!inner_) return fail(broken());
        return inner_->outcome_of(unsign(doubt).doubt, bounds);
    }
    [[nodiscard]] Result<Remains> end_old(const Doubt& doubt, const Bounds& bounds) override;
    [[nodiscard]] Result<void> make_tokens(std::string_view table, const Bounds& bounds) override {
        if (!inner_) return fail(broken());
        return inner_->make_tokens(table, bounds);
    }
    [[nodiscard]] Result<void> index_tokens(std::string_view table, const Bounds& bounds) override {
        if (!inner_) return fail(broken());
        return inner_->index_tokens(table, bounds);
    }
    [[nodiscard]] Result<Purged> purge_tokens(std::string_view table, const PurgeBatch& which,
                                              const Bounds& bounds) override {
        if (!inner_) return fail(broken());
        return inner_->purge_tokens(table, which, bounds);
    }

private:
    static Failure broken() { return lost_link(Moment::executing, Effect::none); }
    // Drops the real session, which ends what it had begun.
    [[nodiscard]] Fail breaks(const Fault& fault, Moment moment, Effect effect);

    std::shared_ptr<FaultBook> book_;
    std::shared_ptr<Driver> driver_;
    std::unique_ptr<Session> inner_;
    Clock& clock_;
    std::uint64_t number_;
};

Fail FaultySession::breaks(const Fault& fault, Moment moment, Effect effect) {
    inner_.reset();
    book_->count_fault();
    return fail(fault.tells ? *fault.tells : lost_link(moment, effect));
}

Result<Done> FaultySession::run(const Statement& statement, RowSink& rows, const Bounds& bounds) {
    const Fault fault = book_->next(Moment::executing);
    if (!inner_) return fail(broken());
    if (fault.what == Planned::pass) return inner_->run(statement, rows, bounds);
    const bool alone = inner_->state() == State::idle;
    if (fault.what != Planned::fail_before) {
        Strainer strainer{rows, fault.what == Planned::fail_midway ? 1 : 0};
        PERDURE_TRY(inner_->run(statement, strainer, bounds));
    }
    if (!alone) inner_->roll_back(bounds);
    return breaks(fault, Moment::executing, alone ? Effect::unknown : Effect::none);
}

Result<Begun> FaultySession::begin(const Beginning& how, const Bounds& bounds) {
    const Fault fault = book_->next(Moment::beginning);
    if (!inner_) return fail(broken());
    if (fault.what != Planned::fail_before) {
        auto begun = inner_->begin(how, bounds);
        if (!begun) return begun;
        begun->doubt = signed_by(number_, std::move(begun->doubt));
        if (fault.what == Planned::pass) return begun;
        inner_->roll_back(bounds);
    }
    return breaks(fault, Moment::beginning, Effect::none);
}

Result<void> FaultySession::note(Doubt& doubt, const Bounds& bounds) {
    if (!inner_) return fail(broken());
    Doubt inner = unsign(doubt).doubt;
    PERDURE_TRY(inner_->note(inner, bounds));
    doubt = signed_by(number_, std::move(inner));
    return {};
}

Result<void> FaultySession::commit(const Bounds& bounds) {
    const Fault fault = book_->next(Moment::committing);
    if (!inner_) return fail(broken());
    // A transaction that cannot be committed is not half-open but over.
    if (fault.what == Planned::pass || inner_->state() != State::open)
        return inner_->commit(bounds);
    if (fault.what == Planned::half_open)
        book_->bury(
            {.number = number_, .driver = driver_, .session = std::move(inner_), .clock = clock_},
            fault);
    else if (fault.what == Planned::fail_before) inner_->roll_back(bounds);
    else PERDURE_TRY(inner_->commit(bounds));
    return breaks(fault, Moment::committing, Effect::unknown);
}

void FaultySession::roll_back(const Bounds& bounds) noexcept {
    if (!inner_) return;
    book_->count_roll_back();
    inner_->roll_back(bounds);
}

// A driver that gives its sessions no name takes a session we keep for one that was closed.
Result<Remains> FaultySession::end_old(const Doubt& doubt, const Bounds& bounds) {
    if (!inner_) return fail(broken());
    const Signed old = unsign(doubt);
    if (old.doubt.session.empty() && book_->lives(old.number)) return Remains::alive;
    return inner_->end_old(old.doubt, bounds);
}

// Shared by any number of threads.
class FaultyDriver final : public Driver {
public:
    FaultyDriver(std::shared_ptr<Driver> inner, std::shared_ptr<FaultBook> book)
        : inner_{std::move(inner)}, book_{std::move(book)} {}

    [[nodiscard]] const Traits& traits() const noexcept override { return inner_->traits(); }
    [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
    [[nodiscard]] Result<std::unique_ptr<Session>> connect(const Connecting& how,
                                                           Clock& clock) override {
        const Fault fault = book_->next(Moment::opening);
        std::unique_ptr<Session> session;
        if (fault.what != Planned::fail_before) {
            PERDURE_TRY_VALUE(session, inner_->connect(how, clock));
        }
        if (fault.what == Planned::pass)
            return std::unique_ptr<Session>{
                std::make_unique<FaultySession>(book_, inner_, std::move(session), clock)};
        book_->count_fault();
        return fail(fault.tells ? *fault.tells : lost_link(Moment::opening, Effect::none));
    }

private:
    const std::shared_ptr<Driver> inner_;
    const std::shared_ptr<FaultBook> book_;
};

}  // namespace

PlannedFaults::PlannedFaults() : book_{std::make_shared<FaultBook>()} {}

void PlannedFaults::open(std::initializer_list<Fault> faults) {
    book_->add(Moment::opening, faults);
}
void PlannedFaults::begin(std::initializer_list<Fault> faults) {
    book_->add(Moment::beginning, faults);
}
void PlannedFaults::execute(std::initializer_list<Fault> faults) {
    book_->add(Moment::executing, faults);
}
void PlannedFaults::commit(std::initializer_list<Fault> faults) {
    book_->add(Moment::committing, faults);
}
void PlannedFaults::by_chance(const FaultChances& chances) { book_->by_chance(chances); }
void PlannedFaults::clear() { book_->clear(); }
void PlannedFaults::release() { book_->release(); }
FaultCounts PlannedFaults::counts() const { return book_->counts(); }

std::shared_ptr<Driver> with_faults(std::shared_ptr<Driver> driver, const PlannedFaults& faults) {
    return std::make_shared<FaultyDriver>(std::move(driver), faults.book_);
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/postgres.hpp"
#include "transfer.hpp"

namespace bench {
namespace {

// Says that the server cannot be asked for a transaction's fate, so that nothing is noted for it.
class WithoutNotes final : public sql::Driver {
public:
    explicit WithoutNotes(std::shared_ptr<sql::Driver> inner)
        : inner_{std::move(inner)}, traits_{inner_->traits()} {
        traits_.notes_transactions = false;
    }
    [[nodiscard]] const sql::Traits& traits() const noexcept override { return traits_; }
    [[nodiscard]] std::string_view name() const noexcept override { return inner_->name(); }
    [[nodiscard]] Result<std::unique_ptr<sql::Session>> connect(const sql::Connecting& how,
                                                                Clock& clock) override {
        return inner_->connect(how, clock);
    }

private:
    std::shared_ptr<sql::Driver> inner_;
    sql::Traits traits_;
};

}  // namespace

std::unique_ptr<Client> make_postgres_token(const Place& place) {
    return std::make_unique<Blocking>("postgres_token", made(sql::postgres(place.where)),
                                      sql::TokenUse::use);
}
std::unique_ptr<Client> make_postgres_noted(const Place& place) {
    return std::make_unique<Blocking>("postgres_noted", made(sql::postgres(place.where)),
                                      sql::TokenUse::off);
}
std::unique_ptr<Client> make_postgres_plain(const Place& place) {
    return std::make_unique<Blocking>(
        "postgres_plain", std::make_shared<WithoutNotes>(made(sql::postgres(place.where))),
        sql::TokenUse::off);
}
std::unique_ptr<Client> make_postgres_coroutine(const Place& place) {
    return std::make_unique<Awaiting>("postgres_coroutine", made(sql::postgres(place.where)),
                                      sql::TokenUse::use);
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/credentials.hpp"

#include <atomic>
#include <utility>

#include "credentials_checks.hpp"
#include "perdure/http/date.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Credentials::~Credentials() = default;

namespace {

class Fixed final : public Credentials {
public:
    explicit Fixed(Keys keys) : keys_{std::make_shared<const Keys>(std::move(keys))} {
        // Here too, for they go into a header as they are.
        auto checked =
            check(*keys_, {"the access key id", "the secret access key", "the session token"});
        if (!checked) wrong_ = std::move(checked.error());
    }

    std::shared_ptr<const Keys> current(WallTime now) override {
        if (wrong_) return nullptr;
        if (!keys_->expires || now < *keys_->expires) return keys_;
        over_.store(true, std::memory_order_relaxed);
        return nullptr;
    }
    // Nobody knows newer ones; the service's own words reach the caller.
    void renew(const Keys& expired) override { (void)expired; }
    [[nodiscard]] std::optional<Failure> problem() const override {
        if (!over_.load(std::memory_order_relaxed)) return wrong_;
        return Failure{.cause = Cause::invalid,
                       .origin = Origin::application,
                       .dependency = "credentials",
                       .code = "expired-credentials",
                       .message = "the keys expired at " + http::http_date(*keys_->expires) +
                                  " and come from nowhere that has newer ones"};
    }

private:
    const std::shared_ptr<const Keys> keys_;
    std::optional<Failure> wrong_{};
    std::atomic<bool> over_{false};
};

}  // namespace

std::shared_ptr<Credentials> fixed_credentials(Keys keys) {
    return std::make_shared<Fixed>(std::move(keys));
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>

#include "perdure/sql/odbc.hpp"
#include "perdure/try.hpp"
#include "sql/odbc/connection_string.hpp"
#include "sql/odbc/session.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace odbc_room {
namespace {

const Traits& traits_of(Product product) noexcept {
    static constexpr Traits others{.product = Product::odbc};
    static constexpr Traits sqlserver{.product = Product::sqlserver};
    static constexpr Traits postgres{.product = Product::postgres};
    static constexpr Traits sqlite{.product = Product::sqlite};
    static constexpr Traits mariadb{
        .product = Product::mariadb, .resolve_within = 3s, .shortest_lock_wait = 1s};
    switch (product) {
        case Product::sqlserver: return sqlserver;
        case Product::postgres: return postgres;
        case Product::mariadb: return mariadb;
        case Product::sqlite: return sqlite;
        case Product::odbc: break;
    }
    return others;
}

bool mentions(std::string text, std::initializer_list<std::string_view> words) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return std::ranges::any_of(
        words, [&](std::string_view one) { return text.find(one) != std::string::npos; });
}

// What a driver does unless told, and what no session of ours could live with.
void mend_defaults(ConnectionString& connection) {
    const std::string* named = connection.find("Driver");
    const std::string driver = named ? *named : std::string{};
    // MariaDB's takes texts in the locale's encoding; ours are UTF-8.
    if (mentions(driver, {"maria", "maodbc"}) && !connection.find("CHARSET"))
        connection.set("CHARSET", "utf8mb4");
    // SQLite's waits 100 s for a lock, and neither a pragma nor SQLCancel ends that.
    if (mentions(driver, {"sqlite"}) && !connection.find("Timeout"))
        connection.set("Timeout", "300");
}

class OdbcDriver final : public Driver {
public:
    OdbcDriver(const ConnectionString& connection, OdbcOptions options)
        : connection_string_{connection.text()},
          name_{connection.name()},
          options_{std::move(options)} {}

    [[nodiscard]] const Traits& traits() const noexcept override {
        return *traits_.load(std::memory_order_acquire);
    }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

    Result<std::unique_ptr<Session>> connect(const Connecting& how, Clock& clock) override {
        PERDURE_TRY_VALUE(auto worker, Worker::start(options_.prepared_statements));
        auto session = std::make_unique<OdbcSession>(std::move(worker), clock);
        auto dbms = session->connect(connection_string_, traits().product, how.bounds);
        if (!dbms) {
            dbms.error().dependency = name_;
            return dbms.take_failure();
        }
        traits_.store(&traits_of(product_of(*dbms)), std::memory_order_release);
        return std::unique_ptr<Session>{std::move(session)};
    }

private:
    const std::string connection_string_;  // with the password: for the driver manager only
    const std::string name_;
    const OdbcOptions options_;
    std::atomic<const Traits*> traits_ = &traits_of(Product::odbc);
};

}  // namespace
}  // namespace odbc_room

Result<std::shared_ptr<Driver>> odbc(std::string_view connection_string_or_url,
                                     OdbcOptions options) {
    using odbc_room::ConnectionString;
    PERDURE_TRY_VALUE(auto connection, ConnectionString::parse(connection_string_or_url));
    if (!options.password_from.empty()) {
        std::string password = odbc_room::environment(options.password_from);
        if (password.empty())
            return fail({.cause = Cause::invalid,
                         .origin = Origin::application,
                         .code = "password-from",
                         .message = "the environment variable " + options.password_from +
                                    ", from which the password is to be read, is not set"});
        connection.set("PWD", std::move(password));
    }
    odbc_room::mend_defaults(connection);
    return std::shared_ptr<Driver>{
        std::make_shared<odbc_room::OdbcDriver>(connection, std::move(options))};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure

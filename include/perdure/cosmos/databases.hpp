// SPDX-License-Identifier: Apache-2.0
//
// How are databases made, found and deleted? With the account's key; roles of Entra ID do not suffice.
//
//     admin.send(CreateDatabase{"shop"});
//     for (const std::string& json : admin.send(ListDatabases{})->documents) Document{json}.id();
//
// Made unless it is there: ensure.hpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "perdure/cosmos/clauses.hpp"
#include "perdure/cosmos/delete_item.hpp"
#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/page.hpp"
#include "perdure/cosmos/reply.hpp"
#include "perdure/cosmos/throughput.hpp"
#include "perdure/cosmos/wire/status_code.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct Database {
    std::string id{};
    std::string rid{};   // changes when it is deleted and made again
    std::string json{};  // all that the service says of it
    double charge = 0;
};

// All are plain values.
class CreateDatabase : public WithThroughput<CreateDatabase>, public WithRepeat<CreateDatabase> {
public:
    using Answer = Database;
    explicit CreateDatabase(std::string id) : id_{std::move(id)} {}

    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    [[nodiscard]] std::string_view operation() const noexcept { return "CreateDatabase"; }
    [[nodiscard]] Safety safety() const noexcept { return declared(); }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Database> read(Reply& reply, const CallFacts& facts) const;

private:
    std::string id_;
};

class ReadDatabase {
public:
    using Answer = Database;
    explicit ReadDatabase(std::string id) : id_{std::move(id)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "ReadDatabase"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Database> read(Reply& reply, const CallFacts& facts) const;

private:
    std::string id_;
};

// With everything in it. Declared idempotent, one that is not there is as good as deleted.
class DeleteDatabase : public WithRepeat<DeleteDatabase> {
public:
    using Answer = Deleted;
    explicit DeleteDatabase(std::string id) : id_{std::move(id)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "DeleteDatabase"; }
    [[nodiscard]] Safety safety() const noexcept { return declared(); }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Deleted> read(Reply& reply, const CallFacts& facts) const;
    [[nodiscard]] bool takes(StatusCode code) const noexcept {
        return idempotent_ && (code == StatusCode{404} || code == StatusCode{404, 1003});
    }

private:
    std::string id_;
};

class ListDatabases {
public:
    using Answer = Page;

    // Page::next of the page before.
    ListDatabases& after(std::string continuation) & {
        continuation_ = std::move(continuation);
        return *this;
    }
    ListDatabases&& after(std::string continuation) && {
        return std::move(after(std::move(continuation)));
    }

    [[nodiscard]] std::string_view operation() const noexcept { return "ListDatabases"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Page> read(Reply& reply, const CallFacts& facts) const;

private:
    std::string continuation_{};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

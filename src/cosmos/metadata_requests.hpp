// SPDX-License-Identifier: Apache-2.0
//
// What does the clerk ask for? The account, a container and its ranges.
#pragma once

#include <string>
#include <vector>

#include "perdure/cosmos/envelope.hpp"
#include "perdure/cosmos/reply.hpp"
#include "perdure/cosmos/wire/account_document.hpp"
#include "perdure/cosmos/wire/container_properties.hpp"
#include "perdure/cosmos/wire/partition_ranges.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

class ReadAccount {
public:
    using Answer = AccountDocument;
    [[nodiscard]] std::string_view operation() const noexcept { return "ReadAccount"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<AccountDocument> read(Reply& reply, const CallFacts& facts) const;
};

// The container as the clerk keeps it. Refers to the name.
class LookUpContainer {
public:
    using Answer = ContainerProperties;
    explicit LookUpContainer(const ContainerName& name) : name_{name} {}
    [[nodiscard]] std::string_view operation() const noexcept { return "ReadContainer"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<ContainerProperties> read(Reply& reply, const CallFacts& facts) const;

private:
    const ContainerName& name_;
};

struct RangesPage {
    std::vector<PartitionRange> ranges{};
    std::string etag{};
    bool news = false;  // false: nothing since the etag that was sent
};

// Refers to the name.
class ReadRanges {
public:
    using Answer = RangesPage;
    ReadRanges(const ContainerName& name, std::string since)
        : name_{name}, since_{std::move(since)} {}
    [[nodiscard]] std::string_view operation() const noexcept { return "ReadPartitionRanges"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<RangesPage> read(Reply& reply, const CallFacts& facts) const;

private:
    const ContainerName& name_;
    std::string since_;
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

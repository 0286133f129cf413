// SPDX-License-Identifier: Apache-2.0
//
// What of a target is its ledger's business? All of these: they are handed on.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "load/target/target.hpp"

namespace tool::load {

// A ledger has functions of these names. Threads: as Target.
template <class Ledger>
class LedgerTarget : public Target {
public:
    [[nodiscard]] Result<void> open_ledger() override { return ledger().open(); }
    [[nodiscard]] Result<SourceEntry> enter(const SourceEntry& source) override {
        return ledger().enter(source);
    }
    [[nodiscard]] Result<std::optional<SourceEntry>> entry(std::string_view source) override {
        return ledger().entry(source);
    }
    [[nodiscard]] Result<std::vector<Range>> done(std::string_view source) override {
        return ledger().done(source);
    }
    [[nodiscard]] Result<void> merge(std::string_view source, std::uint64_t begin,
                                     std::uint64_t end) override {
        return ledger().merge(source, begin, end);
    }
    [[nodiscard]] Result<void> forget(std::string_view source) override {
        return ledger().forget(source);
    }
    [[nodiscard]] Result<void>
    rejections(std::string_view source,
               const std::function<Result<void>(const KeptRejection&)>& each) override {
        return ledger().rejections(source, each);
    }

    [[nodiscard]] Result<std::vector<SourceEntry>> begun_alike(const SourceEntry& source) override {
        if constexpr (requires { ledger().begun_alike(source); })
            return ledger().begun_alike(source);
        return std::vector<SourceEntry>{};
    }

protected:
    [[nodiscard]] virtual Ledger& ledger() noexcept = 0;
};

}  // namespace tool::load

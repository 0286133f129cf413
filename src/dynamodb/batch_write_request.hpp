// SPDX-License-Identifier: Apache-2.0
//
// How does one chunk of writes look on the wire, and what does the answer leave over?
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "batch_keys.hpp"
#include "perdure/dynamodb/batch_write.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// What a batch of writes comes to: one entry for each key, checked and measured. Constant, so for any
// number of threads.
struct WriteBatch {
    WriteBatch(std::shared_ptr<const BatchWrite> from, std::string dependency);

    std::shared_ptr<const BatchWrite> writes;
    BatchKeys keys;
    std::vector<std::size_t> bytes{};  // of JSON, by key
};

// A BatchWriteItem; see order.hpp for what a request is. Shares the batch, because a send that is cut
// off may outlive it.
class BatchWriteRequest {
public:
    using Answer = std::vector<std::size_t>;  // the positions in the chunk that were left

    BatchWriteRequest(std::shared_ptr<const WriteBatch> batch, Chunk chunk)
        : batch_{std::move(batch)}, chunk_{std::move(chunk)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "BatchWriteItem"; }
    // Nothing if there are several.
    [[nodiscard]] std::string_view table() const noexcept;
    [[nodiscard]] Safety safety() const noexcept { return Safety::idempotent; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<Answer> read(std::string& json) const;

private:
    [[nodiscard]] const BatchWrite::Entry& entry(std::size_t key) const {
        return batch_->writes->entries()[batch_->keys.entry(key)];
    }
    Result<void> read_table(std::string_view name, JsonNode& list, Answer& left) const;

    std::shared_ptr<const WriteBatch> batch_;
    Chunk chunk_;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

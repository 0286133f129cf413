// SPDX-License-Identifier: Apache-2.0
//
// How does one chunk of reads look on the wire, and which item of the answer is whose?
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "batch_keys.hpp"
#include "perdure/dynamodb/batch_get.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// What is asked of a table besides keys. The attributes of the key are always read, or nobody could
// tell whose an item is.
struct ReadForm {
    std::string projection{};
    Placeholders placeholders{};
    KeyNames added{};  // attributes of the key that the caller did not ask for
};
[[nodiscard]] ReadForm read_form(const BatchGet::Table& table, const KeyNames& key);

// What a batch of reads comes to: each key once, checked. Constant, so for any number of threads.
struct ReadBatch {
    ReadBatch(std::shared_ptr<const BatchGet> from, std::string dependency);

    std::shared_ptr<const BatchGet> wanted;
    BatchKeys keys;
    std::vector<ReadForm> forms{};  // by table
};

struct ReadAnswer {
    std::vector<std::optional<Item>> items{};  // by position in the chunk; nothing: no such item
    std::vector<std::size_t> left{};           // positions
};

// A BatchGetItem; see order.hpp for what a request is.
class BatchGetRequest {
public:
    using Answer = ReadAnswer;

    BatchGetRequest(std::shared_ptr<const ReadBatch> batch, Chunk chunk)
        : batch_{std::move(batch)}, chunk_{std::move(chunk)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "BatchGetItem"; }
    // Nothing if there are several.
    [[nodiscard]] std::string_view table() const noexcept;
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<ReadAnswer> read(std::string& json) const;

private:
    [[nodiscard]] const BatchGet::Key& entry(std::size_t key) const {
        return batch_->wanted->keys()[batch_->keys.entry(key)];
    }
    Result<void> read_items(std::string_view table, JsonNode& list, ReadAnswer& answer) const;
    Result<void> read_left(std::string_view table, JsonNode& about, ReadAnswer& answer) const;

    std::shared_ptr<const ReadBatch> batch_;
    Chunk chunk_;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "live/odbc_fault_driver/store.hpp"

#include <utility>

namespace odbc_fault {

std::optional<Record> Store::insert_token(const std::string& key, const std::string& attempt_id,
                                          Changes& changes) {
    const std::lock_guard lock{mutex_};
    if (!has_tokens_)
        return Record{208, "42S02", "[Fault][SQL Server]Invalid object name 'perdure_token'."};
    if (tokens_.contains(key) || changes.tokens.contains(key))
        return Record{2627, "23000", "[Fault][SQL Server]The duplicate key value is (secret)."};
    if (held_.contains(key))
        return Record{1222, "42000", "[Fault][SQL Server]Lock request time out period exceeded."};
    held_.insert(key);
    changes.tokens.emplace(key, attempt_id);
    return std::nullopt;
}

std::optional<std::string> Store::attempt_of(const std::string& token) {
    const std::lock_guard lock{mutex_};
    const auto found = tokens_.find(token);
    if (found == tokens_.end()) return std::nullopt;
    return found->second;
}

void Store::create_tokens() {
    const std::lock_guard lock{mutex_};
    has_tokens_ = true;
}

std::int64_t Store::delete_tokens() {
    const std::lock_guard lock{mutex_};
    return static_cast<std::int64_t>(std::exchange(tokens_, {}).size());
}

void Store::commit(Changes& changes) {
    const std::lock_guard lock{mutex_};
    for (const auto& [token, attempt_id] : changes.tokens) held_.erase(token);
    tokens_.merge(changes.tokens);
    rows_ += changes.rows;
    changes = {};
}

void Store::roll_back(Changes& changes) {
    const std::lock_guard lock{mutex_};
    for (const auto& [token, attempt_id] : changes.tokens) held_.erase(token);
    changes = {};
}

std::int64_t Store::rows(const Changes& changes) {
    const std::lock_guard lock{mutex_};
    return rows_ + changes.rows;
}

std::int64_t Store::committed_tokens() {
    const std::lock_guard lock{mutex_};
    return static_cast<std::int64_t>(tokens_.size());
}

void Store::reset() {
    const std::lock_guard lock{mutex_};
    tokens_.clear();
    held_.clear();
    rows_ = 0;
    has_tokens_ = true;
}

Store& store() {
    static Store* const one = new Store;  // threads may still use it when the process ends
    return *one;
}

}  // namespace odbc_fault

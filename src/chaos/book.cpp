// SPDX-License-Identifier: Apache-2.0
#include "chaos/book.hpp"

#include <iterator>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace chaos {

void Book::begin(const Plan& plan) {
    const std::lock_guard lock{mutex_};
    counters_.rules.clear();
    for (const Rule& rule : plan.rules)
        counters_.rules.push_back({.name = name_of(rule), .fault = rule.fault});
}

void Book::fitted(std::size_t rule) {
    const std::lock_guard lock{mutex_};
    ++counters_.rules[rule].fitting;
}

void Book::struck(std::size_t rule) {
    const std::lock_guard lock{mutex_};
    ++counters_.rules[rule].struck;
}

void Book::count(std::uint64_t Counters::* what) {
    const std::lock_guard lock{mutex_};
    ++(counters_.*what);
}

void Book::closed() {
    const std::lock_guard lock{mutex_};
    --counters_.open_connections;
}

void Book::fault(Fault fault, When forwarding) {
    const std::lock_guard lock{mutex_};
    ++counters_.faults[static_cast<std::size_t>(fault)];
    ++(forwarding == When::before ? counters_.faults_before_forwarding
                                  : counters_.faults_after_forwarding);
}

void Book::write(Record record) {
    const std::lock_guard lock{mutex_};
    if (records_.size() >= room_) {
        ++counters_.records_lost;
        if (records_.empty()) return;  // no room at all
        records_.pop_front();
    }
    records_.push_back(std::move(record));
}

Counters Book::counters() const {
    const std::lock_guard lock{mutex_};
    return counters_;
}

std::vector<Record> Book::records() const {
    const std::lock_guard lock{mutex_};
    return {records_.begin(), records_.end()};
}

std::vector<Record> Book::take_records() {
    const std::lock_guard lock{mutex_};
    std::vector<Record> taken{std::make_move_iterator(records_.begin()),
                              std::make_move_iterator(records_.end())};
    records_.clear();
    return taken;
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

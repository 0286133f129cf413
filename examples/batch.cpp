// SPDX-License-Identifier: Apache-2.0
//
// Sixty orders into a table that takes 25 at a time, and not always all of them. For
// docs/guide/batches.md.
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "perdure/perdure.hpp"

using namespace perdure;

namespace {

struct Order {
    std::string id;
    std::string text;
};

struct PutAnswer {
    std::vector<std::size_t> unprocessed;  // positions in the request
    std::vector<std::size_t> invalid;
};

// Stands for a service: throttles every third request, and every other one in part.
class Table {
public:
    Result<PutAnswer> put(const std::vector<const Order*>& orders) {
        const std::lock_guard lock{mutex_};
        if (++requests_ % 3 == 0) return fail({.cause = Cause::throttled, .code = "Throttled"});
        PutAnswer answer;
        for (std::size_t at = 0; at < orders.size(); ++at) {
            if (orders[at]->text.empty()) answer.invalid.push_back(at);
            else if (requests_ % 2 == 0 && at >= orders.size() / 2)
                answer.unprocessed.push_back(at);
            else rows_.insert(orders[at]->id);
        }
        return answer;
    }
    Result<std::vector<std::string>> find(const std::vector<std::string>& ids) {
        const std::lock_guard lock{mutex_};
        std::vector<std::string> found;  // in an order of its own, as services do
        for (const std::string& row : rows_)
            for (const std::string& id : ids)
                if (row == id) found.push_back("row of " + row);
        return found;
    }
    std::size_t rows() const { return rows_.size(); }

private:
    std::mutex mutex_;
    int requests_ = 0;
    std::set<std::string> rows_;
};

std::vector<Order> make_orders() {
    std::vector<Order> orders;
    for (int i = 0; i < 60; ++i) orders.push_back({"order-" + std::to_string(i), "a book"});
    orders[17].text = "";
    orders[41].text = std::string(5'000, 'x');
    return orders;
}

BatchReport<> write(Caller& caller, Table& table, const std::vector<Order>& orders) {
    // [write]
    const auto bytes_of = [&](std::size_t index) { return orders[index].text.size(); };
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<>> {
        std::vector<const Order*> request;
        for (const std::size_t index : chunk) request.push_back(&orders[index]);
        const auto put = table.put(request);
        if (!put) return fail(put.error());  // the whole chunk

        ChunkAnswer<> answer{chunk};  // all done, but …
        for (const std::size_t at : put->unprocessed) answer.left(at, {.cause = Cause::throttled});
        for (const std::size_t at : put->invalid)
            answer.left(at, {.cause = Cause::invalid, .code = "EmptyText"});
        return answer;
    };
    const BatchReport<> report = run_batch(
        caller, {.name = "put-orders", .safety = Safety::idempotent},
        {.chunk_items = 25, .largest_item = 4'096, .size_of = bytes_of}, orders.size(), send);
    // [/write]
    return report;
}

void account(const BatchReport<>& report, const std::vector<Order>& orders) {
    // [account]
    std::printf("%zu of %zu written, %llu sends, at most %d for one order\n", report.done,
                report.items, static_cast<unsigned long long>(report.sends), report.rounds);
    for (const auto& [index, failure] : report.leftovers)
        std::printf("%s: %s, sent %d times\n", orders[index].id.c_str(), failure.code.c_str(),
                    failure.attempts);
    // [/account]
}

std::size_t read_back(Caller& caller, Table& table, const std::vector<Order>& orders) {
    // [read]
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Result<ChunkAnswer<std::string>> {
        std::vector<std::string> ids;
        for (const std::size_t index : chunk) ids.push_back(orders[index].id);
        const auto rows = table.find(ids);
        if (!rows) return fail(rows.error());

        ChunkAnswer<std::string> answer{chunk};
        answer.all_left({.cause = Cause::not_found});
        for (const std::string& row : *rows)
            for (std::size_t at = 0; at < ids.size(); ++at)
                if (row == "row of " + ids[at]) answer.done(at, row);
        return answer;
    };
    const auto found = run_batch(caller, {.name = "find-orders", .safety = Safety::read},
                                 {.chunk_items = 10}, orders.size(), send);
    for (const std::size_t index : {3u, 17u, 59u})
        std::printf("%s\n", found.values[index].value_or("nothing").c_str());
    // [/read]
    return found.done;
}

// [coroutine]
Task<BatchReport<>> write_later(Caller& caller, Table& table, const std::vector<Order>& orders) {
    const auto send = [&](const Chunk& chunk, const Attempt&) -> Task<Result<ChunkAnswer<>>> {
        std::vector<const Order*> request;
        for (const std::size_t index : chunk) request.push_back(&orders[index]);
        const auto put = table.put(request);  // a real one would be awaited
        if (!put) co_return fail(put.error());
        ChunkAnswer<> answer{chunk};
        for (const std::size_t at : put->unprocessed) answer.left(at, {.cause = Cause::throttled});
        co_return answer;
    };
    const Operation put_orders{.name = "put-orders", .safety = Safety::idempotent};
    auto batch = start_batch(caller, put_orders, {.chunk_items = 25}, orders.size(), send);
    co_return co_await batch;  // two statements, as for every call
}
// [/coroutine]

}  // namespace

int main() {
    Caller caller{
        {.name = "orders", .deadline = 5s, .rule = {.attempts = 6, .backoff = {.base = 2ms}}}};
    const std::vector<Order> orders = make_orders();
    Table table;
    const BatchReport<> report = write(caller, table, orders);
    account(report, orders);
    const std::size_t found = read_back(caller, table, orders);

    Loop loop;
    Caller later{{.name = "orders", .rule = {.backoff = {.base = 2ms}}}, {.executor = &loop}};
    const BatchReport<> again = block_on(loop, write_later(later, table, orders));
    return report.done == 58 && table.rows() >= found && found == 58 && again.complete() ? 0 : 1;
}

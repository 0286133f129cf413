// SPDX-License-Identifier: Apache-2.0
//
// What becomes of an input with very many columns? It is refused before anything is made of them where no table has
// so many; elsewhere the work grows with their number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/engine/preparation.hpp"
#include "load/target/sql/sql_dialect.hpp"
#include "load_source_case.hpp"

namespace tool::load {
namespace {

using namespace perdure;
using ::testing::HasSubstr;

// Without a table yet. Only `prepare` is called with it.
class EmptyTarget : public Target {
public:
    EmptyTarget(std::size_t most, bool any_field) : most_{most}, any_field_{any_field} {}
    [[nodiscard]] std::string_view name() const noexcept override { return "empty"; }
    [[nodiscard]] int workers() const noexcept override { return 1; }
    [[nodiscard]] std::size_t most_columns() const noexcept override { return most_; }
    [[nodiscard]] bool takes_any_field() const noexcept override { return any_field_; }
    [[nodiscard]] Result<std::optional<TableFacts>> look() override {
        return std::optional<TableFacts>{};
    }
    [[nodiscard]] std::string create_statement(const Schema&) const override { return {}; }
    [[nodiscard]] Result<void> create(const Schema&) override { return {}; }
    void use(const Schema&) override {}
    [[nodiscard]] Result<void> open_ledger() override { return {}; }
    [[nodiscard]] Result<SourceEntry> enter(const SourceEntry& source) override { return source; }
    [[nodiscard]] Result<std::optional<SourceEntry>> entry(std::string_view) override {
        return std::optional<SourceEntry>{};
    }
    [[nodiscard]] Result<std::vector<Range>> done(std::string_view) override {
        return std::vector<Range>{};
    }
    [[nodiscard]] Result<void> merge(std::string_view, std::uint64_t, std::uint64_t) override {
        return {};
    }
    [[nodiscard]] Result<void> forget(std::string_view) override { return {}; }
    [[nodiscard]] Result<void>
    rejections(std::string_view,
               const std::function<Result<void>(const KeptRejection&)>&) override {
        return {};
    }
    [[nodiscard]] Result<Range> write(const Order& order, const std::stop_token&) override {
        return order.range;
    }
    [[nodiscard]] Result<void> scan(const RowReader&) override { return {}; }
    [[nodiscard]] Result<void> find(std::span<const Value>, const RowReader&) override {
        return {};
    }
    [[nodiscard]] Result<std::uint64_t> count() override { return std::uint64_t{0}; }
    [[nodiscard]] TargetCounts counts() const override { return {}; }

private:
    std::size_t most_;
    bool any_field_;
};

std::string object_of(int first, int fields) {
    std::string object = "{";
    for (int i = first; i < first + fields; ++i)
        object += (i == first ? "\"k" : ",\"k") + std::to_string(i) + "\":1";
    return object + "}\n";
}

class LoadColumns : public SourceCase {
protected:
    Result<Preparation> prepared(std::vector<std::string> names, Target& target) {
        const Wishes wishes{.names = std::move(names), .table = "t", .create = Creating::allowed};
        auto inputs = find_inputs(wishes, "fresh");
        EXPECT_TRUE(inputs);
        return prepare(target, wishes, *std::move(inputs));
    }
};

TEST_F(LoadColumns, are_refused_where_no_table_has_so_many) {
    EmptyTarget target{1000, false};
    const std::string one = file("one.jsonl", object_of(0, 1000));
    const std::string more = file("more.jsonl", object_of(999, 2));
    EXPECT_TRUE(prepared({one}, target));
    const auto refused = prepared({one, more}, target);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message,
                HasSubstr("there are 1,001 columns, and a table of empty has at most 1,000"));
    EXPECT_EQ(refused.error().cause, Cause::invalid);
    std::string header = "a";
    for (int i = 0; i < 300'000; ++i) header += ",c" + std::to_string(i);
    EXPECT_THAT(prepared({file("wide.csv", header + "\n")}, target).error().message,
                HasSubstr("there are 300,001 columns"));
}

// If each were compared with all others, it would be 20,000,000,000 comparisons.
TEST_F(LoadColumns, by_the_hundred_thousand_are_told_apart_where_there_is_no_limit) {
    EmptyTarget target{SIZE_MAX, true};
    constexpr int many = 200'000;
    const std::string path = file("wide.jsonl", object_of(0, many) + object_of(0, many));
    const auto made = prepared({path, file("again.jsonl", object_of(1, many))}, target);
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ(made->schema.columns.size(), many + 1);
    EXPECT_EQ(made->schema.columns.back().name, "k" + std::to_string(many));
    const ColumnIndex index{made->schema};
    for (const int i : {0, 1, 99'999, many}) {
        const auto found = index.find(made->schema, "k" + std::to_string(i));
        ASSERT_TRUE(found);
        EXPECT_EQ(*found, static_cast<std::size_t>(i));
    }
    EXPECT_FALSE(index.find(made->schema, "k"));
    EXPECT_FALSE(index.find(made->schema, "z"));
}

TEST_F(LoadColumns, have_the_limit_of_the_database_that_makes_the_table) {
    EXPECT_EQ(dialect_of(sql::Product::sqlite).most_columns, 2000);
    EXPECT_EQ(dialect_of(sql::Product::postgres).most_columns, 1600);
    EXPECT_EQ(dialect_of(sql::Product::mariadb).most_columns, 1017);
}

}  // namespace
}  // namespace tool::load

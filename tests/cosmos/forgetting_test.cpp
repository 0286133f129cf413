// SPDX-License-Identifier: Apache-2.0
//
// What becomes of regions that the account no longer names? A service can name new ones without end, and
// calls that use one must not lose it.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "cosmos/container_shelf.hpp"
#include "cosmos/regions.hpp"
#include "cosmos/start.hpp"
#include "perdure/testing/fixed_random.hpp"

namespace perdure::cosmos {
namespace {

constexpr std::size_t remembered = 32;

testing::FixedRandom no_spread{0};

// Routes that only count who holds them.
class Changing {
public:
    Changing()
        : regions{{.given = http::parse_url("https://acct.db.example/").value()},
                  [this](const std::string&) -> Result<std::shared_ptr<http::Route>> {
                      ++made;
                      return std::shared_ptr<http::Route>{held_, nullptr};
                  },
                  no_spread,
                  nullptr,
                  [this](Region& region) { shelf.forget(region); }} {}

    void learn(int first, int count) {
        AccountDocument document;
        for (int i = first; i < first + count; ++i) {
            const std::string name = "r" + std::to_string(i);
            document.readable.push_back(
                {name, http::parse_url("https://acct-" + name + ".db.example/").value()});
        }
        document.writable = document.readable;
        regions.learn(document);
    }
    [[nodiscard]] std::size_t routes() const {
        return static_cast<std::size_t>(held_.use_count()) - 1;
    }
    [[nodiscard]] const Region& first_of(TimePoint now = start) {
        return *regions.now(now)->reads.front();
    }

private:
    std::shared_ptr<int> held_ = std::make_shared<int>();

public:
    int made = 0;
    ContainerShelf shelf;
    Regions regions;
};

TEST(RegionsForgotten, are_those_that_many_documents_have_named) {
    Changing account;
    for (int document = 0; document < 100; ++document) {
        account.learn(128 * document, 128);
        ASSERT_LE(account.regions.count(), 128 + remembered);
        ASSERT_EQ(account.routes(), account.regions.count());
    }
    EXPECT_EQ(account.made, 12'800);
    EXPECT_EQ(account.first_of().name, "r12672");
}

TEST(RegionsForgotten, are_not_those_that_come_back_soon_with_their_mark) {
    Changing account;
    account.learn(0, 2);
    account.regions.mark(account.first_of(), Mark::lost, start);
    account.learn(1, 1);
    account.learn(1000, static_cast<int>(remembered) - 2);
    account.learn(0, 2);
    EXPECT_EQ(account.first_of().name, "r1") << "r0 is marked still";
}

TEST(RegionsForgotten, stay_for_a_call_that_began_while_they_were_known) {
    Changing account;
    account.learn(0, 128);
    auto call = account.regions.now(start);
    for (int document = 1; document < 10; ++document) account.learn(128 * document, 128);
    EXPECT_EQ(account.regions.count(), 10 * 128u);
    EXPECT_EQ(call->reads.front()->name, "r0");
    account.regions.mark(*call->reads.front(), Mark::lost, start);
    account.regions.note_timeout(*call->reads.front(), start, 1s, start + 1s);
    EXPECT_TRUE(account.regions.lost(start).empty());
    call.reset();
    account.learn(0, 128);
    EXPECT_LE(account.regions.count(), 128 + remembered);
    EXPECT_EQ(account.routes(), account.regions.count());
    EXPECT_EQ(account.first_of().name, "r0") << "one of that name, without a mark";
}

TEST(RegionsForgotten, are_not_those_that_the_user_gave) {
    Changing account;
    const auto url = http::parse_url("https://acct-west.db.example/").value();
    const Region* const west = account.regions.at("West US", url);
    for (int document = 0; document < 5; ++document) account.learn(128 * document, 128);
    EXPECT_EQ(account.regions.at("West US", url), west);
}

TEST(RegionsForgotten, leave_no_range_behind) {
    Changing account;
    account.learn(0, 1);
    const auto call = account.regions.now(start);
    const Region& gone = *call->reads.front();
    RangeHealth& health = account.shelf.at({"shop", "orders"}).health;
    health.note_failure(gone, "7", Does::read, {}, start, no_spread);
    health.refuse_writes(gone, "8", start, start + 1min);
    health.refuse_writes(gone, "9", start, start + 1min);
    health.note_write(gone, "9");
    Place* const place = health.find(gone, "7", Does::read);
    ASSERT_NE(place, nullptr);
    EXPECT_EQ(health.writer_of("9"), &gone);

    for (int document = 1; document < 3; ++document) account.learn(128 * document, 128);
    EXPECT_EQ(health.writer_of("9"), nullptr);
    EXPECT_EQ(health.find(gone, "7", Does::read), nullptr);
    EXPECT_EQ(health.refused_until(gone, "8"), TimePoint::min());
    EXPECT_EQ(place->failures_in_a_row(), 1) << "the call has it still";
    // What the call finds out now is noted nowhere.
    health.note_failure(gone, "7", Does::read, {}, start, no_spread);
    health.refuse_writes(gone, "8", start, start + 1min);
    health.note_write(gone, "9");
    EXPECT_EQ(health.find(gone, "7", Does::read), nullptr);
    EXPECT_EQ(health.writer_of("9"), nullptr);
}

TEST(RegionsThreads, keep_what_they_hold_while_documents_change) {
    Changing account;
    account.learn(0, 8);
    std::atomic<bool> over{false};
    std::atomic<int> used{0};
    std::vector<std::jthread> calls;
    for (int i = 0; i < 3; ++i)
        calls.emplace_back([&] {
            RangeHealth& health = account.shelf.at({"shop", "orders"}).health;
            while (!over) {
                const auto call = account.regions.now(start);
                for (const Region* const region : call->reads) {
                    health.refuse_writes(*region, "1", start, start + 1min);
                    health.note_write(*region, "1");
                    if (const Region* const writer = health.writer_of("1"))
                        used += static_cast<int>(writer->name.size());
                    account.regions.mark(*region, Mark::slow, start);
                }
            }
        });
    for (int document = 1; document < 200; ++document) account.learn(64 * document, 64);
    over = true;
    calls.clear();
    account.learn(0, 1);
    account.learn(1, 1);
    EXPECT_LE(account.regions.count(), 2 * remembered + 64);
    EXPECT_GE(used, 0);
}

}  // namespace
}  // namespace perdure::cosmos

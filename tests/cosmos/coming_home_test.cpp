// SPDX-License-Identifier: Apache-2.0
//
// When does a client come back to a region, or to a partition range in it, that was ill? On the default
// plan, with marks as long as the defaults say, and a clock that is put forward behind their end.
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cosmos/outage.hpp"
#include "perdure/cosmos/wire/classify.hpp"

namespace perdure::cosmos {
namespace {

// The system's clock plus what it was put forward by.
class ForwardClock final : public Clock {
public:
    [[nodiscard]] TimePoint now() const noexcept override {
        return system_clock().now() + ahead_.load();
    }
    [[nodiscard]] WallTime wall() const noexcept override { return system_clock().wall(); }
    Woken sleep_until(TimePoint until, const std::stop_token& stop) override {
        return system_clock().sleep_until(until - ahead_.load(), stop);
    }
    void put_forward(Duration by) { ahead_ = ahead_.load() + by; }

private:
    std::atomic<Duration> ahead_{Duration::zero()};
};

// RegionOptions::health marks for 10 s, a tenth more or less.
constexpr Duration past_a_mark = 12s;

// A client that configures nothing, of an account whose East US falls ill.
struct Patient {
    explicit Patient(const chaos::GatewayOptions& account) : outage{account} {}

    ForwardClock clock;
    Outage outage;
    Client client{outage.nothing_configured(Environment{clock})};
};

UpsertItem upsert_of(const std::string& key) {
    return {orders, R"({"id":"1","pk":")" + key + "\"}", PartitionKey{key}};
}

// `to_east_when_well` of the calls go to East US whatever happens to the rest: they are about what is well.
template <class R>
void expect_coming_home(Patient& patient, const GatewayFault& illness, const R& call,
                        int to_east_when_well = 0) {
    constexpr int calls = 80;
    const int elsewhere = calls - to_east_when_well;
    Outage& outage = patient.outage;
    (void)outage.count(calls, call);
    outage.fall_ill(illness);
    const Tally ill = outage.count(calls, call);
    EXPECT_EQ(ill.done, calls) << ill.why;
    EXPECT_EQ(ill.at_sick, to_east_when_well + 3) << "three find out";
    for (int mark = 0; mark < 3; ++mark) {
        patient.clock.put_forward(past_a_mark);
        const Tally tried = outage.count(calls, call);
        EXPECT_EQ(tried.done, calls) << tried.why;
        EXPECT_EQ(tried.at_sick, to_east_when_well + 1) << "one tries it, and the mark is renewed";
        EXPECT_EQ(tried.requests, calls + 1) << "which costs that call one retry";
    }
    outage.stage->plan({});
    const Tally well = outage.count(calls, call);
    EXPECT_EQ(well.requests - well.at_sick, elsewhere) << "the mark has not ended yet";
    patient.clock.put_forward(past_a_mark);
    const Tally home = outage.count(calls, call);
    EXPECT_EQ(home.done, calls) << home.why;
    EXPECT_EQ(home.at_sick, calls);
    EXPECT_EQ(home.requests, calls);
}

TEST(CosmosComingHome, of_reads_to_a_region_is_tried_by_one_call_whose_success_brings_all_home) {
    for (const auto& [name, illness] : {std::pair{"503", answers(503)},
                                        {"500", answers(500)},
                                        {"408", answers(408)},
                                        {"resets", resets()}}) {
        SCOPED_TRACE(name);
        Patient patient{account_of(2)};
        expect_coming_home(patient, illness, reads(patient.client));
    }
}

TEST(CosmosComingHome, of_writes_to_a_region_is_tried_by_one_call_whose_success_brings_all_home) {
    for (const auto& [name, illness] :
         {std::pair{"503", answers(503)}, {"500", answers(500)}, {"resets", resets()}}) {
        SCOPED_TRACE(name);
        Patient patient{multi_write_account(2)};
        const auto write = [&](int) { return patient.client.send(upsert_of("A").idempotent()); };
        expect_coming_home(patient, illness, write);
    }
}

// Keys of one range, which falls ill, and keys of the others.
class RangeComingHome : public ::testing::TestWithParam<Does> {
protected:
    static chaos::GatewayOptions account() {
        chaos::GatewayOptions options = multi_write_account(2);
        options.partitions = 10;
        return options;
    }
    RangeComingHome() {
        for (int i = 0; i < 40; ++i) {
            const std::string key = "k" + std::to_string(i);
            patient.client.send(upsert_of(key)).value();
            const std::string range = patient.outage.stage->take_records().back().range;
            if (sick_range.empty()) sick_range = range;
            (range == sick_range ? sick : well).push_back(key);
        }
    }
    // Every other call is about the sick range.
    Result<void> call(int i) {
        const auto& keys = i % 2 == 0 ? sick : well;
        const std::string& key = keys[static_cast<std::size_t>(i / 2) % keys.size()];
        if (GetParam() == Does::write) {
            auto written = patient.client.send(upsert_of(key).idempotent());
            if (!written) return written.take_failure();
        } else {
            auto read = patient.client.send(ReadItem{orders, "1", PartitionKey{key}});
            if (!read) return read.take_failure();
        }
        return {};
    }

    Patient patient{account()};
    std::string sick_range;
    std::vector<std::string> sick, well;
};

TEST_P(RangeComingHome, is_tried_by_one_call_whose_success_brings_the_range_home) {
    for (GatewayFault illness : {answers(503), answers(500), resets()}) {
        SCOPED_TRACE(illness.status);
        illness.range = sick_range;
        const auto either = [&](int i) { return call(i); };
        expect_coming_home(patient, illness, either, 40);
    }
}

INSTANTIATE_TEST_SUITE_P(Cosmos, RangeComingHome, ::testing::Values(Does::read, Does::write),
                         [](const auto& does) {
                             return std::string{does.param == Does::read ? "reads" : "writes"};
                         });

// The one that tries has no answer yet: nobody knows whether the region is well.
TEST(CosmosComingHome, leaves_the_others_where_they_are_while_one_call_tries) {
    Patient patient{account_of(2)};
    Outage& outage = patient.outage;
    outage.fall_ill(answers(503));
    (void)outage.count(10, reads(patient.client));
    patient.clock.put_forward(past_a_mark);
    GatewayFault silent{.to = 1};
    silent.delay = 1min;
    outage.fall_ill(silent);
    std::stop_source stop;
    const auto try_it = [&] {
        (void)patient.client.send(read_of("known"), {.stop = stop.get_token()});
    };
    std::jthread alone{try_it};
    while (outage.stage->struck()[0] == 0) std::this_thread::yield();
    const Tally others = outage.count(50, reads(patient.client));
    EXPECT_EQ(others.done, 50) << others.why;
    EXPECT_EQ(others.requests - others.at_sick, 50);
    stop.request_stop();
    alone.join();
    const Tally later = outage.count(50, reads(patient.client));
    EXPECT_EQ(later.requests - later.at_sick, 50) << "a call that was stopped says nothing";
}

}  // namespace
}  // namespace perdure::cosmos

// SPDX-License-Identifier: Apache-2.0
#include "live/load/support/service_case.hpp"

#include <iostream>

#include "live/support/sql_server.hpp"

namespace perdure::live {

using ::testing::HasSubstr;

LoadOrders ServiceCase::orders(std::vector<std::string> more, const std::string& to) const {
    std::vector<std::string> flags{input, "--to", to.empty() ? url() : to, "--create"};
    flags.insert(flags.end(), more.begin(), more.end());
    return {.flags = std::move(flags), .home = home.path()};
}

void ServiceCase::await_items(Loading& loading, std::int64_t count) const {
    becomes_true([&] { return !loading.running() || items() >= count; }, 2min);
}

void ServiceCase::expect_account(const LoadEnd& end, std::int64_t written, std::int64_t present,
                                 std::int64_t rejected) {
    EXPECT_EQ(end.number("account_with_earlier_runs", "written"), written) << end.words();
    EXPECT_EQ(end.number("account_with_earlier_runs", "already_there"), present) << end.words();
    EXPECT_EQ(end.number("account_with_earlier_runs", "rejected"), rejected) << end.words();
}

void ServiceCase::expect_verified(const LoadEnd& end) const {
    EXPECT_EQ(end.status, 0) << end.words();
    EXPECT_THAT(end.out, HasSubstr("\"verified\":true"));
    expect_account(end, records.count, 0, 0);
    expect_all();
}

void ServiceCase::bring_all_and_find_them_there() {
    const LoadEnd first = load({"--key", "id", "--verify"});
    expect_verified(first);
    const LoadEnd second = load({"--key", "id", "--verify", "--as", "the same again"});
    EXPECT_EQ(second.status, 0) << second.words();
    expect_account(second, 0, records.count, 0);
    const LoadEnd third = load({"--key", "id"});
    EXPECT_EQ(third.number("account", "read"), 0) << third.words();
    EXPECT_EQ(third.status, 0) << third.words();
    EXPECT_THAT(third.out, HasSubstr("\"nothing_new\":true"));
    std::cout << first.out << second.out;
}

void ServiceCase::reject_what_is_there_with_other_values() {
    ASSERT_EQ(load({"--key", "id"}).status, 0);
    change_700();
    const LoadEnd end = load({"--key", "id", "--as", "again"});
    EXPECT_EQ(end.status, 4) << end.words();
    expect_account(end, 0, records.count - 1, 1);
    EXPECT_THAT(read_file(home.file("orders.rejected.jsonl")),
                HasSubstr("its key is there with other values"));
    const LoadEnd verified = load({"--key", "id", "--verify"});
    EXPECT_EQ(verified.status, 6) << verified.words();
}

void ServiceCase::read_a_changed_input_again() {
    ASSERT_EQ(load({"--key", "id"}).status, 0);
    const Records changed{.count = records.count + 10, .without = {700}};
    home.write(input, json_lines(changed));
    const LoadEnd end = load({"--key", "id"});
    EXPECT_EQ(end.status, 0) << end.words();
    expect_account(end, 10, records.count - 1, 0);
    EXPECT_EQ(items(), changed.count) << "what the input does not have any more is not deleted";
    EXPECT_THAT(end.words(), HasSubstr("all of it was read again"));
    EXPECT_THAT(end.words(),
                HasSubstr("rows that the input does not have any more were not looked for: reading "
                          "the whole table would be paid for"));
    const LoadEnd again = load({"--key", "id"});
    EXPECT_EQ(again.status, 0) << again.words();
    EXPECT_THAT(again.out, HasSubstr("\"nothing_new\":true"));
}

void ServiceCase::refuse_a_changed_input_by_place() {
    home.write(input, "{\"a\": 1}\n{\"a\": 2}\n");
    ASSERT_EQ(load({}).status, 0);
    EXPECT_THAT(load({}).out, HasSubstr("\"nothing_new\":true"));
    home.write(input, "{\"a\": 1}\n{\"a\": 3}\n");
    const LoadEnd end = load({});
    EXPECT_EQ(end.status, 3) << end.words();
    EXPECT_THAT(end.words(), HasSubstr("is not what it was when it was loaded"));
    EXPECT_EQ(items(), 2);
    home.write(input, "{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}\n");
    const LoadEnd grown = load({});
    EXPECT_EQ(grown.status, 0) << grown.words();
    EXPECT_EQ(grown.number("account", "written"), 1) << grown.words();
    EXPECT_EQ(items(), 3);
}

void ServiceCase::expect_person_needed(const LoadEnd& end, const std::string& words) {
    EXPECT_EQ(end.status, 7) << end.words();
    EXPECT_THAT(end.words(), HasSubstr(words));
}

void ServiceCase::kill_twice_and_go_on() {
    for (const int percent : {25, 60}) {
        Loading loading{orders({"--key", "id", "--batch", "20"})};
        await_items(loading, records.count * percent / 100);
        EXPECT_TRUE(loading.running()) << "it was too fast to be killed";
        loading.kill();
        EXPECT_EQ(loading.wait().status, 128 + 9);
        std::cout << "killed with " << items() << " items\n";
    }
    const LoadEnd end = load({"--key", "id", "--batch", "20", "--verify"});
    EXPECT_LE(end.number("read_again"), 20 * end.number("workers"));
    expect_verified(end);
}

void ServiceCase::start_twice_at_once(const std::string& batch) {
    Loading first{orders({"--key", "id", "--batch", "10"})};
    await_items(first, records.count / 10);
    const LoadEnd second = load({"--key", "id", "--batch", batch, "--verify"});
    const LoadEnd ended = first.wait();
    EXPECT_EQ(ended.status, 5) << ended.words();
    EXPECT_THAT(ended.words(), HasSubstr("another load of this input"));
    EXPECT_EQ(ended.number("account", "written") + second.number("account", "written"),
              records.count)
        << ended.words() << second.words();
    expect_verified(second);
}

void ServiceCase::expect_refused(const std::vector<Told>& table) const {
    for (const auto& [flags, words] : table) {
        const LoadEnd end = live::load({.flags = flags, .home = home.path()});
        EXPECT_EQ(end.status, 125) << end.words();
        EXPECT_THAT(end.words(), HasSubstr(words));
    }
}

}  // namespace perdure::live

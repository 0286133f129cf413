// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/callback.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace perdure {
namespace {

using Count = Callback<int(int)>;

int twice(int number) { return 2 * number; }

TEST(Callback, is_empty_until_it_is_given_a_function) {
    Count none;
    EXPECT_FALSE(none);
    EXPECT_FALSE(Count{nullptr});
    none = twice;
    ASSERT_TRUE(none);
    EXPECT_EQ(none(4), 8);
    none = nullptr;
    EXPECT_FALSE(none);
}

TEST(Callback, made_of_an_empty_function_is_empty) {
    int (*const null)(int) = nullptr;
    int (std::string::* const member)() const = nullptr;
    EXPECT_FALSE(Count{null});
    EXPECT_FALSE(Count{std::function<int(int)>{}});
    EXPECT_FALSE(Count{Callback<short(int)>{}});
    EXPECT_FALSE(Callback<int(const std::string&)>{member});
}

// A callable may answer a question of its own as a bool.
struct Armed {
    explicit operator bool() const { return armed; }
    int operator()(int number) const { return number + 1; }
    bool armed = false;
};

template <class Signature>
struct Switch;
template <class R, class... Args>
struct Switch<R(Args...)> : Armed {};

TEST(Callback, keeps_a_callable_whose_operator_bool_is_false) {
    const Count disarmed = Armed{};
    ASSERT_TRUE(disarmed);
    EXPECT_EQ(disarmed(3), 4);
    EXPECT_TRUE(Count{Switch<int(int)>{}});
    EXPECT_TRUE(Count{[](int number) { return number; }});
}

TEST(Callback, takes_functions_closures_members_and_other_wrappers) {
    EXPECT_EQ(Count{twice}(3), 6);
    EXPECT_EQ(Count{&twice}(3), 6);
    EXPECT_EQ(Count{[](int number) { return number + 1; }}(3), 4);
    EXPECT_EQ(Count{std::function<int(int)>{twice}}(3), 6);
    EXPECT_EQ(std::function<int(int)>{Count{twice}}(3), 6);
    EXPECT_EQ(Callback<std::size_t(const std::string&)>{&std::string::size}("four"), 4U);
}

TEST(Callback, refuses_what_cannot_be_called_like_that_or_copied) {
    static_assert(!std::is_constructible_v<Count, std::string>);
    static_assert(!std::is_constructible_v<Count, int (*)(std::string)>);
    const auto holds_one = [number = std::make_unique<int>(1)](int) { return *number; };
    static_assert(!std::is_constructible_v<Count, decltype(holds_one)>);
    static_assert(std::is_nothrow_move_constructible_v<Count>);
}

TEST(Callback, refuses_to_return_a_reference_to_a_value_that_is_gone) {
    using Name = Callback<const std::string&()>;
    static_assert(!std::is_constructible_v<Name, std::string (*)()>);
    static_assert(!std::is_constructible_v<Name, const char* (*)()>);
    static_assert(!std::is_constructible_v<Callback<std::string && ()>, std::string (*)()>);
    static_assert(std::is_constructible_v<Name, std::string& (*)()>);
    static_assert(std::is_constructible_v<Name, const std::string& (*)()>);
    static_assert(std::is_constructible_v < Callback < std::string && () >, std::string && (*)() >);
    // A wrapper refers to something that stays.
    static_assert(std::is_constructible_v<Callback<std::string&()>,
                                          std::reference_wrapper<std::string> (*)()>);
    static_assert(std::is_constructible_v<Callback<std::string()>, const char* (*)()>);
}

TEST(Callback, copies_the_function_with_its_state) {
    Count counter = [sum = 0](int by) mutable { return sum += by; };
    EXPECT_EQ(counter(2), 2);
    const Count copy = counter;
    EXPECT_EQ(counter(2), 4);
    EXPECT_EQ(copy(10), 12);
    Count moved = std::move(counter);
    EXPECT_EQ(moved(1), 5);
    moved = copy;
    EXPECT_EQ(moved(1), 13);
    EXPECT_EQ(copy(1), 13);
}

TEST(Callback, passes_references_and_moves_values) {
    const Callback<std::string&(std::string&)> same = [](std::string& text) -> std::string& {
        return text;
    };
    std::string text = "here";
    EXPECT_EQ(&same(text), &text);
    const Callback<int(std::unique_ptr<int>)> open = [](std::unique_ptr<int> box) { return *box; };
    EXPECT_EQ(open(std::make_unique<int>(9)), 9);
}

TEST(Callback, drops_what_a_function_returns_that_need_not_return) {
    int calls = 0;
    const Callback<void(int)> note = [&calls](int by) { return calls += by; };
    note(3);
    EXPECT_EQ(calls, 3);
}

TEST(Callback, destroys_its_function_once) {
    const auto shared = std::make_shared<int>(1);
    {
        Count one = [shared, room = std::array<int, 64>{}](int) { return *shared + room[0]; };
        const Count two = one;
        EXPECT_EQ(shared.use_count(), 3);
        one = nullptr;
        EXPECT_EQ(shared.use_count(), 2);
    }
    EXPECT_EQ(shared.use_count(), 1);
}

}  // namespace
}  // namespace perdure

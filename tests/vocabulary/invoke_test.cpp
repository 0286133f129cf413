// SPDX-License-Identifier: Apache-2.0
//
// Our own invoke beside std::invoke, row by row: the same value, the same type, the same noexcept.
#include "perdure/invoke.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace perdure {
namespace {

struct Spot {
    int at = 7;
    const int fixed = 8;
    std::string name = "spot";

    int plain(int by) { return at + by; }
    int constant(int by) const { return at + 10 * by; }
    int at_lvalue(int by) & { return at + 100 * by; }
    int at_const_lvalue(int by) const& { return at + 1000 * by; }
    int at_rvalue(int by) && { return at - by; }
    int at_const_rvalue(int by) const&& { return at - 10 * by; }
    int quiet(int by) noexcept { return at - 100 * by; }
    int quiet_constant(int by) const noexcept { return at - 1000 * by; }
    int quiet_rvalue(int by) && noexcept { return at * by; }
    int at_volatile(int by) volatile { return at * 10 * by; }
    int at_const_volatile(int by) const volatile noexcept { return at * 100 * by; }
    int defaulted(int by, int more) const { return at + by + more; }
    const std::string& whole() const { return name; }
    std::unique_ptr<int> give() const { return std::make_unique<int>(at); }
    void nothing(int by) { at = by; }
    virtual int kind() const { return 1; }
    virtual ~Spot() = default;
};
struct Place : Spot {
    int kind() const override { return 2; }
};
union Either {
    int number;
    char letter;
    int doubled() const { return 2 * number; }
};
// Gives a pointer's form to an object, and would be taken for a reference wrapper by get() alone.
struct Handle {
    using type = Spot;
    Spot* spot;
    Spot& get() const { return *spot; }
    Spot& operator*() const { return *spot; }
    Spot* operator->() const { return spot; }
};
// A free operator* that a reference wrapper finds too, by its argument.
struct Starred {
    int at = 3;
    int deep() const { return at; }
};
[[maybe_unused]] int operator*(const Starred&) { return 0; }

int twice(int number) { return 2 * number; }
int thrice(int number) noexcept { return 3 * number; }

template <class F, class... Args>
concept Ours = requires(F&& function, Args&&... args) {
    detail::invoke(std::forward<F>(function), std::forward<Args>(args)...);
};

template <class F, class... Args>
void expect_same(const char* row, F&& function, Args&&... args) {
    using Mine = decltype(detail::invoke(std::forward<F>(function), std::forward<Args>(args)...));
    using Theirs = decltype(std::invoke(std::forward<F>(function), std::forward<Args>(args)...));
    static_assert(std::is_same_v<Mine, Theirs>);
    static_assert(
        noexcept(detail::invoke(std::forward<F>(function), std::forward<Args>(args)...)) ==
        noexcept(std::invoke(std::forward<F>(function), std::forward<Args>(args)...)));
    SCOPED_TRACE(row);
    // Nothing in the table moves out of its arguments, so both may have them.
    if constexpr (std::is_reference_v<Mine>) {
        Mine&& mine = detail::invoke(std::forward<F>(function), std::forward<Args>(args)...);
        Theirs&& theirs = std::invoke(std::forward<F>(function), std::forward<Args>(args)...);
        EXPECT_EQ(std::addressof(mine), std::addressof(theirs));
    } else {
        EXPECT_EQ(detail::invoke(std::forward<F>(function), std::forward<Args>(args)...),
                  std::invoke(std::forward<F>(function), std::forward<Args>(args)...));
    }
}

TEST(Invoke, calls_functions_and_function_objects_as_std_invoke_does) {
    const auto closure = [](int number) { return number + 1; };
    auto counter = [calls = 0]() mutable noexcept -> int& { return calls; };
    struct {
        int operator()(int number) & { return number; }
        int operator()(int number) && { return -number; }
    } sided;
    expect_same("function", twice, 4);
    expect_same("pointer to function", &twice, 4);
    expect_same("noexcept function", &thrice, 4);
    expect_same("closure", closure, 4);
    expect_same("mutable closure", counter);
    expect_same("lvalue of two sides", sided, 4);
    expect_same("rvalue of two sides", std::move(sided), 4);
    expect_same("std::function", std::function<int(int)>{twice}, 4);
    expect_same("wrapped function", std::ref(twice), 4);
}

// Each qualifier with each form of object that can have it.
template <class T>
void expect_same_members(const char* row, T&& object) {
    expect_same(row, &Spot::constant, std::forward<T>(object), 5);
    expect_same(row, &Spot::at_const_lvalue, std::forward<T>(object), 5);
    expect_same(row, &Spot::quiet_constant, std::forward<T>(object), 5);
    expect_same(row, &Spot::at_const_volatile, std::forward<T>(object), 5);
    expect_same(row, &Spot::defaulted, std::forward<T>(object), 5, 6);
    expect_same(row, &Spot::whole, std::forward<T>(object));
    expect_same(row, &Spot::kind, std::forward<T>(object));
    expect_same(row, &Spot::at, std::forward<T>(object));
    expect_same(row, &Spot::fixed, std::forward<T>(object));
    expect_same(row, &Spot::name, std::forward<T>(object));
    EXPECT_EQ(*detail::invoke(&Spot::give, std::forward<T>(object)), 7);
}
template <class T>
void expect_same_changing_members(const char* row, T&& object) {
    expect_same_members(row, std::forward<T>(object));
    expect_same(row, &Spot::plain, std::forward<T>(object), 5);
    expect_same(row, &Spot::quiet, std::forward<T>(object), 5);
    expect_same(row, &Spot::at_volatile, std::forward<T>(object), 5);
}

TEST(Invoke, applies_members_to_every_form_of_object_as_std_invoke_does) {
    Spot spot;
    const Spot constant;
    Place place;
    expect_same_changing_members("object", spot);
    expect_same_changing_members("rvalue", std::move(spot));
    expect_same_members("const object", constant);
    expect_same_members("const rvalue", std::move(constant));
    expect_same_changing_members("derived object", place);
    expect_same_changing_members("derived rvalue", std::move(place));
    expect_same_changing_members("reference wrapper", std::ref(spot));
    expect_same_members("const reference wrapper", std::cref(spot));
    expect_same_changing_members("wrapped derived object", std::ref(place));
    expect_same_changing_members("pointer", &spot);
    expect_same_members("pointer to const", &constant);
    expect_same_changing_members("pointer to derived", &place);
    const auto wrapper = std::ref(spot);
    expect_same_changing_members("lvalue of a wrapper", wrapper);
    const auto shared = std::make_shared<Spot>();
    expect_same_changing_members("shared pointer", shared);
    const auto unique = std::make_unique<Place>();
    expect_same_changing_members("unique pointer to derived", unique);
    expect_same_changing_members("smart pointer with get() to a reference", Handle{&spot});
}

TEST(Invoke, keeps_to_the_side_a_member_function_is_for) {
    Spot spot;
    const Spot constant;
    expect_same("&", &Spot::at_lvalue, spot, 5);
    expect_same("& by a wrapper", &Spot::at_lvalue, std::ref(spot), 5);
    expect_same("& by a pointer", &Spot::at_lvalue, &spot, 5);
    expect_same("&&", &Spot::at_rvalue, std::move(spot), 5);
    expect_same("&& noexcept", &Spot::quiet_rvalue, std::move(spot), 5);
    expect_same("const&&", &Spot::at_const_rvalue, std::move(constant), 5);
    static_assert(!Ours<decltype(&Spot::at_lvalue), Spot, int>);
    static_assert(!Ours<decltype(&Spot::at_rvalue), Spot&, int>);
    static_assert(!Ours<decltype(&Spot::at_rvalue), Spot*, int>);
    static_assert(!Ours<decltype(&Spot::plain), const Spot&, int>);
    static_assert(!Ours<decltype(&Spot::at), int>);
    static_assert(!Ours<int, int>);
}

TEST(Invoke, knows_unions_and_operators_that_look_like_a_pointers) {
    Either either{.number = 21};
    // libstdc++ 12's std::invoke does not take a union's member functions, but by a pointer.
    expect_same("union", &Either::number, either);
    expect_same("pointer to a union", &Either::number, &either);
    expect_same("function of a union", &Either::doubled, &either);
    Starred starred;
    expect_same("object with operator*", &Starred::deep, starred);
    expect_same("wrapped object with operator*", &Starred::deep, std::ref(starred));
    expect_same("wrapped data with operator*", &Starred::at, std::ref(starred));
}

TEST(Invoke, gives_nothing_where_the_function_gives_nothing) {
    Spot spot;
    static_assert(std::is_void_v<decltype(detail::invoke(&Spot::nothing, spot, 1))>);
    detail::invoke(&Spot::nothing, spot, 12);
    EXPECT_EQ(spot.at, 12);
    detail::invoke(&Spot::at, spot) = 13;
    EXPECT_EQ(spot.at, 13);
}

TEST(Invoke, moves_what_it_is_given) {
    const auto keep = [](std::unique_ptr<int> number) { return *number; };
    EXPECT_EQ(detail::invoke(keep, std::make_unique<int>(5)), 5);
    Spot spot;
    const std::string taken = detail::invoke(&Spot::name, std::move(spot));
    EXPECT_EQ(taken, "spot");
}

TEST(Invoke, works_while_compiling) {
    struct Point {
        int x;
        constexpr int left(int by) const { return x - by; }
    };
    constexpr Point point{9};
    static_assert(detail::invoke(&Point::x, point) == 9);
    static_assert(detail::invoke(&Point::left, &point, 2) == 7);
    static_assert(detail::invoke([](int n) { return n + 1; }, 1) == 2);
}

}  // namespace
}  // namespace perdure

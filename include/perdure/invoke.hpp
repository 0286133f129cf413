// SPDX-License-Identifier: Apache-2.0
//
// How is any callable called? As std::invoke does it: functions, function objects, and pointers to
// members on an object, a reference wrapper or a smart pointer.
//
//     detail::invoke(&Profile::name, profile)      // profile.name
//
// std::invoke itself comes with <functional>, which would double what a user of result.hpp compiles:
// searchers and hash tables are in there too. std::invoke_result and its like come with <type_traits>
// and give return type, constraint and noexcept. Always called with its namespace, because an argument
// from std brings std::invoke along.
#pragma once

#include <type_traits>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace detail {

// std::reference_wrapper by its shape, since its name is <functional>'s too. Smart pointers, which
// also have get(), return a pointer from it and have operator->.
template <class T>
inline constexpr bool is_reference_wrapper = requires(const T& wrapper) {
    requires std::is_same_v<decltype(wrapper.get()), typename T::type&>;
    requires std::is_convertible_v<const T&, typename T::type&>;
    requires !requires { wrapper.operator->(); };
};

// The object that a pointer to a member of Class is applied to.
template <class Class, class T>
constexpr decltype(auto) object_of(T&& object) {
    using Object = std::remove_cvref_t<T>;
    // A union is no base of itself.
    if constexpr (std::is_same_v<Class, Object> || std::is_base_of_v<Class, Object>)
        return std::forward<T>(object);
    else if constexpr (is_reference_wrapper<Object>) return object.get();
    else return *std::forward<T>(object);
}

template <class Member, class Class, class T, class... Args>
constexpr decltype(auto) invoke_member(Member Class::* member, T&& object, Args&&... args) {
    if constexpr (std::is_function_v<Member>)
        return (object_of<Class>(std::forward<T>(object)).*member)(std::forward<Args>(args)...);
    else return (object_of<Class>(std::forward<T>(object)).*member);
}

// As thread-safe as `function`.
template <class F, class... Args>
    requires std::is_invocable_v<F, Args...>
constexpr std::invoke_result_t<F, Args...>
invoke(F&& function, Args&&... args) noexcept(std::is_nothrow_invocable_v<F, Args...>) {
    if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>)
        return invoke_member(function, std::forward<Args>(args)...);
    else return std::forward<F>(function)(std::forward<Args>(args)...);
}

}  // namespace detail
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// How are the service's sets written? Strings, numbers or binaries, each once, in no order.
//
//     Value tags{StringSet{"a", "b"}}, sizes{NumberSet{38, 39.5}};
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/dynamodb/binary.hpp"
#include "perdure/dynamodb/number.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace detail {
[[nodiscard]] bool same_when_sorted(std::vector<std::string_view> a,
                                    std::vector<std::string_view> b);
}  // namespace detail

// Keeps what it is given, in that order; that nothing stands there twice, and that it is not empty,
// is looked at by check(), before it is sent. A plain value.
template <class T>
class Set {
public:
    using value_type = T;

    Set() noexcept = default;
    Set(std::initializer_list<T> elements) : elements_{elements} {}
    explicit Set(std::vector<T> elements) noexcept : elements_{std::move(elements)} {}

    void add(T element) { elements_.push_back(std::move(element)); }
    void reserve(std::size_t elements) { elements_.reserve(elements); }
    [[nodiscard]] bool has(const T& element) const noexcept {
        for (const T& each : elements_)
            if (each == element) return true;
        return false;
    }
    [[nodiscard]] std::size_t size() const noexcept { return elements_.size(); }
    [[nodiscard]] bool empty() const noexcept { return elements_.empty(); }
    [[nodiscard]] auto begin() const noexcept { return elements_.begin(); }
    [[nodiscard]] auto end() const noexcept { return elements_.end(); }

    // The same elements in whatever order; numbers digit for digit.
    friend bool operator==(const Set& a, const Set& b) {
        if (a.size() != b.size()) return false;
        return a.elements_ == b.elements_ || detail::same_when_sorted(a.texts(), b.texts());
    }

private:
    [[nodiscard]] static std::string_view bytes_of(const T& element) noexcept {
        if constexpr (std::is_same_v<T, Number>) return element.text();
        else if constexpr (std::is_same_v<T, Binary>) return element.bytes();
        else return element;
    }
    [[nodiscard]] std::vector<std::string_view> texts() const {
        std::vector<std::string_view> all;
        all.reserve(size());
        for (const T& element : elements_) all.push_back(bytes_of(element));
        return all;
    }

    std::vector<T> elements_{};
};

using StringSet = Set<std::string>;
using NumberSet = Set<Number>;
using BinarySet = Set<Binary>;

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

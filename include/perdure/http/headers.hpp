// SPDX-License-Identifier: Apache-2.0
//
// Which header fields does a message have? An ordered list; names are compared without regard to
// case, and a name may stand there several times.
//
//     headers.add("Content-Type", "application/json");
//     if (const auto type = headers.find("content-type")) use(*type);
//     for (const auto& [name, value] : headers.all("set-cookie")) keep(value);
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {
inline namespace v0 {
namespace http {

struct Header {
    std::string_view name{};
    std::string_view value{};
    friend bool operator==(const Header&, const Header&) noexcept = default;
};

// Equal but for the case of ASCII letters.
bool same_name(std::string_view a, std::string_view b) noexcept;

// A plain value; shared by threads only while nobody changes it. All fields lie in one string, so
// that a response costs two allocations and not two per field. Views are good until the next change;
// add and set may be given views into the same headers.
class Headers {
public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Header;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Header;

        Iterator() noexcept = default;
        Header operator*() const noexcept { return (*headers_)[at_]; }
        Iterator& operator++() noexcept { return ++at_, skip(); }
        Iterator operator++(int) noexcept {
            const Iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const Iterator& a, const Iterator& b) noexcept {
            return a.at_ == b.at_;
        }

    private:
        friend Headers;
        Iterator(const Headers& headers, std::size_t at, std::string_view only) noexcept
            : headers_{&headers}, at_{at}, only_{only} {
            skip();
        }
        Iterator& skip() noexcept;

        const Headers* headers_ = nullptr;
        std::size_t at_ = 0;
        std::string_view only_{};  // empty: every name
    };
    struct Named {
        Iterator first{}, last{};
        [[nodiscard]] Iterator begin() const noexcept { return first; }
        [[nodiscard]] Iterator end() const noexcept { return last; }
    };

    void add(std::string_view name, std::string_view value);
    // Instead of all fields of this name; stands last.
    void set(std::string_view name, std::string_view value);
    void remove(std::string_view name);
    void clear() noexcept;  // keeps its capacity
    void reserve(std::size_t fields, std::size_t bytes);

    // The first of this name.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
    // `name` must live as long as the range.
    [[nodiscard]] Named all(std::string_view name) const noexcept {
        return {{*this, 0, name}, {*this, size(), name}};
    }
    // Whether a comma-separated list has this word: has("connection", "close").
    [[nodiscard]] bool has(std::string_view name, std::string_view token) const noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
    [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }
    [[nodiscard]] Header operator[](std::size_t at) const noexcept {
        const Field& field = fields_[at];
        const std::string_view bytes = bytes_;
        return {bytes.substr(field.at, field.name), bytes.substr(field.value_at, field.value)};
    }
    [[nodiscard]] Iterator begin() const noexcept { return {*this, 0, {}}; }
    [[nodiscard]] Iterator end() const noexcept { return {*this, size(), {}}; }

    // The same fields in the same order, names compared as they are written.
    friend bool operator==(const Headers& a, const Headers& b) noexcept;

private:
    friend class MessageParser;

    struct Field {
        std::uint32_t at = 0, name = 0, value_at = 0, value = 0;
    };

    // For the parser, which finds many fields in one block of bytes: first where in the block every
    // field is, then the block, which is shorter than 4 GB.
    void place(std::size_t name_at, std::size_t name, std::size_t value_at, std::size_t value) {
        const auto narrow = [](std::size_t number) { return static_cast<std::uint32_t>(number); };
        fields_.push_back({narrow(bytes_.size() + name_at), narrow(name),
                           narrow(bytes_.size() + value_at), narrow(value)});
    }
    void keep(std::string_view block) { bytes_.append(block); }

    std::string bytes_{};
    std::vector<Field> fields_{};
};

// Whether the comma-separated list has this word, whatever its case.
bool list_has(std::string_view list, std::string_view token) noexcept;

}  // namespace http
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "json_parsing.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

// A parser takes about six times the room of its text: what stays between two readings is bounded.
constexpr std::size_t smallest_room = 4096;
constexpr std::size_t largest_room_kept = std::size_t{128} * 1024;

// The text with room behind it, where the parser looks ahead, and the parser. One thread.
class Desk {
public:
    Trouble read(std::string_view json, FunctionRef<Trouble(ondemand::object& object)> read) {
        if (json.empty()) return words_for(simdjson::EMPTY);
        if (const Trouble trouble = make_room(json.size())) return trouble;
        std::memcpy(text_.get(), json.data(), json.size());
        std::memset(text_.get() + json.size(), ' ', simdjson::SIMDJSON_PADDING);
        ondemand::document document;
        const std::size_t all = room_ + simdjson::SIMDJSON_PADDING;
        if (const auto error = parser_->iterate(text_.get(), json.size(), all).get(document))
            return words_for(error);
        ondemand::object object;
        if (const auto error = document.get_object().get(object)) return words_for(error);
        if (const Trouble trouble = read(object)) return trouble;
        const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
        return at_end ? fine : "something stands behind the object";
    }

    void tidy() noexcept {
        if (room_ <= largest_room_kept) return;
        parser_.reset();
        text_.reset();
        room_ = 0;
    }

private:
    Trouble make_room(std::size_t size) {
        if (size <= room_) return fine;
        room_ = 0;
        // What is kept grows in steps; what is not is made to measure.
        const std::size_t room =
            size > largest_room_kept ? size : std::max(std::bit_ceil(size), smallest_room);
        parser_ = std::make_unique<ondemand::parser>();
        if (const auto error = parser_->allocate(room)) return words_for(error);
        text_.reset(new char[room + simdjson::SIMDJSON_PADDING]);
        room_ = room;
        return fine;
    }

    std::unique_ptr<ondemand::parser> parser_{};
    std::unique_ptr<char[]> text_{};
    std::size_t room_ = 0;
};

// Lent to one reading at a time; one within another gets a desk of its own.
struct Seat {
    Desk desk{};
    bool taken = false;
};
thread_local Seat seat;

struct Loan {
    Loan() noexcept { seat.taken = true; }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    ~Loan() {
        seat.desk.tidy();
        seat.taken = false;
    }
};

// Sixteen bytes at a time, in whatever registers the machine has for them.
using Block = unsigned char __attribute__((vector_size(16)));
using Halves = std::uint64_t __attribute__((vector_size(16)));
static_assert(sizeof(Block) <= simdjson::SIMDJSON_PADDING);

}  // namespace

const char* end_or_escape(const char* text) noexcept {
    for (;; text += sizeof(Block)) {
        Block block;
        std::memcpy(&block, text, sizeof block);
        const auto found = (block == Block{} + '"') | (block == Block{} + '\\');
        const auto halves = reinterpret_cast<Halves>(found);
        if ((halves[0] | halves[1]) == 0) continue;
        if constexpr (std::endian::native == std::endian::little)
            return halves[0] != 0 ? text + std::countr_zero(halves[0]) / 8
                                  : text + 8 + std::countr_zero(halves[1]) / 8;
        while (*text != '"' && *text != '\\') ++text;
        return text;
    }
}

Trouble words_for(simdjson::error_code error) noexcept {
    switch (error) {
        case simdjson::SUCCESS: return fine;
        case simdjson::UTF8_ERROR: return "it is not UTF-8";
        case simdjson::CAPACITY: return "it is too large";
        case simdjson::MEMALLOC: return "there is no memory to read it";
        case simdjson::EMPTY: return "it is empty";
        case simdjson::UNCLOSED_STRING:
        case simdjson::INCOMPLETE_ARRAY_OR_OBJECT: return "it ends too early";
        case simdjson::INCORRECT_TYPE: return "a value is of another type than expected";
        case simdjson::NUMBER_ERROR:
        case simdjson::NUMBER_OUT_OF_RANGE: return "a number cannot be read";
        case simdjson::DEPTH_ERROR: return "it is nested too deeply";
        default: return "it is not valid JSON";
    }
}

Trouble read_root(std::string_view json, FunctionRef<Trouble(ondemand::object& object)> read) {
    if (seat.taken) return Desk{}.read(json, read);
    const Loan loan;
    return seat.desk.read(json, read);
}

std::string_view without_space_behind(std::string_view json) noexcept {
    while (!json.empty() && static_cast<unsigned char>(json.back()) <= ' ') json.remove_suffix(1);
    return json;
}

std::string_view token_of(ondemand::value& value) noexcept {
    return without_space_behind(value.raw_json_token());
}

Trouble read_text(ondemand::value& value, std::string_view& text) noexcept {
    const char* const begin = value.raw_json_token().data();
    const char* const end = *begin == '"' ? end_or_escape(begin + 1) : begin;
    if (end == begin || *end != '"') return words_for(value.get_string().get(text));
    // Whoever goes on from here passes over the string by himself.
    text = {begin + 1, static_cast<std::size_t>(end - begin - 1)};
    return fine;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

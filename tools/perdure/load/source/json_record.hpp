// SPDX-License-Identifier: Apache-2.0
//
// What are the fields of one JSON record? Their names, and the values as they are written: what a value
// means depends on the column it goes to.
//
//     JsonReader reader;
//     reader.split(R"({"id": 7, "name": "x"})", 0, fields, texts)     // id | 7, name | "x"
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tool::load {

enum class JsonKind : std::uint8_t { null, boolean, number, text, nested };

struct JsonField {
    std::string_view name{};
    std::string_view token{};  // as written, without spaces around it
    JsonKind kind = JsonKind::null;
};

// Used by one thread at a time; keeps its memory from record to record.
class JsonReader {
public:
    JsonReader();
    JsonReader(const JsonReader&) = delete;
    JsonReader& operator=(const JsonReader&) = delete;
    ~JsonReader();

    // What is wrong, in words; empty: nothing. `readable` bytes may be read behind the record, whatever
    // they are. Fields lie in the record or in `texts`.
    [[nodiscard]] std::string split(std::string_view record, std::size_t readable,
                                    std::vector<JsonField>& fields, std::deque<std::string>& texts);

private:
    struct Parser;
    std::unique_ptr<Parser> parser_;
};

// The text a JSON string stands for; `token` is in its quotes and was split off above. Nothing when it
// holds an escape that stands for no character.
struct Unescaped {
    std::string_view text{};
    bool good = true;
};
[[nodiscard]] Unescaped unescape(std::string_view token, std::deque<std::string>& texts);

[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace tool::load

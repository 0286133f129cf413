// SPDX-License-Identifier: Apache-2.0
//
// How is a request's body written? Straight to the end of a string; commas come by themselves.
//
//     JsonWriter json{body};
//     json.begin_object();
//     json.member("TableName", table);
//     json.key("Key");
//     json.item(key);
//     json.end_object();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perdure/dynamodb/item.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// One thread, for one text. Whoever calls it keeps the order of JSON; text must be UTF-8 (check()
// looks at items), and is written as it is but for what JSON must escape.
class JsonWriter {
public:
    explicit JsonWriter(std::string& out) noexcept : out_{out} {}

    void begin_object() { open('{'); }
    void end_object() { close('}'); }
    void begin_array() { open('['); }
    void end_array() { close(']'); }

    void key(std::string_view name) {
        separate();
        append_quoted(name);
        out_ += ':';
        comma_ = false;
    }
    void string(std::string_view text) {
        separate();
        append_quoted(text);
    }
    // JSON that is ready.
    void raw(std::string_view json) {
        separate();
        out_ += json;
    }
    void integer(std::int64_t number);
    void base64(std::string_view bytes);
    void yes() { raw("true"); }
    void no() { raw("false"); }
    void null() { raw("null"); }

    void value(const Value& value);
    void item(const Item& item);
    // As plain JSON, without the service's letters.
    void plain_value(const Value& value);
    void plain_item(const Item& item);

    void member(std::string_view name, std::string_view text) {
        key(name);
        string(text);
    }
    void member(std::string_view name, const Item& value) {
        key(name);
        item(value);
    }

private:
    void separate() {
        if (comma_) out_ += ',';
        comma_ = true;
    }
    void open(char bracket) {
        separate();
        out_ += bracket;
        comma_ = false;
    }
    void close(char bracket) {
        out_ += bracket;
        comma_ = true;
    }
    void append_quoted(std::string_view text);

    std::string& out_;
    bool comma_ = false;  // something stands before on this level
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

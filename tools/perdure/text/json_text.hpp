// SPDX-License-Identifier: Apache-2.0
//
// How is one line of JSON written that always parses, whatever bytes a user put into a name?
//
//     JsonLine line;
//     line.text("job", job).number("attempts", 3).raw("diagnostics", diagnostics.to_json());
//     write(line.end());        // {"job":"purge","attempts":3,…} and a line end
#pragma once

#include <string>
#include <string_view>

namespace tool {

// A value in the making; one owner.
class JsonLine {
public:
    JsonLine& text(std::string_view name, std::string_view value);
    JsonLine& number(std::string_view name, long long value);
    JsonLine& raw(std::string_view name, std::string_view json);  // already JSON
    [[nodiscard]] std::string end() &&;

private:
    void key(std::string_view name);
    std::string json_ = "{";
};

// In quotes; bytes that are no UTF-8 become U+FFFD.
std::string json_text(std::string_view value);

}  // namespace tool

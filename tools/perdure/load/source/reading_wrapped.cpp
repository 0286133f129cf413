// SPDX-License-Identifier: Apache-2.0
#include "load/source/reading_wrapped.hpp"

#include <algorithm>

namespace tool::load {

namespace {

JsonField find(const std::vector<JsonField>& fields, std::string_view name) noexcept {
    const auto found = std::ranges::find(fields, name, &JsonField::name);
    return found == fields.end() ? JsonField{} : *found;
}

}  // namespace

Unwrapped unwrap(const std::vector<JsonField>& fields, JsonReader& reader,
                 std::deque<std::string>& texts) {
    Unwrapped out;
    std::vector<JsonField> about;
    const JsonField& wrapper = fields.front();
    if (wrapper.token.front() == '{') out.wrong = reader.split(wrapper.token, 0, about, texts);
    if (!out.wrong.empty()) return out;
    out.from_csv = find(about, "from").token == "\"csv\"";

    const JsonField record = find(fields, "record");
    const JsonField text = find(fields, "text");
    if (find(about, "cut").token == "true") {
        out.wrong = too_long_reason;
    } else if (!record.token.empty()) {
        out.record = record.token;
    } else if (text.kind != JsonKind::text) {
        out.wrong = "a rejected record without \"record\" and \"text\"";
    } else if (!find(fields, "bytes").token.empty()) {
        // The text is not what was there: loading it would change the record behind its owner's back.
        out.wrong = "its text is not UTF-8; repair \"text\" and take \"bytes\" away";
    } else {
        // What stands in a text is JSON that somebody has repaired, whatever it was before.
        out.from_csv = false;
        const Unescaped whole = unescape(text.token, texts);
        out.record = whole.text;
        if (!whole.good) out.wrong = "\"text\" holds an escape that stands for no character";
    }
    return out;
}

}  // namespace tool::load

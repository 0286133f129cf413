// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "tune/latency_fields.hpp"
#include "tune/latency_value.hpp"

namespace tool {

namespace {

// Walks over one object without building anything. It reads what is well formed, and does not look
// for faults in values nobody asked for.
class Cursor {
public:
    explicit Cursor(std::string_view text) : text_{text} {}

    bool take(char c) {
        skip_blank();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    // The inside of a string; false if there is none here.
    bool string(std::string_view& inside) {
        if (!take('"')) return false;
        const std::size_t start = at_;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        if (at_ >= text_.size()) return false;
        inside = text_.substr(start, at_++ - start);
        return true;
    }

    // The next value: the inside of a string, else the text as it stands.
    bool value(std::string_view& into) {
        skip_blank();
        if (at_ >= text_.size()) return false;
        if (text_[at_] == '"') return string(into);
        const std::size_t start = at_;
        if (text_[at_] == '{' || text_[at_] == '[') {
            if (!skip_nested()) return false;
        } else {
            at_ = std::min(text_.find_first_of(",}] \t\r", at_), text_.size());
        }
        into = text_.substr(start, at_ - start);
        return at_ > start;
    }

private:
    void skip_blank() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }

    bool skip_nested() {
        int depth = 0;
        std::string_view inside;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                if (!string(inside)) return false;
                continue;
            }
            ++at_;
            if (c == '{' || c == '[') ++depth;
            if ((c == '}' || c == ']') && --depth == 0) return true;
        }
        return false;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// Calls see(key, value) for each member until it says stop (true). False: not an object.
template <class See>
bool each_member(std::string_view object, See see) {
    Cursor cursor{object};
    std::string_view key, value;
    if (!cursor.take('{')) return false;
    if (cursor.take('}')) return true;
    do {
        if (!cursor.string(key) || !cursor.take(':') || !cursor.value(value)) return false;
        if (see(key, value)) return true;
    } while (cursor.take(','));
    return cursor.take('}');
}

enum class Found : unsigned char { yes, no, no_object };

// "a.b" is a member of that very name, else b in a.
Found find_member(std::string_view object, std::string_view path, std::string_view& value) {
    Found found = Found::no;
    std::string_view parent;
    const std::size_t dot = path.find('.');
    const bool sound = each_member(object, [&](std::string_view key, std::string_view seen) {
        if (key == path) {
            value = seen;
            found = Found::yes;
        } else if (dot != std::string_view::npos && key == path.substr(0, dot)) {
            parent = seen;
        }
        return found == Found::yes;
    });
    if (!sound) return Found::no_object;
    if (found == Found::yes || parent.empty()) return found;
    const Found inside = find_member(parent, path.substr(dot + 1), value);
    return inside == Found::no_object ? Found::no : inside;
}

class JsonFields final : public FieldPicker {
public:
    explicit JsonFields(FieldNames names) : names_{std::move(names)} {}

    const char* pick(std::string_view line, Fields& into) override {
        into = {};
        for (std::size_t role = 0; role < roles; ++role) {
            if (names_[role].empty()) continue;
            const Found found = find_member(line, names_[role], into[role]);
            if (found == Found::no_object) return "the line is not a JSON object";
            if (into[role] == "null") into[role] = {};
        }
        return nullptr;
    }

private:
    FieldNames names_;
};

}  // namespace

Result<std::unique_ptr<FieldPicker>> json_fields(std::string_view first_line,
                                                 const FieldNames& names) {
    FieldNames wanted = names;
    std::vector<std::string> there;
    std::string time;
    each_member(first_line, [&](std::string_view key, std::string_view) {
        there.emplace_back(key);
        if (looks_like_time(key)) time = key;
        return false;
    });
    if (wanted[latency_role].empty()) {
        const auto found = std::ranges::find_if(there, looks_like_latency);
        if (found == there.end())
            return fail(
                {.cause = Cause::invalid,
                 .origin = Origin::application,
                 .message = "which field is the latency? Choose with --field: " + listed(there)});
        wanted[latency_role] = *found;
    }
    // A request that was cut off may well have no latency, if the first line is one.
    std::string_view value;
    if (names[outcome_role].empty() &&
        find_member(first_line, wanted[latency_role], value) == Found::no)
        return no_such_field(wanted[latency_role], there);
    auto fields = std::make_unique<JsonFields>(wanted);
    fields->format = "JSON lines";
    fields->latency_name = printable(wanted[latency_role]);
    fields->unit = unit_in_name(wanted[latency_role]);
    if (names[time_role].empty()) fields->time_seen = printable(time);
    return std::unique_ptr<FieldPicker>{std::move(fields)};
}

}  // namespace tool

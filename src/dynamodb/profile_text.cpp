// SPDX-License-Identifier: Apache-2.0
#include "profile_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::string_view spaces = " \t\r\f\v";
constexpr std::string_view comment_marks = "#;";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_comment(std::string_view text) noexcept {
    return !text.empty() && comment_marks.find(text.front()) != std::string_view::npos;
}

// Up to a mark that follows white space; a mark within a word belongs to the word.
std::string_view without_comment(std::string_view text) noexcept {
    for (std::size_t at = 1; at < text.size(); ++at)
        if (is_comment(text.substr(at)) && spaces.find(text[at - 1]) != std::string_view::npos)
            return text.substr(0, at);
    return text;
}

bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

// A name as it stands behind `profile`, with or without quotes. Nothing: it is none.
std::optional<std::string> name_from(std::string_view text) {
    if (text.starts_with('"') || text.starts_with('\'')) {
        if (text.size() < 2 || text.back() != text.front()) return std::nullopt;
        text = text.substr(1, text.size() - 2);
    }
    if (text.empty() || std::ranges::any_of(text, is_control)) return std::nullopt;
    return std::string{text};
}

// Fed with lines in order; used by one thread.
class ProfileReader {
public:
    ProfileReader(ProfileFile file, std::string_view shown) noexcept : file_{file}, shown_{shown} {}

    Result<void> take(std::string_view line) {
        ++number_;
        if (line.find('\0') != std::string_view::npos)
            return refuse("this is no text; save the file as UTF-8");
        const std::string_view text = trimmed(line);
        if (text.empty() || is_comment(text)) return {};
        if (text.front() == '[') return open_section(text);
        if (!section_)
            return refuse("a line before the first [section]; begin with [default] or so");
        const std::size_t indent = line.find_first_not_of(spaces);
        if (property_ && indent > indent_) return go_on(text);
        indent_ = indent;
        return take_property(text);
    }

    ProfileText finish() && {
        // The longer spelling wins over the shorter one, whichever comes first.
        if (long_default_) found_.profiles["default"] = std::move(*long_default_);
        return std::move(found_);
    }

private:
    [[nodiscard]] Fail refuse(std::string_view why) const {
        return fail({.cause = Cause::invalid,
                     .origin = Origin::application,
                     .code = "malformed-profile",
                     .message = std::string{shown_} + ':' + std::to_string(number_) + ": " +
                                std::string{why}});
    }

    Result<void> open_section(std::string_view text) {
        property_ = nullptr;
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) return refuse("a [section] without its closing bracket");
        const std::string_view rest = trimmed(text.substr(end + 1));
        if (!rest.empty() && !is_comment(rest))
            return refuse("words behind a [section]; they belong on a line of their own");
        const std::string_view title = trimmed(text.substr(1, end - 1));
        section_ =
            file_ == ProfileFile::config ? config_section(title) : credentials_section(title);
        if (!section_) return refuse("a [section] without a name, or with half a pair of quotes");
        return {};
    }
    Section* credentials_section(std::string_view title) {
        const auto [kind, rest] = split(title);
        if (kind == "profile" && !rest.empty()) return stray(name_from(rest));
        const auto name = name_from(title);
        return name ? &found_.profiles[*name] : nullptr;
    }
    Section* config_section(std::string_view title) {
        if (title == "default") return &found_.profiles["default"];
        const auto [kind, rest] = split(title);
        const bool titled = kind == "profile" || kind == "services" || kind == "sso-session";
        const auto name = name_from(titled ? rest : title);
        if (!name) return nullptr;
        if (kind == "services") return &found_.services[*name];
        if (kind != "profile") return titled ? &ignored_ : stray(name);
        if (*name != "default") return &found_.profiles[*name];
        if (!long_default_) long_default_.emplace();
        return &*long_default_;
    }
    Section* stray(const std::optional<std::string>& name) {
        if (!name) return nullptr;
        if (std::ranges::find(found_.strays, *name) == found_.strays.end())
            found_.strays.push_back(*name);
        return &ignored_;
    }
    static std::pair<std::string_view, std::string_view> split(std::string_view title) noexcept {
        const std::size_t end = std::min(title.find_first_of(spaces), title.size());
        return {title.substr(0, end), trimmed(title.substr(end))};
    }

    Result<void> take_property(std::string_view text) {
        property_ = nullptr;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) return refuse("expected name = value");
        const std::string name = lower_case(trimmed(text.substr(0, equals)));
        if (name.empty()) return refuse("expected name = value, and the name is missing");
        std::string_view value = text.substr(equals + 1);
        // A shell reads this one, and has its own opinion about both marks.
        if (name != "credential_process") value = without_comment(value);
        property_ = &((*section_)[name] = {std::string{trimmed(value)}, {}, number_});
        return {};
    }
    // A deeper line: more of the value, or, below a name without one, a property within it.
    Result<void> go_on(std::string_view text) {
        if (!property_->value.empty()) {
            property_->value.append("\n").append(text);
            return {};
        }
        const std::size_t equals = text.find('=');
        const std::string name = lower_case(trimmed(text.substr(0, equals)));
        if (equals == std::string_view::npos || name.empty())
            return refuse("expected name = value, for this line is deeper than the one above");
        property_->nested[name] = trimmed(without_comment(text.substr(equals + 1)));
        return {};
    }

    ProfileFile file_;
    std::string_view shown_;
    ProfileText found_{};
    std::optional<Section> long_default_{};
    Section ignored_{};
    Section* section_ = nullptr;
    Property* property_ = nullptr;
    std::size_t indent_ = 0;
    int number_ = 0;
};

}  // namespace

Result<ProfileText> parse_profiles(std::string_view text, ProfileFile file,
                                   std::string_view shown) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    ProfileReader reader{file, shown};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        PERDURE_TRY(reader.take(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(reader).finish();
}

std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t begin = std::min(text.find_first_not_of(spaces), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(spaces) + 1);
}

std::string lower_case(std::string_view text) {
    std::string lower{text};
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

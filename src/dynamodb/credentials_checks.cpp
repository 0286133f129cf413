// SPDX-License-Identifier: Apache-2.0
#include "credentials_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

bool is_visible(char c) noexcept { return c > ' ' && c <= '~'; }

Result<void> check_part(const std::string& part, const std::string& name) {
    if (std::ranges::all_of(part, is_visible)) return {};
    return refused("no-credentials",
                   name + " holds white space or what is not ASCII; is there a line end too many?");
}

// Takes numbers of a fixed width off the front; what does not fit makes it all wrong.
class Digits {
public:
    explicit Digits(std::string_view text) noexcept : text_{text} {}

    int number(std::size_t width, int least, int most) noexcept {
        int value = 0;
        good_ = good_ && text_.size() >= width;
        for (std::size_t i = 0; good_ && i < width; ++i) {
            good_ = text_[i] >= '0' && text_[i] <= '9';
            value = value * 10 + (text_[i] - '0');
        }
        good_ = good_ && value >= least && value <= most;
        if (good_) text_.remove_prefix(width);
        return value;
    }
    bool one_of(std::string_view marks) noexcept {
        const bool is =
            good_ && !text_.empty() && marks.find(text_.front()) != std::string_view::npos;
        if (is) text_.remove_prefix(1);
        return is;
    }
    void must(bool so) noexcept { good_ = good_ && so; }
    [[nodiscard]] bool good() const noexcept { return good_; }
    [[nodiscard]] bool at_end() const noexcept { return text_.empty(); }

private:
    std::string_view text_;
    bool good_ = true;
};

std::chrono::minutes offset_from(Digits& digits) noexcept {
    if (digits.one_of("Zz")) return {};
    const bool east = digits.one_of("+");
    if (!east) digits.must(digits.one_of("-"));
    const int hours = digits.number(2, 0, 23);
    (void)digits.one_of(":");
    const std::chrono::minutes offset{hours * 60 + digits.number(2, 0, 59)};
    return east ? offset : -offset;
}

WallTime held(std::chrono::sys_seconds at) noexcept {
    constexpr auto end = std::chrono::floor<std::chrono::seconds>(WallTime::max());
    constexpr auto begin = std::chrono::ceil<std::chrono::seconds>(WallTime::min());
    return std::clamp(at, begin, end);
}

}  // namespace

Fail refused(std::string code, std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = std::move(code),
                 .message = std::move(message)});
}

Result<void> check(const Keys& keys, const KeyParts& names) {
    if (keys.id.empty() && keys.secret.empty())
        return refused("no-credentials", names.id + " and " + names.secret + " are empty");
    if (keys.id.empty() || keys.secret.empty()) {
        const auto& [there, missing] =
            keys.id.empty() ? std::pair{names.secret, names.id} : std::pair{names.id, names.secret};
        return refused("no-credentials", there + " is set and " + missing + " is not; set both");
    }
    if (auto id = check_part(keys.id, names.id); !id) return id;
    if (auto secret = check_part(keys.secret, names.secret); !secret) return secret;
    return check_part(keys.token, names.token);
}

std::optional<WallTime> parse_timestamp(std::string_view text) {
    using namespace std::chrono;
    Digits digits{text};
    const int y = digits.number(4, 0, 9999);
    digits.must(digits.one_of("-"));
    const int mo = digits.number(2, 1, 12);
    digits.must(digits.one_of("-"));
    const int d = digits.number(2, 1, 31);
    digits.must(digits.one_of("Tt "));
    const int h = digits.number(2, 0, 23);
    digits.must(digits.one_of(":"));
    const int mi = digits.number(2, 0, 59);
    digits.must(digits.one_of(":"));
    const int s = digits.number(2, 0, 60);
    if (digits.one_of(".")) {
        digits.must(digits.one_of("0123456789"));
        while (digits.one_of("0123456789")) continue;
    }
    const minutes offset = offset_from(digits);
    const year_month_day date{year{y}, month{static_cast<unsigned>(mo)},
                              day{static_cast<unsigned>(d)}};
    if (!digits.good() || !digits.at_end() || !date.ok()) return std::nullopt;
    return held(sys_seconds{sys_days{date}} + hours{h} + minutes{mi} + seconds{s} - offset);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

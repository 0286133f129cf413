// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/patch.hpp"

#include <charconv>
#include <optional>

#include "chaos/cosmos/query.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

constexpr std::size_t most_patch_operations = 10;
constexpr std::string_view no_target = "The path of a patch operation does not exist.";

std::optional<std::size_t> index_of(std::string_view step) noexcept {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error != std::errc{} || end != step.data() + step.size()) return std::nullopt;
    return index;
}

// Where the last step of a path points: into an object by name, or into an array.
struct Target {
    Json* in = nullptr;
    std::string last{};

    static Target of(Json& item, std::string_view path) {
        std::vector<std::string> steps;
        while (path.starts_with('/')) {
            const std::size_t end = path.find('/', 1);
            steps.emplace_back(path.substr(1, end == std::string_view::npos ? end : end - 1));
            path = end == std::string_view::npos ? std::string_view{} : path.substr(end);
        }
        if (steps.empty()) return {};
        Target target{.in = &item, .last = steps.back()};
        steps.pop_back();
        for (const std::string& step : steps) {
            target.in = inside(*target.in, step);
            if (!target.in) break;
        }
        return target;
    }
    static Json* inside(Json& value, const std::string& step) {
        if (value.is_object()) return value.find(step);
        const auto index = index_of(step);
        if (!value.is_array() || !index || *index >= value.elements().size()) return nullptr;
        return &value.elements()[*index];
    }
    [[nodiscard]] Json* value() const { return in ? inside(*in, last) : nullptr; }

    bool add(Json value) const {
        if (!in) return false;
        if (in->is_object()) return in->set(last, std::move(value)), true;
        if (!in->is_array()) return false;
        auto& elements = in->elements();
        const auto index = last == "-" ? elements.size() : index_of(last);
        if (!index || *index > elements.size()) return false;
        elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
        return true;
    }
    bool put(Json fresh) const {
        if (Json* old = value()) return *old = std::move(fresh), true;
        return add(std::move(fresh));
    }
    bool remove() const {
        if (!value()) return false;
        if (in->is_object()) return in->remove(last), true;
        in->elements().erase(in->elements().begin() + static_cast<std::ptrdiff_t>(*index_of(last)));
        return true;
    }
};

// Whole numbers stay whole.
bool increase(Json& value, const Json& by) {
    if (!value.is_number() || !by.is_number()) return false;
    const auto whole = [](const std::string& digits, std::int64_t& number) {
        const char* end = digits.data() + digits.size();
        return std::from_chars(digits.data(), end, number).ptr == end;
    };
    std::int64_t left = 0, right = 0, sum = 0;
    if (whole(value.text(), left) && whole(by.text(), right) &&
        !__builtin_add_overflow(left, right, &sum))
        value = Json::number(std::to_string(sum));
    else value = Json::number(value.as_double() + by.as_double());
    return true;
}

bool run(Json& item, const Json& operation) {
    const std::string_view op = operation.word("op");
    const Target target = Target::of(item, operation.word("path"));
    const Json* value = operation.find("value");
    if (op == "remove") return target.remove();
    if (op == "move") {
        const Target from = Target::of(item, operation.word("from"));
        if (!from.value()) return false;
        Json moved = *from.value();
        return from.remove() && Target::of(item, operation.word("path")).put(std::move(moved));
    }
    if (!value || !target.in) return false;
    if (op == "add") return target.add(*value);
    if (op == "set") return target.put(*value);
    if (op == "replace") return target.value() && target.put(*value);
    if (op != "incr" && op != "increment") return false;
    if (Json* old = target.value()) return increase(*old, *value);
    return value->is_number() && target.put(*value);
}

}  // namespace

Patched apply_patch(Json& item, const Json& patch) {
    // Some clients send the operations alone.
    const Json* operations = patch.is_array() ? &patch : patch.find("operations");
    if (!operations || operations->elements().empty()) return {400, "A patch needs operations."};
    if (operations->elements().size() > most_patch_operations)
        return {400, "A patch has at most ten operations."};
    if (const std::string_view condition = patch.word("condition"); !condition.empty()) {
        const auto query = Query::condition(condition);
        if (!query) return {400, "The condition of the patch is not understood."};
        if (!query->fits(item)) return {412, "The condition of the patch does not hold."};
    }
    for (const Json& operation : operations->elements())
        if (!run(item, operation)) return {400, no_target};
    return {};
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

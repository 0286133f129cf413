// SPDX-License-Identifier: Apache-2.0
#include "load/engine/side_file.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>

#include "load/engine/side_device.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

namespace files = std::filesystem;

constexpr int most_side_files = 1000;  // of one table in one folder

// A name has at most 255 bytes; behind the stem there is room for a number.
constexpr std::size_t longest_stem = 200;

// Of a character of UTF-8: not its first byte.
bool is_continuation(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

bool is_input(const std::vector<Input>& inputs, const std::string& name) {
    std::error_code ignored;
    return std::ranges::any_of(inputs, [&](const Input& input) {
        return files::equivalent(input.options.path, name, ignored);
    });
}

// "orders.rejected.jsonl", "orders.rejected-2.jsonl", …
std::string numbered(const std::string& wished, int number) {
    if (number == 1) return wished;
    files::path path{wished};
    path.replace_filename(path.stem().string() + "-" + std::to_string(number) +
                          path.extension().string());
    return path.string();
}

using EachRejection = std::function<void(const Input&, const KeptRejection&)>;

// The lines of all inputs, one after the other.
Result<void> pour_into(const std::function<Result<void>(const Input&, const KeptRejection&)>& sink,
                       const std::vector<Input>& inputs, Target& target,
                       const EachRejection& each) {
    for (const Input& input : inputs)
        PERDURE_TRY(target.rejections(input.name, [&](const KeptRejection& one) -> Result<void> {
            each(input, one);
            return sink(input, one);
        }));
    return {};
}

// The first name that is free, or whose file is continued by this one.
Result<std::string> publish(FreshFile file, const std::string& wished,
                            const std::vector<Input>& inputs) {
    for (int number = 1; number <= most_side_files; ++number) {
        std::string name = numbered(wished, number);
        PERDURE_TRY_VALUE(bool ours, file.take(name));
        if (!ours && !is_input(inputs, name)) {
            PERDURE_TRY_VALUE(ours, file.replace(name));
        }
        if (ours) return name;
    }
    return fail(cannot_write_side(wished, "there are " + std::to_string(most_side_files) +
                                              " files of this name already; move them away"));
}

}  // namespace

std::string usual_side_name(const std::string& table) {
    std::string stem = table;
    if (stem.size() > longest_stem) {
        std::size_t end = longest_stem;
        while (end > 0 && is_continuation(stem[end])) --end;
        stem.resize(end);
    }
    std::ranges::replace(stem, '/', '_');
    return stem + ".rejected.jsonl";
}

Result<std::string> write_side_file(const std::string& wished, SideName from,
                                    const std::vector<Input>& inputs, Target& target,
                                    const EachRejection& each) {
    PERDURE_TRY_VALUE(const auto device, from == SideName::given ? SideDevice::open(wished)
                                                                 : std::optional<SideDevice>{});
    if (device) {
        const auto put = [&](const Input& input, const KeptRejection& one) {
            return device->write(rejected_line(input.options.path, one));
        };
        PERDURE_TRY(pour_into(put, inputs, target, each));
        return wished;
    }
    PERDURE_TRY_VALUE(auto lines, RejectedFile::open(wished));
    const auto add = [&](const Input& input, const KeptRejection& one) {
        return lines.add(input.options.path, one);
    };
    PERDURE_TRY(pour_into(add, inputs, target, each));
    PERDURE_TRY_VALUE(auto file, std::move(lines).finish());
    return file ? publish(*std::move(file), wished, inputs) : std::string{};
}

}  // namespace tool::load

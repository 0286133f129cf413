// SPDX-License-Identifier: Apache-2.0
#include "load/engine/side_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <system_error>

#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

namespace files = std::filesystem;

// All of `old`, and perhaps more behind it.
bool continues(const std::string& fresh, const std::string& old) {
    std::ifstream a{fresh, std::ios::binary};
    std::ifstream b{old, std::ios::binary};
    using Bytes = std::istreambuf_iterator<char>;
    const auto [at, end] = std::mismatch(Bytes{b}, Bytes{}, Bytes{a}, Bytes{});
    return at == Bytes{};
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

std::string free_name(const std::string& wished, const std::string& fresh,
                      const std::vector<Input>& inputs) {
    for (int number = 1;; ++number) {
        std::string name = numbered(wished, number);
        std::error_code ignored;
        if (!files::exists(name, ignored)) return name;
        if (!is_input(inputs, name) && continues(fresh, name)) return name;
    }
}

// A device or a pipe is written into, not replaced.
bool is_no_file(const std::string& name) {
    std::error_code ignored;
    return files::exists(name, ignored) && !files::is_regular_file(name, ignored);
}

Failure cannot_write(const std::string& name, const std::string& why) {
    return {.cause = Cause::unavailable,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "side-file",
            .message = "cannot write '" + name + "': " + why};
}

Result<std::string> pour_into(const std::string& name, const std::vector<Input>& inputs,
                              Target& target,
                              const std::function<void(const Input&, const KeptRejection&)>& each) {
    std::ofstream out{name, std::ios::binary};
    for (const Input& input : inputs)
        PERDURE_TRY(target.rejections(input.name, [&](const KeptRejection& one) -> Result<void> {
            each(input, one);
            out << rejected_line(input.options.path, one);
            return {};
        }));
    if (!out.flush()) return fail(cannot_write(name, "not all of it was taken"));
    return name;
}

}  // namespace

Result<std::string>
write_side_file(const std::string& wished, const std::vector<Input>& inputs, Target& target,
                const std::function<void(const Input&, const KeptRejection&)>& each) {
    if (is_no_file(wished)) return pour_into(wished, inputs, target, each);
    const std::string fresh = wished + ".new";
    PERDURE_TRY_VALUE(auto file, RejectedFile::open(fresh));
    for (const Input& input : inputs)
        PERDURE_TRY(target.rejections(input.name, [&](const KeptRejection& one) -> Result<void> {
            each(input, one);
            return file.add(input.options.path, one);
        }));
    PERDURE_TRY(file.commit());
    std::string name = free_name(wished, fresh, inputs);
    std::error_code error;
    files::rename(fresh, name, error);
    if (!error) return name;
    return fail(cannot_write(name, error.message()));
}

}  // namespace tool::load

// SPDX-License-Identifier: Apache-2.0
#include "load/engine/side_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <system_error>

#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

namespace files = std::filesystem;

constexpr int most_side_files = 1000;  // of one table in one folder

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

// A device or a pipe that the user names is written into, not replaced.
bool is_no_file(const std::string& name) {
    std::error_code ignored;
    return name.starts_with("/dev/std") || name.starts_with("/dev/fd/") ||
           (files::exists(name, ignored) && !files::is_regular_file(name, ignored));
}

Failure cannot_write(const std::string& name, const std::string& why) {
    return {.cause = Cause::unavailable,
            .effect = Effect::none,
            .origin = Origin::application,
            .code = "side-file",
            .message = "cannot write '" + name + "': " + why};
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

class OpenDevice {
public:
    // Without waiting for somebody to read a pipe.
    explicit OpenDevice(const std::string& name)
        : name_{name},
          descriptor_{::open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)} {
        error_ = descriptor_ < 0 ? errno : 0;
        if (descriptor_ < 0) return;
        const int flags = ::fcntl(descriptor_, F_GETFL);
        ::fcntl(descriptor_, F_SETFL, flags & ~O_NONBLOCK);
    }
    OpenDevice(const OpenDevice&) = delete;
    OpenDevice& operator=(const OpenDevice&) = delete;
    ~OpenDevice() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    [[nodiscard]] Result<void> write(std::string_view bytes) const {
        if (descriptor_ < 0) return failed(error_);
        while (!bytes.empty()) {
            const ssize_t wrote = ::write(descriptor_, bytes.data(), bytes.size());
            if (wrote < 0 && errno != EINTR) return failed(errno);
            if (wrote > 0) bytes.remove_prefix(static_cast<std::size_t>(wrote));
        }
        return {};
    }

private:
    [[nodiscard]] Result<void> failed(int error) const {
        return fail(cannot_write(name_, error == ENXIO ? "no process reads this pipe"
                                                       : std::generic_category().message(error)));
    }
    std::string name_;
    int descriptor_;
    int error_ = 0;
};

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
    return fail(cannot_write(wished, "there are " + std::to_string(most_side_files) +
                                         " files of this name already; move them away"));
}

}  // namespace

Result<std::string> write_side_file(const std::string& wished, SideName from,
                                    const std::vector<Input>& inputs, Target& target,
                                    const EachRejection& each) {
    if (from == SideName::given && is_no_file(wished)) {
        const OpenDevice device{wished};
        PERDURE_TRY(device.write({}));
        const auto put = [&](const Input& input, const KeptRejection& one) {
            return device.write(rejected_line(input.options.path, one));
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

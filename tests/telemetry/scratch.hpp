// SPDX-License-Identifier: Apache-2.0
//
// Where do the tests of the journal write, and what did they find there?
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "call/json_check.hpp"
#include "perdure/call/caller.hpp"

namespace perdure {
inline namespace v0 {
namespace testing {

// A folder of its own, gone at the end.
class Scratch {
public:
    Scratch() {
        std::string pattern = (std::filesystem::temp_directory_path() / "perdure-XXXXXX").string();
        root_ = ::mkdtemp(pattern.data());
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::permissions(root_, std::filesystem::perms::owner_all, ignored);
        std::filesystem::remove_all(root_, ignored);
    }
    [[nodiscard]] std::string at(const std::string& name) const { return root_ / name; }
    [[nodiscard]] const std::filesystem::path& root() const { return root_; }

private:
    std::filesystem::path root_;
};

inline std::string read_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// Each must be sound by itself; a last one without an end is not given.
inline std::vector<std::string> lines_of(const std::string& path) {
    std::vector<std::string> lines;
    std::istringstream text{read_file(path)};
    for (std::string line; std::getline(text, line) && !text.eof();) {
        EXPECT_TRUE(JsonCheck{line}.sound()) << line;
        lines.push_back(line);
    }
    return lines;
}

inline bool has(const std::string& line, const std::string& piece) {
    return line.find(piece) != std::string::npos;
}

inline std::size_t count_of(const std::vector<std::string>& lines, const std::string& piece) {
    std::size_t count = 0;
    for (const std::string& line : lines) count += has(line, piece) ? 1 : 0;
    return count;
}

inline const std::string call_kind = R"("kind":"call")";

// `count` calls that succeed at once.
inline void make_calls(Caller& caller, int count, std::string_view name = "load") {
    for (int i = 0; i < count; ++i)
        (void)caller.run({.name = name}, []() -> Result<int> { return 1; });
}
inline void make_failing_calls(Caller& caller, int count) {
    for (int i = 0; i < count; ++i)
        (void)caller.run({.name = "load"},
                         []() -> Result<int> { return fail({.cause = Cause::invalid}); });
}

}  // namespace testing
}  // namespace v0
}  // namespace perdure

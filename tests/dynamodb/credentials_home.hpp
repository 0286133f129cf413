// SPDX-License-Identifier: Apache-2.0
//
// Where does a test's user live? In a folder of its own with an .aws in it, and in an environment made
// by hand. Keys that must never show are all called so.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "perdure/dynamodb/settings.hpp"
#include "perdure/failure.hpp"

namespace perdure::dynamodb {

inline const WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16} + 12h};

// Gone at the end. Used by one thread.
class Home {
public:
    Home() {
        std::string pattern = (std::filesystem::temp_directory_path() / "perdure-XXXXXX").string();
        root_ = ::mkdtemp(pattern.data());
        std::filesystem::create_directory(root_ / ".aws");
        surroundings.home = root_.string();
        surroundings.variables["AWS_EC2_METADATA_DISABLED"] = "true";
        surroundings.variables["PATH"] = "/usr/bin:/bin";
    }
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;
    ~Home() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }

    Home& file(const std::string& name, const std::string& text) {
        std::ofstream{root_ / name, std::ios::binary} << text;
        return *this;
    }
    Home& config(const std::string& text) { return file(".aws/config", text); }
    Home& credentials(const std::string& text) { return file(".aws/credentials", text); }
    Home& set(const std::string& variable, const std::string& value) {
        surroundings.variables[variable] = value;
        return *this;
    }
    [[nodiscard]] std::string at(const std::string& name) const { return root_ / name; }

    Surroundings surroundings{};

private:
    std::filesystem::path root_;
};

inline bool says(const Failure& failure, std::string_view words) {
    return failure.message.find(words) != std::string::npos;
}

// The word every secret of these tests has in it.
inline constexpr std::string_view secret_mark = "HUSH";

inline bool tells_no_secret(const Failure& failure) {
    return to_string(failure).find(secret_mark) == std::string::npos &&
           failure.message.find(secret_mark) == std::string::npos &&
           failure.code.find(secret_mark) == std::string::npos;
}

}  // namespace perdure::dynamodb

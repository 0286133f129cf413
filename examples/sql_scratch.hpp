// SPDX-License-Identifier: Apache-2.0
//
// Where do the examples keep their databases? In a directory that goes when they end.
//
//     const Scratch scratch;
//     sql::sqlite(scratch / "bank.db");
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

class Scratch {
public:
    Scratch() {
        std::string name =
            (std::filesystem::temp_directory_path() / "perdure-example-XXXXXX").string();
        if (mkdtemp(name.data())) path_ = name;
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string operator/(std::string_view name) const {
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

// SPDX-License-Identifier: Apache-2.0
#include "own_folder.hpp"

#include <filesystem>
#include <fstream>

#include "failures.hpp"

namespace demo {

namespace fs = std::filesystem;
using namespace perdure;

namespace {

constexpr const char* marker = ".perdure-demo";

}  // namespace

Result<std::string> own_folder(const std::string& path) {
    std::error_code error;
    const fs::path folder = fs::absolute(path, error).lexically_normal();
    if (fs::exists(folder, error)) {
        if (!fs::is_directory(folder, error)) return fail(trouble(path + " is not a folder"));
        if (!fs::exists(folder / marker, error) && !fs::is_empty(folder, error))
            return fail(trouble(path + " holds files that are not of this demonstration; name "
                                       "another folder with --directory"));
        for (const auto& entry : fs::directory_iterator{folder, error})
            fs::remove_all(entry.path(), error);
    }
    fs::create_directories(folder, error);
    std::ofstream note{folder / marker};
    note << "Made by perdure_load_demo, which replaces what lies here when it runs again.\n";
    note.close();
    if (!note) return fail(trouble("cannot write into " + path));
    return folder.string();
}

}  // namespace demo

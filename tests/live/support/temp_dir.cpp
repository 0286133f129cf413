// SPDX-License-Identifier: Apache-2.0
#include "live/support/temp_dir.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace perdure::live {

TempDir::TempDir() : path_{std::filesystem::temp_directory_path() / "perdure-live-XXXXXX"} {
    if (!::mkdtemp(path_.data())) std::abort();
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::write(std::string_view name, std::string_view text) const {
    std::ofstream{file(name), std::ios::binary} << text;
    return file(name);
}

std::string read_file(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace perdure::live

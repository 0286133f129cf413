// SPDX-License-Identifier: Apache-2.0
//
// A directory of one test's own, removed with everything in it.
#pragma once

#include <string>
#include <string_view>

namespace perdure::live {

// Used by one thread at a time.
class TempDir {
public:
    TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir();

    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] std::string file(std::string_view name) const {
        return path_ + "/" + std::string{name};
    }
    // Writes it and gives its path.
    std::string write(std::string_view name, std::string_view text) const;

private:
    std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace perdure::live

// SPDX-License-Identifier: Apache-2.0
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>

#include "load/source/source.hpp"

namespace tool::load {

namespace {

bool is_there(const std::string& name) noexcept {
    struct stat facts{};
    return ::lstat(name.c_str(), &facts) == 0;
}

std::vector<std::string> matching(const std::string& pattern) {
    glob_t found{};
    std::vector<std::string> names;
    // Before there are other threads. NOLINTNEXTLINE(concurrency-mt-unsafe)
    if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0)
        names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    // By bytes: glob's own order depends on the locale.
    std::ranges::sort(names);
    return names;
}

}  // namespace

Result<std::vector<std::string>> expand(const std::vector<std::string>& names) {
    std::vector<std::string> files;
    for (const std::string& name : names) {
        if (name == "-" || is_there(name)) {
            files.push_back(name);
            continue;
        }
        const bool pattern = name.find_first_of("*?[") != std::string::npos;
        const auto found = pattern ? matching(name) : std::vector<std::string>{};
        if (found.empty())
            return perdure::fail(
                {.cause = perdure::Cause::not_found,
                 .origin = perdure::Origin::application,
                 .message = name + (pattern ? ": no file matches" : ": there is no such file")});
        files.insert(files.end(), found.begin(), found.end());
    }
    return files;
}

}  // namespace tool::load

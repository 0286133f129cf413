// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of `perdure get`? Its flags, as they were given.
//
//     GetOptions options{.url = "https://example.org/"};
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy_flags.hpp"

namespace tool {

// A plain value.
struct GetOptions {
    std::string url{};
    PolicyFlags policy{};
    std::optional<Duration> set_up{};
    std::optional<Duration> hedge{};
    std::string method{};  // empty: GET, or POST with a body
    std::vector<std::string> headers{};
    std::vector<std::string> header_files{};
    std::string auth{};  // "env:NAME" or "file:PATH"
    std::string body{};
    std::string body_file{};
    std::string content_type{};
    std::string safety{};           // empty: by the method
    std::string idempotency_key{};  // empty: none; `new_key`: one of our own
    std::vector<std::string> endpoints{};
    std::string answers{};
    int redirects = 0;
    bool gzip = false;
    int max_body_mb = 256;
    std::string ca_file{};
    bool insecure = false;
    std::string proxy{};
    bool no_proxy = false;
    std::string output{};  // empty or "-": standard output
    bool include = false;
    bool fail_body = false;
    bool trace = false;
    bool json = false;

    static constexpr const char* new_key = "new";
    [[nodiscard]] bool to_file() const { return !output.empty() && output != "-"; }
};

}  // namespace tool

// SPDX-License-Identifier: Apache-2.0
//
// What do the flags of `perdure get` ask for? A request, where it goes, and a client's options.
//
//     auto asked = ask(options, plan, *read_body(options));
//     http::Client client{asked->endpoints, asked->client};
#pragma once

#include <string>
#include <vector>

#include "get/get_options.hpp"
#include "perdure/http/client.hpp"

namespace tool {

// A plain value.
struct Asked {
    http::Request request{"GET", "/"};
    std::vector<std::string> endpoints{};  // with name and password: not to be shown
    http::ClientOptions client{};
    std::string shown{};  // the URL without name, password and query, for people and logs
};

// The plan the flags mean: a request's limits are tighter than a command's.
Plan plan_of(const GetOptions& options, Plan given);

// Adds the lines of --header-file, and --auth as a header, to those that were given: secrets that neither
// a list of processes nor a shell's history shows.
Result<void> read_secrets(GetOptions& options);

// What was given as a body; a file and standard input are read to their end. Bounded.
Result<std::string> read_body(const GetOptions& options);

// What cannot be meant, and what cannot be sent, is `invalid`; the message names the flag.
Result<Asked> ask(const GetOptions& options, Plan plan, std::string body);

}  // namespace tool

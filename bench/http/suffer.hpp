// SPDX-License-Identifier: Apache-2.0
//
// What does a client do when the network leaves it waiting, and how late does it come back?
//
//     const auto fault = start_fault("no_first_byte");
//     auto client = make_perdure_blocking(*fault);
//     const Ended ended = client->once(0, 300ms);
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/duration.hpp"

namespace bench {

// Something that keeps clients waiting, as long as it lives.
struct Fault {
    Fault() = default;
    Fault(const Fault&) = delete;
    Fault& operator=(const Fault&) = delete;
    virtual ~Fault();

    std::string origin{};  // "http://127.0.0.1:4711"
    std::string
        name_server{};  // "127.0.0.1:53": silent; the host is then a name, other for each run
    bool one_connection = false;  // somebody else has the only connection the client may make
};

std::vector<std::string_view> fault_names();
// Null: there is no such fault.
std::unique_ptr<Fault> start_fault(std::string_view name);

struct Ended {
    std::string how{};
    perdure::Duration took{};
};

// Shared by all threads that suffer.
class Sufferer {
public:
    Sufferer() = default;
    Sufferer(const Sufferer&) = delete;
    Sufferer& operator=(const Sufferer&) = delete;
    virtual ~Sufferer();
    // One request with that much time.
    virtual Ended once(int run, perdure::Duration time) = 0;
};

std::unique_ptr<Sufferer> make_perdure_blocking(const Fault& fault);
std::unique_ptr<Sufferer> make_perdure_coroutine(const Fault& fault);
std::unique_ptr<Sufferer> make_curl(const Fault& fault);

}  // namespace bench

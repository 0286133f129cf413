// SPDX-License-Identifier: Apache-2.0
//
// An authority of one test's own, and what it signed: good and bad.
#pragma once

#include <string>

#include "live/support/temp_dir.hpp"

namespace perdure::live {

// Paths of PEM files; the servers' ones hold certificate and key.
struct Certificates {
    // Made anew, in the given directory.
    explicit Certificates(const TempDir& home);

    std::string ca;           // what clients trust
    std::string good;         // localhost, 127.0.0.1 and ::1
    std::string wrong_name;   // another host
    std::string expired;      // good until an hour ago
    std::string self_signed;  // the right names, but nobody vouches for it
    std::string client;       // for a client that must show who it is
};

}  // namespace perdure::live

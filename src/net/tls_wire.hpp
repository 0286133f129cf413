// SPDX-License-Identifier: Apache-2.0
//
// How does OpenSSL reach our socket? Through a BIO of our own: without copies, and without SIGPIPE.
#pragma once

#include <openssl/bio.h>

#include "perdure/net/socket.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// Used by one thread at a time; must outlive the BIO.
struct TlsWire {
    Socket socket{};
    int error = 0;  // errno of the last failed call: OpenSSL would overwrite errno itself
    bool ended = false;
    // Reads left in this call. A peer that sends tickets without end would else never let go.
    int reads_left = most_reads;
    bool paused = false;
    static constexpr int most_reads = 16;
    void begin() noexcept {
        reads_left = most_reads;
        paused = false;
    }
};

// Null if there is no memory.
BIO* bio_over(TlsWire& wire);

}  // namespace net
}  // namespace v0
}  // namespace perdure

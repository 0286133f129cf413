// SPDX-License-Identifier: Apache-2.0
//
// What is the fingerprint of these bytes, and who could have made it? SHA-256, and HMAC with a key
// that is prepared once.
//
//     const Digest digest = sha256(body);
//     const HmacKey key{secret};                    // hashes both pads of the key, once
//     append_hex(out, key.sign(string_to_sign));    // and goes on from there every time
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// OpenSSL's own name for its context, so that this header needs none of its.
struct evp_md_ctx_st;

namespace perdure {
inline namespace v0 {
namespace dynamodb {

using Digest = std::array<std::uint8_t, 32>;

inline std::string_view bytes_of(const Digest& digest) noexcept {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}
// In lower case, 64 characters.
void append_hex(std::string& out, const Digest& digest);

// Any thread. Throws std::runtime_error where OpenSSL has no SHA-256 to give (a policy or a provider
// that forbids it) and std::bad_alloc; once it worked in a thread it goes on working.
Digest sha256(std::string_view bytes);

// Any number of threads may sign with one key. The state after either pad is kept and copied:
// OpenSSL's MAC interface would cost several times as much per signature.
class HmacKey {
public:
    explicit HmacKey(std::string_view key);

    [[nodiscard]] Digest sign(std::string_view bytes) const;

private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const noexcept;
    };
    using Context = std::unique_ptr<evp_md_ctx_st, Free>;
    static Context after_pad(std::string_view key, std::uint8_t pad);

    Context inner_, outer_;
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

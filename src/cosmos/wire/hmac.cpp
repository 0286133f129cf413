// SPDX-License-Identifier: Apache-2.0
// The plain functions of OpenSSL, although its version 3 would like others better: their state is a value
// that can be kept and set. Its new interface allocates for every copy of a state, a quarter of the cost
// of a signature.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "hmac.hpp"

#include <algorithm>

#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::size_t block = SHA256_CBLOCK;

std::string_view bytes_of(const Digest& digest) noexcept {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// These fail on no input.
Digest finish(SHA256_CTX& context, std::string_view bytes) noexcept {
    Digest digest;
    SHA256_Update(&context, bytes.data(), bytes.size());
    SHA256_Final(digest.data(), &context);
    return digest;
}

// As if one block had been hashed.
Digest go_on(const std::array<std::uint32_t, 8>& state, std::string_view bytes) noexcept {
    SHA256_CTX context;
    std::ranges::copy(state, context.h);
    context.Nl = 8 * block;
    context.Nh = 0;
    context.num = 0;
    context.md_len = SHA256_DIGEST_LENGTH;
    const Digest digest = finish(context, bytes);
    OPENSSL_cleanse(context.h, sizeof context.h);
    return digest;
}

}  // namespace

HmacKey::HmacKey(std::string_view key) {
    Digest shortened{};
    if (key.size() > block) {
        SHA256_CTX context;
        SHA256_Init(&context);
        shortened = finish(context, key);
        key = bytes_of(shortened);
    }
    inner_ = after_pad(key, 0x36);
    outer_ = after_pad(key, 0x5c);
    OPENSSL_cleanse(shortened.data(), shortened.size());
}

HmacKey::~HmacKey() {
    OPENSSL_cleanse(inner_.data(), sizeof inner_);
    OPENSSL_cleanse(outer_.data(), sizeof outer_);
}

HmacKey::State HmacKey::after_pad(std::string_view key, std::uint8_t pad) noexcept {
    std::array<std::uint8_t, block> padded;
    padded.fill(pad);
    for (std::size_t i = 0; i < key.size(); ++i)
        padded[i] = static_cast<std::uint8_t>(padded[i] ^ static_cast<unsigned char>(key[i]));
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, padded.data(), padded.size());
    State state;
    std::ranges::copy(context.h, state.begin());
    OPENSSL_cleanse(padded.data(), padded.size());
    OPENSSL_cleanse(context.h, sizeof context.h);
    return state;
}

Digest HmacKey::sign(std::string_view text) const noexcept {
    const Digest inside = go_on(inner_, text);
    return go_on(outer_, bytes_of(inside));
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
#include "dynamodb/sha256.hpp"

#include <cstring>
#include <new>
#include <stdexcept>

#include <openssl/crypto.h>
#include <openssl/evp.h>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t block = 64;

// "000102…ff": both digits of a byte in one step.
constexpr auto hex_pairs = [] {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<char, 512> pairs{};
    for (std::size_t i = 0; i < 256; ++i) {
        pairs[2 * i] = digits[i / 16];
        pairs[2 * i + 1] = digits[i % 16];
    }
    return pairs;
}();

// Fetched once, since a look-up costs more than the hashing. Never freed: a client that is itself a
// static object may still sign while the process ends.
const EVP_MD* algorithm() {
    static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    if (!fetched) throw std::runtime_error{"OpenSSL has no SHA-256 to give"};
    return fetched;
}

struct ContextFree {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

EVP_MD_CTX* scratch() {
    thread_local const std::unique_ptr<EVP_MD_CTX, ContextFree> context{EVP_MD_CTX_new()};
    if (!context) throw std::bad_alloc{};
    return context.get();
}

void require(int went_well) {
    if (went_well != 1) throw std::runtime_error{"OpenSSL could not hash"};
}

void finish(EVP_MD_CTX* context, std::string_view bytes, Digest& digest) {
    require(EVP_DigestUpdate(context, bytes.data(), bytes.size()));
    require(EVP_DigestFinal_ex(context, digest.data(), nullptr));
}

}  // namespace

void append_hex(std::string& out, const Digest& digest) {
    std::array<char, 2 * std::tuple_size_v<Digest>> text;
    for (std::size_t i = 0; i < digest.size(); ++i)
        std::memcpy(text.data() + 2 * i, hex_pairs.data() + 2 * std::size_t{digest[i]}, 2);
    out.append(text.data(), text.size());
}

Digest sha256(std::string_view bytes) {
    EVP_MD_CTX* const context = scratch();
    Digest digest;
    require(EVP_DigestInit_ex(context, algorithm(), nullptr));
    finish(context, bytes, digest);
    return digest;
}

void HmacKey::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

HmacKey::HmacKey(std::string_view key) {
    Digest shortened;
    if (key.size() > block) {
        shortened = sha256(key);
        key = bytes_of(shortened);
    }
    inner_ = after_pad(key, 0x36);
    outer_ = after_pad(key, 0x5c);
    OPENSSL_cleanse(shortened.data(), shortened.size());
}

HmacKey::Context HmacKey::after_pad(std::string_view key, std::uint8_t pad) {
    std::array<std::uint8_t, block> padded;
    padded.fill(pad);
    for (std::size_t i = 0; i < key.size(); ++i)
        padded[i] = static_cast<std::uint8_t>(padded[i] ^ static_cast<unsigned char>(key[i]));
    Context context{EVP_MD_CTX_new()};
    if (!context) throw std::bad_alloc{};
    require(EVP_DigestInit_ex(context.get(), algorithm(), nullptr));
    require(EVP_DigestUpdate(context.get(), padded.data(), padded.size()));
    OPENSSL_cleanse(padded.data(), padded.size());
    return context;
}

Digest HmacKey::sign(std::string_view bytes) const {
    EVP_MD_CTX* const context = scratch();
    Digest digest;
    require(EVP_MD_CTX_copy_ex(context, inner_.get()));
    finish(context, bytes, digest);
    require(EVP_MD_CTX_copy_ex(context, outer_.get()));
    finish(context, bytes_of(digest), digest);
    return digest;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

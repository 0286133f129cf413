// SPDX-License-Identifier: Apache-2.0
#include "load/source/content_hash.hpp"

#include <openssl/evp.h>

#include <array>
#include <new>
#include <utility>

namespace tool::load {

namespace {

constexpr unsigned digest_bits = 53;  // of each half: integers that a double keeps

std::uint64_t half_of(const unsigned char* bytes) noexcept {
    std::uint64_t number = 0;
    for (int i = 0; i < 8; ++i) number = number << 8u | bytes[i];
    return number >> (64 - digest_bits);
}

}  // namespace

// SHA-256 because every OpenSSL has it, also one in FIPS mode, and processors since 2017 compute it
// at more than 1 GB/s.
struct ContentHash::State {
    State() : context{EVP_MD_CTX_new()} {
        if (context == nullptr) throw std::bad_alloc{};
        usable = EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1;
    }
    State(const State& other) : context{EVP_MD_CTX_new()} {
        if (context == nullptr) throw std::bad_alloc{};
        usable = other.usable && EVP_MD_CTX_copy_ex(context, other.context) == 1;
    }
    State& operator=(const State&) = delete;
    ~State() { EVP_MD_CTX_free(context); }

    EVP_MD_CTX* context;
    bool usable = false;  // otherwise the digest is not known
};

ContentHash::ContentHash() : state_{std::make_unique<State>()} {}
ContentHash::ContentHash(const ContentHash& other)
    : state_{std::make_unique<State>(*other.state_)} {}
ContentHash& ContentHash::operator=(const ContentHash& other) {
    if (this != &other) state_ = std::make_unique<State>(*other.state_);
    return *this;
}
ContentHash::ContentHash(ContentHash&&) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&&) noexcept = default;
ContentHash::~ContentHash() = default;

void ContentHash::add(std::string_view bytes) noexcept {
    if (state_->usable)
        state_->usable = EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1;
}

ContentDigest ContentHash::digest() const {
    State copy{*state_};
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    if (!copy.usable || EVP_DigestFinal_ex(copy.context, bytes.data(), nullptr) != 1) return {};
    return {half_of(bytes.data()), half_of(bytes.data() + 8)};
}

}  // namespace tool::load

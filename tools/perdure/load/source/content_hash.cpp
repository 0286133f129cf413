// SPDX-License-Identifier: Apache-2.0
#include "load/source/content_hash.hpp"

#include <xxhash.h>

#include <new>
#include <utility>

namespace tool::load {

namespace {

constexpr unsigned digest_bits = 53;  // of each half: integers that a double keeps

}  // namespace

struct ContentHash::State {
    State() : state{XXH3_createState()} {
        if (state == nullptr) throw std::bad_alloc{};
        XXH3_128bits_reset(state);
    }
    State(const State& other) : state{XXH3_createState()} {
        if (state == nullptr) throw std::bad_alloc{};
        XXH3_copyState(state, other.state);
    }
    State& operator=(const State&) = delete;
    ~State() { XXH3_freeState(state); }

    XXH3_state_t* state;
};

ContentHash::ContentHash() : state_{std::make_unique<State>()} {}
ContentHash::ContentHash(const ContentHash& other)
    : state_{std::make_unique<State>(*other.state_)} {}
ContentHash& ContentHash::operator=(const ContentHash& other) {
    if (this != &other) XXH3_copyState(state_->state, other.state_->state);
    return *this;
}
ContentHash::ContentHash(ContentHash&&) noexcept = default;
ContentHash& ContentHash::operator=(ContentHash&&) noexcept = default;
ContentHash::~ContentHash() = default;

void ContentHash::add(std::string_view bytes) noexcept {
    XXH3_128bits_update(state_->state, bytes.data(), bytes.size());
}

ContentDigest ContentHash::digest() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_->state);
    return {hash.high64 >> (64 - digest_bits), hash.low64 >> (64 - digest_bits)};
}

}  // namespace tool::load

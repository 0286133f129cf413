// SPDX-License-Identifier: Apache-2.0
#include "dynamodb/signing_key.hpp"

#include <string>

#include <openssl/crypto.h>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

AmzDate::AmzDate(WallTime at) noexcept {
    using namespace std::chrono;
    const auto whole = floor<seconds>(at);
    const auto today = floor<days>(whole);
    const year_month_day date{today};
    const auto second = static_cast<unsigned>((whole - today).count());
    const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
    const auto put = [this](std::size_t where, unsigned number) {
        text_[where] = static_cast<char>('0' + number / 10);
        text_[where + 1] = static_cast<char>('0' + number % 10);
    };
    put(0, year / 100);
    put(2, year % 100);
    put(4, static_cast<unsigned>(date.month()));
    put(6, static_cast<unsigned>(date.day()));
    text_[8] = 'T';
    put(9, second / 3600);
    put(11, second / 60 % 60);
    put(13, second % 60);
    text_[15] = 'Z';
}

std::array<Digest, 4> signing_steps(std::string_view secret, std::string_view day,
                                    std::string_view region, std::string_view service) {
    std::string first = "AWS4";
    first += secret;
    std::array<Digest, 4> keys{};
    keys[0] = HmacKey{first}.sign(day);
    OPENSSL_cleanse(first.data(), first.size());
    keys[1] = HmacKey{bytes_of(keys[0])}.sign(region);
    keys[2] = HmacKey{bytes_of(keys[1])}.sign(service);
    keys[3] = HmacKey{bytes_of(keys[2])}.sign("aws4_request");
    return keys;
}

HmacKey signing_key(std::string_view secret, std::string_view day, std::string_view region,
                    std::string_view service) {
    auto keys = signing_steps(secret, day, region, service);
    HmacKey last{bytes_of(keys[3])};
    OPENSSL_cleanse(keys.data(), sizeof keys);
    return last;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

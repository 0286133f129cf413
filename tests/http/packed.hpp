// SPDX-License-Identifier: Apache-2.0
//
// A text as a server compresses it: gzip, or zlib by a window of 15 bits.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <zlib.h>

namespace perdure::http {

inline std::string packed(std::string_view text, int window = 31) {
    z_stream zlib{};
    EXPECT_EQ(deflateInit2(&zlib, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&zlib, text.size()), '\0');
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    zlib.avail_in = static_cast<uInt>(text.size());
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    out.resize(out.size() - zlib.avail_out);
    deflateEnd(&zlib);
    return out;
}

}  // namespace perdure::http

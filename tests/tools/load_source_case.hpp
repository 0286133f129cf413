// SPDX-License-Identifier: Apache-2.0
//
// What tests of inputs share: files in a folder of their own, and the records that a source gives out.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "load/source/source.hpp"

namespace tool::load {

using Texts = std::vector<std::string>;

class SourceCase : public ::testing::Test {
public:
    ~SourceCase() override { std::filesystem::remove_all(folder_); }

protected:
    SourceCase() {
        std::string name = ::testing::TempDir() + "/load-source-XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }

    std::string file(const std::string& name, const std::string& bytes) const {
        std::ofstream{folder_ / name, std::ios::binary} << bytes;
        return folder_ / name;
    }
    std::filesystem::path folder_;
};

inline std::string packed(const std::string& bytes) {
    z_stream zlib{};
    deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(compressBound(bytes.size()) + 64, '\0');
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib.avail_in = static_cast<uInt>(bytes.size());
    zlib.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib.avail_out = static_cast<uInt>(out.size());
    deflate(&zlib, Z_FINISH);
    out.resize(zlib.total_out);
    deflateEnd(&zlib);
    return out;
}

inline std::unique_ptr<Source> open(const SourceOptions& options) {
    auto source = Source::open(options);
    EXPECT_TRUE(source) << source.error().message;
    return source ? std::move(*source) : nullptr;
}

// "{"a":1}@2" for a record in line 2, "too long 1024@2", "{"a":1}@2: has no comma before it".
inline std::string shown_record(const Batch& batch, const Slice& slice) {
    const std::string text = slice.too_long ? "too long " + std::to_string(slice.end - slice.begin)
                                            : std::string{batch.text(slice)};
    const std::string fault = slice.fault.empty() ? "" : ": " + std::string{slice.fault};
    return text + "@" + std::to_string(slice.line) + fault;
}

// The records that are left, in batches within the limits; checks on the way that batches touch. What
// stops the source before its end is the last text: "failure: …".
inline Texts rest(Source& source, const BatchLimits& limits = {}) {
    Texts texts;
    Batch batch;
    std::optional<std::uint64_t> end;
    std::uint64_t line = 0;
    for (;;) {
        const auto more = source.next(batch, limits);
        if (!more) texts.push_back("failure: " + more.error().message);
        if (!more || !*more) return texts;
        if (end) {
            EXPECT_EQ(batch.begin, *end);
            EXPECT_EQ(batch.first_line, line);
        }
        end = batch.end;
        line = batch.first_line + batch.lines;
        for (const Slice& slice : batch.records) texts.push_back(shown_record(batch, slice));
    }
}

}  // namespace tool::load

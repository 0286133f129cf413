// SPDX-License-Identifier: Apache-2.0
//
// Bytes become a JSON record. The fast reader and the plain walk must be of one opinion, a value must be
// fit for a database, and a record that goes through the side file must come back as it was.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "load/source/json_record.hpp"
#include "load/source/json_record_fault.hpp"
#include "load/source/reading.hpp"
#include "load/source/reading_wrapped.hpp"
#include "load/source/rejected_file.hpp"

namespace {

using namespace tool::load;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

bool is_object(std::string_view record) {
    const std::size_t first = record.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && record[first] == '{' &&
           scan_whole_json(record).good() && is_utf8(record);
}

void read_into(const Batch& batch, const Schema& schema, Rows& rows) {
    read_rows(batch, {}, schema, rows);
    must(rows.size() + rows.rejected.size() == batch.records.size(), "a record is in one place");
    must(rows.values.size() == rows.size() * rows.width, "a row has all its values");
    for (const Rejected& one : rows.rejected) must(!one.reason.empty(), "a rejection has words");
    for (const Value& value : rows.values)
        must(is_utf8(value.text) && value.text.find('\0') == std::string_view::npos,
             "a text is UTF-8 without a NUL");
}

bool same(const Value& a, const Value& b) {
    return a.kind == b.kind && a.integer == b.integer && a.text == b.text &&
           (a.real == b.real || (a.real != a.real && b.real != b.real));
}

Batch batch_of(std::string_view record) {
    Batch batch{.bytes = std::string{record} + '\n'};
    batch.records.push_back({0, record.size(), 1});
    return batch;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view record{reinterpret_cast<const char*>(data), size};
    JsonReader reader;
    std::vector<JsonField> fields;
    std::deque<std::string> texts;
    const bool good = reader.split(record, 0, fields, texts).empty();
    must(!good || is_object(record), "what is read is JSON");
    // A name may hold half a surrogate pair, which only one of them minds.
    must(good || !is_object(record) || record.find("\\u") != std::string_view::npos,
         "what is JSON is read");

    const Schema schema{.columns = {{.name = "i", .type = Type::integer},
                                    {.name = "r", .type = Type::real},
                                    {.name = "b", .type = Type::boolean},
                                    {.name = "t", .type = Type::text},
                                    {.name = "j", .type = Type::json},
                                    {.name = "o", .type = Type::other}}};
    const Batch batch = batch_of(record);
    Rows rows;
    read_into(batch, schema, rows);
    (void)infer(batch, {}, {});

    if (record.find('\n') != std::string_view::npos) return 0;
    std::string line = rejected_line("f", {.reason = "r", .record = std::string{record}});
    must(line.find('\n') == line.size() - 1, "a line of a side file is one line");
    line.pop_back();
    must(is_object(line), "a line of a side file is JSON");
    Rows again;
    const Batch wrapped = batch_of(line);
    read_into(wrapped, schema, again);
    if (rows.size() == 0) return 0;
    must(again.size() == 1, "what could be loaded can be from a side file");
    for (std::size_t i = 0; i < rows.width; ++i)
        must(same(rows.values[i], again.values[i]), "a side file changes no value");
    return 0;
}

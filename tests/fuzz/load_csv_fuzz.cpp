// SPDX-License-Identifier: Apache-2.0
//
// Bytes become an input of CSV, JSON lines or a JSON array that arrives in odd pieces. All of it must be given out,
// each byte once; the pieces and the size of batches must make no difference; every record must be
// read or rejected; and the search for the ends of records must compare each byte a bounded number of times.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "load/source/reading.hpp"
#include "load/source/source_records.hpp"

namespace {

using namespace tool::load;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

class Pieces final : public ByteStream {
public:
    Pieces(std::string_view bytes, std::size_t piece) : bytes_{bytes}, piece_{piece} {}
    Result<std::size_t> read(char* into, std::size_t room) override {
        const std::size_t part = std::min({room, piece_, bytes_.size()});
        if (part > 0) std::memcpy(into, bytes_.data(), part);
        bytes_.remove_prefix(part);
        return part;
    }
    bool seekable() const noexcept override { return false; }
    Result<bool> seek(std::uint64_t) override { return false; }
    std::optional<std::uint64_t> size() const noexcept override { return {}; }
    std::uint64_t consumed() const noexcept override { return 0; }

private:
    std::string_view bytes_;
    std::size_t piece_;
};

struct Taken {
    std::vector<std::string> records{};
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string failure{};  // of an array that is cut off or goes on behind its end
};

void take_rows(const Batch& batch, const Header& header) {
    Schema schema;
    const auto columns = infer(batch, header, {});
    if (columns) schema.columns = *columns;
    Rows rows;
    read_rows(batch, header, schema, rows);
    must(rows.size() + rows.rejected.size() == batch.records.size(), "a record is in one place");
    for (const Rejected& one : rows.rejected) must(!one.reason.empty(), "a rejection has words");
}

// Checked at the end of its scope. Within a batch a record may be looked at, left for the next one and looked
// at again, from the first of its bytes; and from a record that does not close, the search starts again. The most
// that was met is nine looks at a byte, for records of at most 40 bytes, whatever the size of the input.
class WorkBound {
public:
    WorkBound(const RecordSource& source, const SourceOptions& options, std::size_t bytes)
        : source_{source}, most_{12 * (bytes + options.longest_record)} {}
    WorkBound(const WorkBound&) = delete;
    WorkBound& operator=(const WorkBound&) = delete;
    ~WorkBound() { must(source_.searched() <= most_, "the work grows with the input only"); }

private:
    const RecordSource& source_;
    std::uint64_t most_;
};

Taken take(std::string_view bytes, const SourceOptions& options, std::size_t piece,
           const BatchLimits& limits) {
    RecordSource source{options, std::make_unique<Pieces>(bytes, piece)};
    Taken taken;
    const bool begun = source.begin().has_value();
    const WorkBound bound{source, options, bytes.size()};
    if (!begun) return taken;
    taken.begin = taken.end = source.first().offset;
    std::uint64_t line = source.first().line;
    Batch batch;
    for (;;) {
        const auto more = source.next(batch, limits);
        must(more.has_value() || source.format() == Format::json_array,
             "an input in memory can be read");
        if (!more) taken.failure = more.error().message;
        if (!more) return taken;
        if (!*more) break;
        must(batch.begin == taken.end && batch.first_line == line, "batches touch");
        must(batch.end > batch.begin && batch.end <= bytes.size(), "a batch lies in the input");
        const std::string_view covered = bytes.substr(batch.begin, batch.end - batch.begin);
        const auto feeds = static_cast<std::uint64_t>(std::ranges::count(covered, '\n'));
        const auto returns = static_cast<std::uint64_t>(std::ranges::count(covered, '\r'));
        const bool csv = batch.format == Format::csv;  // there a CR alone may end a line
        must(batch.lines >= feeds && batch.lines <= feeds + (csv ? returns : 0),
             "line ends are counted");
        must(covered.starts_with(batch.bytes), "a batch holds the input's bytes");
        for (const Slice& slice : batch.records)
            taken.records.push_back(std::to_string(slice.line) + (slice.too_long ? "!" : ":") +
                                    std::string{batch.text(slice)});
        take_rows(batch, source.header());
        taken.end = batch.end;
        line += batch.lines;
    }
    const std::string_view closing = source.format() == Format::json_array ? " \t\r\n]" : " \t\r\n";
    must(bytes.substr(taken.end).find_first_not_of(closing) == std::string_view::npos,
         "all of the input is given out");
    return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4) return 0;
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 4, size - 4};
    const SourceOptions options{.path = "input",
                                .format = data[0] % 2   ? Format::csv
                                          : data[0] % 4 ? Format::json_array
                                                        : Format::json_lines,
                                .separator = data[0] % 4 == 3 ? '\t' : ',',
                                .longest_record =
                                    data[1] % 2 ? std::size_t{40} : std::size_t{4096}};
    const Taken one = take(bytes, options, SIZE_MAX, {});
    const Taken other = take(bytes, options, 1u + data[2] % 16u,
                             {.records = 1u + data[3] % 8u, .bytes = 1u + data[3]});
    must(one.begin == other.begin, "the header is the same");
    must(one.records == other.records && one.failure == other.failure, "pieces make no difference");
    return 0;
}

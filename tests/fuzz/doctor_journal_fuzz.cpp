// SPDX-License-Identifier: Apache-2.0
//
// Bytes become a journal for `perdure doctor`, read whole, packed by gzip and with its lines in
// reverse order. What is counted must be the same each time, tables must keep their limits, and the
// report can be shown whatever a line says: evidence between 0 and 1, no control characters.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <zlib.h>

#include "doctor/report.hpp"
#include "memory_file.hpp"

namespace {

using namespace tool::doctor;
using fuzz::must;

struct Examined {
    bool readable = true;  // false: damaged gzip, about which the command says so
    Tallies tallies{};
    Account account{};
};

Examined examine(std::string_view bytes) {
    const fuzz::MemoryFile file{bytes};
    Examined examined;
    const auto read = read_journal(file.path(), Window{}, examined.tallies, examined.account);
    examined.readable = read.has_value();
    must(read || bytes.starts_with('\x1f'), "a journal that is not packed can be read");
    must(read || !read.error().message.empty(), "a refusal has words");
    const Account& account = examined.account;
    // The end of a gzip file that was cut off counts as one more.
    must(account.bad <= account.lines + 1, "a bad line is a line");
    must((account.bad == 0) == account.first_bad.empty(), "a bad line has words");
    return examined;
}

// In one member of gzip. Empty if the bytes look packed already.
std::string packed(std::string_view bytes) {
    if (bytes.starts_with('\x1f')) return {};
    z_stream stream{};
    must(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK,
         "zlib works");
    std::string into(deflateBound(&stream, bytes.size()) + 32, '\0');
    std::string from{bytes};
    stream.next_in = reinterpret_cast<Bytef*>(from.data());
    stream.avail_in = static_cast<uInt>(from.size());
    stream.next_out = reinterpret_cast<Bytef*>(into.data());
    stream.avail_out = static_cast<uInt>(into.size());
    must(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib packs");
    into.resize(stream.total_out);
    deflateEnd(&stream);
    return into;
}

std::string reversed(std::string_view bytes) {
    std::string into;
    while (!bytes.empty()) {
        const std::size_t end = bytes.rfind('\n');
        into += bytes.substr(end == std::string_view::npos ? 0 : end + 1);
        into += '\n';
        bytes = bytes.substr(0, end == std::string_view::npos ? 0 : end);
    }
    return into;
}

void same_counts(const Examined& one, const Examined& other) {
    const Tally& left = one.tallies.whole;
    const Tally& right = other.tallies.whole;
    must(one.account.lines == other.account.lines && one.account.bad == other.account.bad,
         "the same lines are read");
    must(left.calls == right.calls && left.failed == right.failed &&
             left.attempts == right.attempts && left.affected == right.affected,
         "the same calls are counted");
    must(left.first == right.first && left.last == right.last, "the same time is covered");
}

void within_limits(const Tally& tally) {
    must(tally.instances.rows().size() <= 257 && tally.places.rows().size() <= 129 &&
             tally.dependencies.rows().size() <= 65 && tally.works.rows().size() <= 257 &&
             tally.codes.rows().size() <= 257,
         "a table keeps its limit, and one row for all others");
    must(tally.subjects.rows().size() <= 20'000, "subjects keep their limit");
    must(tally.timeline.slots().size() <= 4096, "time keeps its limit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    Examined whole = examine(bytes);
    if (const std::string gzip = packed(bytes); !gzip.empty()) {
        same_counts(whole, examine(gzip));
        same_counts(whole, examine(reversed(bytes)));
    }
    within_limits(whole.tallies.whole);
    for (const auto& [name, tally] : whole.tallies.by_dependency) within_limits(tally);
    must(whole.tallies.by_dependency.size() <= Tallies::most,
         "few dependencies are looked at apart");

    // Then the command says so and draws no report.
    if (!whole.readable || whole.tallies.whole.calls == 0) return 0;

    const Report report =
        report_on(std::move(whole.tallies), std::move(whole.account), {.files = {"fuzz"}});
    for (const Suspicion& suspicion : report.diagnosis.suspicions)
        for (const Evidence& evidence : suspicion.evidence)
            must(evidence.weight >= 0 && evidence.weight <= 1, "evidence is between 0 and 1");
    must(fuzz::printable_lines(as_text(report)), "a terminal gets text only");
    must(fuzz::printable_lines(as_json(report)), "JSON escapes control characters");
    must(!as_page(report).empty(), "there is a page");
    return 0;
}

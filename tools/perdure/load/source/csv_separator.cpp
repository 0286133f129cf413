// SPDX-License-Identifier: Apache-2.0
#include "load/source/csv_separator.hpp"

#include <deque>
#include <vector>

#include "load/source/csv_record.hpp"
#include "load/source/splitting.hpp"

namespace tool::load {

namespace {

constexpr std::size_t most_records = 100;

struct Fit {
    std::size_t columns = 0;
    std::size_t records = 0;
    std::size_t alike = 0;  // those with as many fields as the header
};

Fit fit_of(char separator, std::string_view head, HeadIs is) {
    Fit fit;
    std::vector<CsvField> fields;
    std::deque<std::string> texts;
    while (!head.empty() && fit.records < most_records) {
        Seam seam;
        const SplitRules rules{.format = Format::csv, .separator = separator, .has_lone_cr = true};
        const auto end = record_end(head, rules, seam);
        if (!end && is == HeadIs::beginning) break;  // of a record that goes on
        const std::string_view record = head.substr(0, end.value_or(head.size()));
        head.remove_prefix(record.size());
        if (is_blank(record, Format::csv)) continue;
        texts.clear();
        const bool good = split_csv(without_line_end(record), separator, fields, texts).empty();
        const bool header = fit.columns == 0;
        if (header && (!good || fields.size() < 2)) return {};
        if (header) fit.columns = fields.size();
        fit.records += header ? 0 : 1;
        fit.alike += !header && good && fields.size() == fit.columns ? 1 : 0;
    }
    return fit;
}

}  // namespace

char guess_separator(std::string_view head, HeadIs is) {
    char best = ',';
    std::size_t most = 0;
    for (const char separator : {',', ';', '\t', '|'}) {
        const Fit fit = fit_of(separator, head, is);
        if (fit.columns == 0) continue;
        if (fit.records == fit.alike && (separator == ',' || fit.records == 0)) return separator;
        if (fit.alike <= most || 2 * fit.alike < fit.records) continue;
        best = separator;
        most = fit.alike;
    }
    return best;
}

}  // namespace tool::load

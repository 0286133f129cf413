// SPDX-License-Identifier: Apache-2.0
//
// Would Prometheus read it? A strict reader of the text format 0.0.4: what it does not like is a
// failure of the test.
//
//     const Exposition read = read_exposition(metrics.prometheus());
//     EXPECT_EQ(read.value("perdure_client_hedges_total", {{"peer_service", "users"}, …}), 3);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace testing {

using Labels = std::map<std::string, std::string>;

struct Exposition {
    std::map<std::string, std::string> types;                  // of families
    std::map<std::pair<std::string, Labels>, double> samples;  // by name and labels

    // −1: there is none.
    [[nodiscard]] double value(const std::string& name, const Labels& labels) const {
        const auto found = samples.find({name, labels});
        return found == samples.end() ? -1 : found->second;
    }
};

class ExpositionReader {
public:
    explicit ExpositionReader(std::string_view text) : rest_{text} {}
    Exposition read() {
        while (!rest_.empty()) {
            const std::size_t end = rest_.find('\n');
            if (end == std::string_view::npos) return ADD_FAILURE() << "no end of line", out_;
            line_ = rest_.substr(0, end);
            whole_ = line_;
            rest_.remove_prefix(end + 1);
            if (line_.starts_with("# ")) comment();
            else sample();
        }
        check_histograms();
        return out_;
    }

private:
    void wrong(std::string_view what) { ADD_FAILURE() << what << ": " << whole_; }
    bool take(char c) {
        if (!line_.starts_with(c)) return wrong(std::string{"expected "} + c), false;
        line_.remove_prefix(1);
        return true;
    }
    std::string name(std::string_view more) {
        std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
        if (line_.empty() || letters.find(line_[0]) == std::string::npos) wrong("no name");
        letters += "0123456789";
        letters += more;
        const std::size_t end = std::min(line_.find_first_not_of(letters), line_.size());
        const std::string found{line_.substr(0, end)};
        line_.remove_prefix(end);
        return found;
    }
    void comment() {
        line_.remove_prefix(2);
        const std::string word = name("");
        if (!take(' ')) return;
        const std::string family = name(":");
        if (!take(' ')) return;
        if (word == "HELP") {
            if (!helped_.insert(family).second) wrong("helped twice");
            family_ = family;
        } else if (word == "TYPE") {
            if (family != family_) wrong("TYPE is not of the family before it");
            const std::set<std::string_view> known{"counter", "gauge", "histogram"};
            if (!known.contains(line_)) wrong("no such type");
            if (!out_.types.emplace(family, line_).second) wrong("typed twice");
            if ((line_ == "counter") != family.ends_with("_total")) wrong("counters end in _total");
        } else {
            wrong("neither HELP nor TYPE");
        }
    }
    std::string text() {
        std::string found;
        while (!line_.empty() && line_[0] != '"') {
            char c = line_[0];
            line_.remove_prefix(1);
            if (static_cast<unsigned char>(c) < 0x20) wrong("control character");
            if (c == '\\') {
                c = line_.empty() ? 'x' : line_[0];
                if (c != '\\' && c != '"' && c != 'n') wrong("no such escape");
                if (!line_.empty()) line_.remove_prefix(1);
                if (c == 'n') c = '\n';
            }
            found += c;
        }
        return found;
    }
    Labels labels() {
        Labels found;
        if (!line_.starts_with('{')) return found;
        line_.remove_prefix(1);
        while (!line_.empty() && !line_.starts_with('}')) {
            const std::string key = name("");
            if (!take('=') || !take('"')) return found;
            const std::string value = text();
            if (!take('"')) return found;
            if (!found.emplace(key, value).second) wrong("label twice");
            if (line_.starts_with(',')) line_.remove_prefix(1);
            else if (!line_.starts_with('}')) return wrong("no end of labels"), found;
        }
        (void)take('}');
        return found;
    }
    bool of_family(const std::string& found) {
        if (found == family_) return out_.types[family_] != "histogram";
        if (out_.types[family_] != "histogram") return false;
        return found == family_ + "_bucket" || found == family_ + "_sum" ||
               found == family_ + "_count";
    }
    void sample() {
        const std::string found = name(":");
        if (!of_family(found)) wrong("outside of its family");
        Labels of_it = labels();
        if (!take(' ')) return;
        const std::string digits{line_};
        char* end = nullptr;
        const double value = std::strtod(digits.c_str(), &end);
        if (digits.empty() || *end != '\0') wrong("no number");
        if (!out_.samples.emplace(std::pair{found, std::move(of_it)}, value).second)
            wrong("said twice");
    }
    // Buckets do not fall, and the last holds as many as there are.
    void check_histograms() {
        std::map<std::pair<std::string, Labels>, std::map<double, double>> all;
        for (const auto& [key, value] : out_.samples) {
            if (!key.first.ends_with("_bucket")) continue;
            Labels others = key.second;
            const double le = std::strtod(others["le"].c_str(), nullptr);
            others.erase("le");
            all[{key.first.substr(0, key.first.size() - 7), others}][le] = value;
        }
        for (const auto& [key, buckets] : all) {
            double before = 0;
            for (const auto& [le, value] : buckets) {
                EXPECT_GE(value, before) << key.first << " at " << le;
                before = value;
            }
            EXPECT_EQ(before, out_.value(key.first + "_count", key.second)) << key.first;
            EXPECT_GE(out_.value(key.first + "_sum", key.second), 0) << key.first;
        }
    }

    std::string_view rest_, line_, whole_;
    std::string family_;
    std::set<std::string> helped_;
    Exposition out_;
};

inline Exposition read_exposition(std::string_view text) { return ExpositionReader{text}.read(); }

}  // namespace testing
}  // namespace v0
}  // namespace perdure

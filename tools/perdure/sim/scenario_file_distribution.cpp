// SPDX-License-Identifier: Apache-2.0
//
// Durations that differ from time to time, as people write them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/scenario_file_reader.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {

using sim::Distribution;

constexpr std::size_t most_samples = 10'000'000;

// The durations of a file, one to a line: "12.5ms", or a number of milliseconds.
std::optional<Distribution> from_file(const Node& node, const std::string& path,
                                      Problems& problems) {
    const auto refuse = [&](const std::string& why) {
        problems.push_back({node.place, "`" + path + "` " + why});
        return std::nullopt;
    };
    std::error_code ignored;
    // A pipe or a device might never end.
    const bool regular = std::filesystem::is_regular_file(node.text, ignored);
    std::ifstream file{regular ? node.text : std::string{}};
    if (!file) return refuse("cannot be read: " + node.text);
    std::vector<Duration> samples;
    int number = 0;
    for (std::string line; std::getline(file, line) && samples.size() < most_samples;) {
        ++number;
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
        if (line.empty() || line.front() == '#') continue;
        const bool bare = line.find_first_not_of("0123456789.") == std::string::npos;
        const auto parsed = parse_duration(bare ? line + "ms" : line);
        if (!parsed)
            return refuse("line " + std::to_string(number) + " of " + node.text + ": " +
                          parsed.error().message);
        samples.push_back(*parsed);
    }
    if (samples.empty()) return refuse("has no samples in " + node.text);
    return Distribution::empirical(std::move(samples));
}

std::optional<Distribution> empirical(const Node& node, const std::string& path,
                                      Problems& problems) {
    if (node.kind == Node::Kind::text) return from_file(node, path, problems);
    std::vector<Duration> samples;
    for (const Node& item : node.items) {
        std::string why_not;
        const auto sample = duration_in(item, why_not);
        if (!sample) problems.push_back({item.place, "`" + path + "` " + why_not});
        else samples.push_back(*sample);
    }
    if (!samples.empty() && samples.size() == node.items.size())
        return Distribution::empirical(std::move(samples));
    if (node.items.empty())
        problems.push_back(
            {node.place, "`" + path + "` is a list of durations, or the name of a file of them"});
    return {};
}

// The two or three named durations of a shape.
struct Numbers {
    Duration a{}, b{};
    double share = 0;
};

Numbers read(const Node& table, const std::string& path, Problems& problems,
             std::array<std::string_view, 2> names, std::string_view share = {}) {
    Numbers numbers;
    Reader reader{table, path, problems};
    reader.duration(names[0], numbers.a);
    if (!names[1].empty()) reader.duration(names[1], numbers.b);
    if (!share.empty())
        reader.number(share, numbers.share,
                      share == "exponent" ? Between{0.1, 100} : Between{0, 1});
    if (share == "slow_share") {
        std::string ignored;
        reader.text("modes", ignored);
    }
    reader.close();
    for (const std::string_view name : {names[0], names[1]})
        if (!name.empty() && !table.find(name))
            problems.push_back({table.place, "`" + path + "` lacks `" + std::string{name} + "`"});
    return numbers;
}

std::optional<Distribution> shaped(std::string_view shape, const Node& node,
                                   const std::string& path, Problems& problems) {
    const std::size_t before = problems.size();
    const auto refuse = [&](const char* why) {
        problems.push_back({node.place, "`" + path + "` " + why});
    };
    Distribution made;
    if (shape == "exponential" || shape == "constant") {
        std::string why_not;
        const auto mean = duration_in(node, why_not);
        if (!mean) refuse(why_not.c_str());
        else
            made = shape == "constant" ? Distribution::constant(*mean)
                                       : Distribution::exponential(*mean);
    } else if (shape == "log_normal") {
        const Numbers n = read(node, path, problems, {"median", "p999"});
        if (problems.size() == before && !(n.a > 0ns && n.b > n.a))
            refuse("needs `p999` above `median`, and both above zero");
        if (problems.size() == before) made = Distribution::log_normal(n.a, n.b);
    } else if (shape == "bimodal") {
        const Numbers n = read(node, path, problems, {"fast", "slow"}, "slow_share");
        const Entry* modes = node.find("modes");
        const bool spread = modes && modes->value.text == "exponential";
        if (modes && !spread && modes->value.text != "constant")
            refuse("has `modes` \"constant\" or \"exponential\"");
        made = Distribution::bimodal(n.a, n.b, n.share,
                                     spread ? sim::Modes::exponential : sim::Modes::constant);
    } else if (shape == "uniform") {
        const Numbers n = read(node, path, problems, {"low", "high"});
        if (n.b < n.a) refuse("needs `high` above `low`");
        else made = Distribution::uniform(n.a, n.b);
    } else if (shape == "normal") {
        const Numbers n = read(node, path, problems, {"mean", "deviation"});
        made = Distribution::normal(n.a, n.b);
    } else if (shape == "pareto") {
        const Numbers n = read(node, path, problems, {"least", ""}, "exponent");
        if (n.share <= 0) refuse("lacks `exponent`, a number above 0");
        else made = Distribution::pareto(n.a, n.share);
    } else {
        return empirical(node, path, problems);
    }
    return problems.size() == before ? std::optional{made} : std::nullopt;
}

}  // namespace

std::optional<Distribution> distribution_in(const Node& node, const std::string& path,
                                            Problems& problems) {
    static const std::vector<std::string> shapes{"constant", "exponential", "log_normal",
                                                 "bimodal",  "uniform",     "normal",
                                                 "pareto",   "empirical"};
    if (node.kind == Node::Kind::text || node.kind == Node::Kind::number)
        return shaped("constant", node, path, problems);
    if (node.kind == Node::Kind::table && node.entries.size() == 1) {
        const Entry& only = node.entries.front();
        if (std::ranges::find(shapes, only.key) != shapes.end())
            return shaped(only.key, only.value, path + "." + only.key, problems);
        problems.push_back({only.place, "`" + path + "." + only.key +
                                            "` is no distribution; there are " + any_of(shapes) +
                                            did_you_mean(only.key, shapes)});
        return {};
    }
    problems.push_back({node.place, "`" + path +
                                        "` is a duration (\"10ms\") or one distribution, as in "
                                        "{ exponential = \"10ms\" }; there are " +
                                        any_of(shapes)});
    return {};
}

}  // namespace tool

// SPDX-License-Identifier: Apache-2.0
//
// Is the page docs/reference/cosmos-transcripts.md still true? Every row is played again; what may
// differ from day to day are the gaps. To write its tables anew:
//
//     perdure_live_cosmos_test --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_write*'
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "live/cosmos/support/transcripts.hpp"
#include "live/support/temp_dir.hpp"

namespace perdure::live {
namespace {

const std::string page_path = PERDURE_SOURCE_DIR "/docs/reference/cosmos-transcripts.md";
constexpr std::array accounts{Account::one_region, Account::two_regions, Account::two_writable};

std::string mark(Account account) {
    switch (account) {
        case Account::one_region: return "<!-- table: one region -->\n";
        case Account::two_regions: return "<!-- table: two regions, one takes writes -->\n";
        case Account::two_writable: return "<!-- table: two regions, both take writes -->\n";
    }
    return {};
}

std::vector<Scene> all_scenes() {
    std::vector<Scene> all;
    for (const Account account : accounts)
        for (Scene& scene : scenes(account)) all.push_back(std::move(scene));
    return all;
}

std::string table(Account account, const Plays& ours, const Plays& theirs) {
    std::string text = "| trouble | call | Perdure sends | gaps | tells | @azure/cosmos sends | "
                       "gaps | tells | .NET "
                       "repeats | Java repeats |\n|---|---|---|---|---|---|---|---|---|---|\n";
    for (const Scene& scene : scenes(account)) {
        const Trouble& trouble = trouble_of(scene);
        const Played& our = ours.at(scene.name);
        const Played& their = theirs.at(scene.name);
        const bool reads = scene.does == Does::read;
        text += "| " + trouble.name + " | " + (reads ? "read" : "create");
        for (const Played& one : {our, their})
            text += " | " + one.sent + " | " + one.gaps + " | " + one.told;
        text += " | " + (reads ? trouble.dotnet_read : trouble.dotnet_write);
        text += " | " + (reads ? trouble.java_read : trouble.java_write) + " |\n";
    }
    return text;
}

// From behind the mark to the first line that is none of a table's.
std::string table_on(const std::string& page, Account account) {
    const auto begin = page.find(mark(account));
    if (begin == std::string::npos) return {};
    const auto from = begin + mark(account).size();
    auto end = from;
    while (end < page.size() && page[end] == '|') end = page.find('\n', end) + 1;
    return page.substr(from, end - from);
}

// The cells of every row, by the scene: "read 503 once" and so on.
std::map<std::string, std::vector<std::string>> cells_of(const std::string& table) {
    std::map<std::string, std::vector<std::string>> rows;
    std::istringstream lines{table};
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> cells;
        for (std::size_t at = 2; at < line.size();) {
            const auto end = line.find(" |", at);
            if (end == std::string::npos) break;
            cells.push_back(line.substr(at, end - at));
            at = end + 3;
        }
        if (cells.size() == 10) rows[cells[0] + ", " + cells[1]] = cells;
    }
    return rows;
}

void expect_on_page(const Plays& plays, std::size_t first_cell) {
    const std::string page = read_file(page_path);
    for (const Account account : accounts) {
        SCOPED_TRACE(mark(account));
        auto rows = cells_of(table_on(page, account));
        for (const Scene& scene : scenes(account)) {
            const std::string name =
                trouble_of(scene).name + (scene.does == Does::read ? ", read" : ", create");
            const auto& cells = rows[name];
            ASSERT_EQ(cells.size(), 10u) << name << " has no row";
            EXPECT_EQ(plays.at(scene.name).sent, cells[first_cell]) << name;
            EXPECT_EQ(plays.at(scene.name).told, cells[first_cell + 2]) << name;
        }
    }
}

TEST(CosmosTranscripts, our_client_does_what_the_page_says) {
    expect_on_page(play_ours(all_scenes()), 2);
}

TEST(CosmosTranscripts, the_javascript_client_does_what_the_page_says) {
    if (!js_missing().empty()) GTEST_SKIP() << js_missing();
    expect_on_page(play_theirs(all_scenes()), 5);
}

TEST(CosmosTranscripts, DISABLED_write_the_page) {
    ASSERT_EQ(js_missing(), "");
    const auto ours = play_ours(all_scenes());
    const auto theirs = play_theirs(all_scenes());
    std::string page = read_file(page_path);
    for (const Account account : accounts) {
        const std::string old = table_on(page, account);
        ASSERT_NE(page.find(mark(account)), std::string::npos) << mark(account);
        page.replace(page.find(mark(account)) + mark(account).size(), old.size(),
                     table(account, ours, theirs));
    }
    std::ofstream{page_path} << page;
}

}  // namespace
}  // namespace perdure::live

// SPDX-License-Identifier: Apache-2.0
//
// Which rules fit, which strike, and is a plan that cannot be meant refused?
#include "chaos/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "chaos/book.hpp"
#include "chaos/cutter.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<int> struck_by(const Match& match, int requests = 20, std::uint64_t seed = 1) {
    Book book{0};
    Judge judge{{.rules = {{.fault = Fault::reset_before, .match = match}}, .seed = seed}, book};
    const http::Headers headers;
    std::vector<int> struck;
    for (int i = 1; i <= requests; ++i)
        if (judge.request({"GET", "/a", headers, ""}).ending) struck.push_back(i);
    return struck;
}

TEST(Judge, chooses_by_count) {
    EXPECT_THAT(struck_by({.from = 2, .to = 4}), ElementsAre(2, 3, 4));
    EXPECT_THAT(struck_by({.from = 3, .every_nth = 5}), ElementsAre(3, 8, 13, 18));
    EXPECT_THAT(struck_by({.probability = 0}), IsEmpty());
    EXPECT_EQ(struck_by({.probability = 1}).size(), 20);
}

TEST(Judge, chooses_by_chance_as_often_as_it_should) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        // Four standard deviations of a binomial with 100,000 draws.
        const auto struck = struck_by({.probability = 0.05}, 100'000, seed);
        EXPECT_NEAR(static_cast<double>(struck.size()), 5000, 4 * 69);
    }
}

TEST(Judge, throws_dice_that_depend_on_seed_rule_and_count_alone) {
    EXPECT_EQ(chance(1, 2, 3, 0), chance(1, 2, 3, 0));
    std::set<double> all;
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        for (std::uint64_t rule = 0; rule < 10; ++rule)
            for (std::uint64_t count = 1; count <= 100; ++count)
                for (std::uint64_t which = 0; which < 2; ++which)
                    all.insert(chance(seed, rule, count, which));
    EXPECT_EQ(all.size(), 20'000);
    EXPECT_GE(*all.begin(), 0);
    EXPECT_LT(*all.rbegin(), 1);
}

TEST(Judge, does_not_let_other_requests_move_the_dice_of_a_rule) {
    const Rule rule{.fault = Fault::inject, .match = {.path = "/a", .probability = 0.5}};
    const http::Headers headers;
    const auto strikes_on_a = [&](int others) {
        Book book{0};
        Judge judge{{.rules = {rule}}, book};
        std::vector<bool> struck;
        for (int i = 0; i < 50; ++i) {
            for (int j = 0; j < others; ++j)
                EXPECT_FALSE(judge.request({"GET", "/b", headers, ""}).ending);
            struck.push_back(judge.request({"GET", "/a", headers, ""}).ending != nullptr);
        }
        return struck;
    };
    EXPECT_EQ(strikes_on_a(0), strikes_on_a(3));
}

TEST(Judge, fits_words) {
    http::Headers headers;
    headers.add("X-Tenant", "7");
    headers.add("x-tenant", "8");
    struct Row {
        Match match;
        bool fits;
    };
    const std::vector<Row> rows{
        {{}, true},
        {{.method = "POST"}, true},
        {{.method = "GET"}, false},
        {{.method = "post"}, false},
        {{.path = "/orders/1"}, true},
        {{.path = "/orders/*"}, true},
        {{.path = "/orders"}, false},
        {{.header = "x-tenant"}, true},
        {{.header = "X-TENANT: 8"}, true},
        {{.header = "x-tenant:7"}, true},
        {{.header = "x-tenant: 9"}, false},
        {{.header = "x-other"}, false},
        {{.body = "cents"}, true},
        {{.body = "euros"}, false},
        {{.method = "POST", .path = "/orders/*", .body = "euros"}, false},
    };
    for (const Row& row : rows) {
        Book book{0};
        Judge judge{{.rules = {{.fault = Fault::inject, .match = row.match}}}, book};
        const bool fits =
            judge.request({"POST", "/orders/1?a=b", headers, "12 cents"}).ending != nullptr;
        EXPECT_EQ(fits, row.fits) << row.match.method << row.match.path << row.match.header
                                  << row.match.body;
    }
}

TEST(Judge, knows_stars_and_queries_in_paths) {
    struct Row {
        const char* pattern;
        const char* target;
        bool fits;
    };
    const std::vector<Row> rows{
        {"/a", "/a", true},         {"/a", "/a?x=1", true},        {"/a", "/ab", false},
        {"/a*", "/ab/c", true},     {"/*/c", "/a/b/c", true},      {"/*/c", "/a/b/cd", false},
        {"*", "/", true},           {"/a*b*c", "/a1b2bc", true},   {"/a*b*c", "/a1b2", false},
        {"/a?x=1", "/a?x=1", true}, {"/a?x=1", "/a?x=2", false},   {"/a?x=*", "/a?x=2", true},
        {"/a", "http://h/a", true}, {"/a", "http://h/b/a", false}, {"*", "*", true},
    };
    for (const Row& row : rows)
        EXPECT_EQ(path_fits(row.pattern, row.target), row.fits) << row.pattern << " " << row.target;
}

TEST(Judge, takes_delays_together_and_of_the_endings_the_first) {
    Book book{0};
    Judge judge{{.rules = {{.fault = Fault::delay, .delay = 10ms},
                           {.fault = Fault::delay, .delay = 5ms, .jitter = 1ms},
                           {.fault = Fault::swallow_reply},
                           {.fault = Fault::inject}}},
                book};
    const http::Headers headers;
    const Verdict verdict = judge.request({"GET", "/", headers, ""});
    EXPECT_GE(verdict.delay[index(Toward::server)], 15ms);
    EXPECT_LT(verdict.delay[index(Toward::server)], 16ms);
    ASSERT_TRUE(verdict.ending);
    EXPECT_EQ(verdict.ending->fault, Fault::swallow_reply);
}

TEST(Marker, is_found_however_the_stream_is_cut) {
    const std::string stream = "aab aabaab xaabaabx";
    std::vector<std::size_t> expected;
    for (std::size_t at = stream.find("aabaab"); at != std::string::npos;
         at = stream.find("aabaab", at + 1))
        expected.push_back(at + 6);
    for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
        MarkerSearch search{"aabaab"};
        std::vector<std::size_t> found;
        for (std::size_t begin = 0; begin < stream.size(); begin += piece) {
            const std::string part = stream.substr(begin, piece);
            for (auto end = search.next(part, 0); end; end = search.next(part, *end))
                found.push_back(begin + *end);
        }
        EXPECT_EQ(found, expected) << "in pieces of " << piece;
    }
}

TEST(Cutter, lets_nothing_of_a_marker_in_one_piece_pass_before_and_all_of_it_after) {
    for (const When when : {When::before, When::after}) {
        Book book{0};
        Judge judge{{.rules = {{.fault = Fault::cut_at_marker, .marker = "COMMIT", .when = when}},
                     .protocol = Protocol::tcp},
                    book};
        Cutter cutter;
        cutter.arm_all(judge.plan());
        EXPECT_FALSE(cutter.pass(Toward::client, "COMMIT", judge));
        EXPECT_FALSE(cutter.pass(Toward::server, "COMMI", judge));
        const auto cut = cutter.pass(Toward::server, "X COMMIT;", judge);
        ASSERT_TRUE(cut);
        EXPECT_EQ(cut->pass, when == When::before ? 2 : 9);
    }
}

TEST(Plan, knows_its_faults_by_name) {
    for (std::size_t i = 0; i < fault_count; ++i) {
        const auto fault = static_cast<Fault>(i);
        EXPECT_EQ(fault_named(to_string(fault)), fault);
    }
    EXPECT_EQ(fault_named("reset-after"), Fault::reset_after);
    EXPECT_FALSE(fault_named("reset"));
    EXPECT_EQ(name_of({.name = "mine", .fault = Fault::drip}), "mine");
    EXPECT_EQ(name_of({.fault = Fault::drip}), "drip");
}

TEST(Plan, is_refused_where_it_cannot_be_meant) {
    struct Row {
        Rule rule;
        Protocol protocol;
        const char* word;
    };
    const auto http = Protocol::http, tcp = Protocol::tcp;
    const std::vector<Row> rows{
        {{.fault = Fault::inject, .match = {.probability = 1.5}}, http, "from 0 to 1"},
        {{.fault = Fault::inject, .match = {.probability = -0.1}}, http, "from 0 to 1"},
        {{.fault = Fault::inject, .match = {.from = 0}}, http, "counts from 1"},
        {{.fault = Fault::inject, .match = {.from = 3, .to = 2}}, http, "not above"},
        {{.fault = Fault::inject, .match = {.every_nth = 0}}, http, "at least 1"},
        {{.fault = Fault::inject, .match = {.method = "G T"}}, http, "one word"},
        {{.fault = Fault::inject, .match = {.path = "/a"}}, tcp, "of HTTP"},
        {{.fault = Fault::refuse, .match = {.path = "/a"}}, http, "only numbers"},
        {{.fault = Fault::delay}, http, "how long"},
        {{.fault = Fault::delay, .delay = -1ms}, http, "forward"},
        {{.fault = Fault::delay, .delay = 25h}, http, "a day"},
        {{.fault = Fault::drip, .delay = 1ms, .bytes = 0}, http, "one piece"},
        {{.fault = Fault::drip, .delay = 1ms, .part = Part::body}, tcp, "no body"},
        {{.fault = Fault::drip, .delay = 1ms, .closed_for = 1ms}, http, "for refuse"},
        {{.fault = Fault::inject, .status = 199}, http, "200 to 999"},
        {{.fault = Fault::inject, .headers = {{"a b", "c"}}}, http, "one word"},
        {{.fault = Fault::inject, .headers = {{"a", "b\r\nc: d"}}}, http, "one line"},
        {{.fault = Fault::inject, .headers = {{"a", "b"}}}, tcp, "body alone"},
        {{.fault = Fault::replace_reply, .status = 199}, http, "200 to 999"},
        {{.fault = Fault::replace_reply, .headers = {{"a b", "c"}}}, http, "one word"},
        {{.fault = Fault::replace_reply}, tcp, "only an HTTP reply"},
        {{.fault = Fault::cut_at_marker}, http, "marker"},
        {{.fault = Fault::cut_at_marker, .marker = "A", .then = Then::swallow}, http, "of TCP"},
        {{.fault = Fault::cut_at_marker, .delay = 1s, .marker = "A"}, tcp, "goes with `after`"},
        {{.fault = Fault::cut_at_marker, .marker = "A", .open_for = 1s}, tcp, "for half_open"},
        {{.fault = Fault::cut_at_marker,
          .marker = "A",
          .when = When::answered,
          .toward = Toward::client},
         tcp,
         "toward the server"},
        {{.fault = Fault::rewrite}, tcp, "only HTTP"},
        {{.fault = Fault::rewrite, .rewrite = {.header = "a", .replace = "b\nc"}},
         http,
         "one line"},
    };
    for (const Row& row : rows)
        EXPECT_THAT(validate(row.rule, row.protocol), Contains(HasSubstr(row.word))) << row.word;
    EXPECT_THAT(validate(Plan{}), IsEmpty());
    EXPECT_THAT(validate(Plan{.rules = {{.fault = Fault::inject}, {.fault = Fault::drip}}}),
                ElementsAre(HasSubstr("rule 2 (drip): a drip has")));
    EXPECT_FALSE(validate(Plan{.rules = std::vector<Rule>(101)}).empty());
}

}  // namespace
}  // namespace chaos
}  // namespace v0
}  // namespace perdure

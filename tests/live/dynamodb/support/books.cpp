// SPDX-License-Identifier: Apache-2.0
#include "live/dynamodb/support/books.hpp"

#include <cstdlib>
#include <map>
#include <ostream>
#include <string_view>

namespace perdure::live {
namespace {

// Of {"Item":{"n":{"N":"3"}}}: 3; of {}: 0.
int number_in(std::string_view json) {
    constexpr std::string_view before = R"("N":")";
    const std::size_t at = json.find(before);
    return at == std::string_view::npos ? 0 : std::atoi(json.data() + at + before.size());
}

}  // namespace

int applied(DynamoServer& server, const std::string& id) {
    const http::Response got = server.ask(
        "GetItem", R"({"TableName":"orders","ConsistentRead":true,"ProjectionExpression":"n",)"
                   R"("Key":{"pk":{"S":")" +
                       id + R"("}}})");
    return got.status == 200 ? number_in(got.body) : -1;
}

void Books::note_done(int number) { lines_[static_cast<std::size_t>(number)].end = End::done; }

void Books::note(int number, const Failure& failure) {
    Line& line = lines_[static_cast<std::size_t>(number)];
    line.failure = to_string(failure);
    line.why = std::string{to_string(failure.cause)} + ", effect " +
               std::string{to_string(failure.effect)} + ", " + failure.code +
               ", gave up: " + std::string{to_string(failure.stop)};
    switch (failure.effect) {
        case Effect::none: line.end = End::none; return;
        case Effect::unknown: line.end = End::unknown; return;
        case Effect::applied: line.end = End::applied; return;
    }
}

Books::Ends Books::ends() const {
    Ends ends;
    for (const Line& line : lines_) {
        ends.done += line.end == End::done;
        ends.none += line.end == End::none;
        ends.unknown += line.end == End::unknown;
        ends.applied += line.end == End::applied;
    }
    return ends;
}

std::string Books::lie(int number, int times) {
    const Line& line = lines_[static_cast<std::size_t>(number)];
    const bool told_done = line.end == End::done || line.end == End::applied;
    doubled_ += times > 1;
    lost_ += told_done && times == 0;
    yet_done_ += line.end == End::none && times > 0;
    const bool true_word = times >= 0 && times <= 1 && line.end != End::open &&
                           (!told_done || times == 1) && (line.end != End::none || times == 0);
    if (true_word) return {};
    return id(number) + " is there " + std::to_string(times) + " times; its caller was told " +
           (told_done ? "done" : line.failure);
}

std::vector<std::string> Books::lies(DynamoServer& server) {
    doubled_ = lost_ = yet_done_ = 0;
    std::vector<std::string> found;
    for (int number = 0; number < writes(); ++number)
        if (std::string one = lie(number, applied(server, id(number))); !one.empty())
            found.push_back(std::move(one));
    return found;
}

void Books::print(std::ostream& out) const {
    const Ends all = ends();
    out << "  " << kind_ << ": " << all.done << " done, " << all.none << " surely not, "
        << all.unknown << " unknown, " << all.applied << " done without an answer\n";
    std::map<std::string, int> failures;
    for (const Line& line : lines_)
        if (!line.why.empty()) ++failures[line.why];
    int shown = 0;
    for (const auto& [failure, count] : failures)
        if (++shown <= 8) out << "    " << count << " × " << failure << "\n";
}

}  // namespace perdure::live

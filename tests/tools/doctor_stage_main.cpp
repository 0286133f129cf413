// SPDX-License-Identifier: Apache-2.0
//
// Plays one story and leaves the journals of its fleet in a folder, for the doctor and for people who
// want to look:
//
//     perdure_doctor_stage slow-dns --seed 7 --out journals [--most 20000]
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "doctor_stage_lines.hpp"
#include "doctor_stage_world.hpp"

namespace {

struct Order {
    std::optional<stage::Story> story{};
    std::uint64_t seed = 1;
    std::string folder{};
    stage::Size size{};
};

Order read(int count, char** words) {
    Order order;
    if (count > 1) order.story = stage::story_named(words[1]);
    for (int i = 2; i + 1 < count; i += 2) {
        const std::string_view name = words[i];
        const std::string_view value = words[i + 1];
        const char* const end = value.data() + value.size();
        if (name == "--seed") std::from_chars(value.data(), end, order.seed);
        if (name == "--most") std::from_chars(value.data(), end, order.size.most);
        if (name == "--out") order.folder = value;
    }
    return order;
}

// A story that does not even move the journal's p99 at its place is no story: nobody would look for its
// cause. And where calls are hardly repeated there is no storm of retries.
bool is_worth_telling(const stage::Script& script, const stage::Tally& tally) {
    if (script.story == stage::Story::healthy) return true;
    if (script.story == stage::Story::retry_storm && tally.tries < 2 * tally.hits) return false;
    return tally.hits >= 20 && tally.hits * 50 >= tally.reach && tally.hits * 100 >= tally.there;
}

}  // namespace

int main(int count, char** words) {
    const Order order = read(count, words);
    if (!order.story || order.folder.empty())
        return std::fputs(
                   "usage: perdure_doctor_stage STORY --seed N --out FOLDER [--most CALLS]\n",
                   stderr),
               2;
    for (std::uint64_t again = 0; again < 50; ++again) {
        std::filesystem::remove_all(order.folder);
        std::filesystem::create_directories(order.folder);
        const stage::Script script =
            stage::write_script(*order.story, order.seed + again * 0x9e3779b97f4a7c15U, order.size);
        stage::Lines lines{order.folder};
        const stage::Tally tally = stage::World{script, lines}.play();
        if (!is_worth_telling(script, tally)) continue;
        std::printf(
            "%s: seed %llu, %ld calls in %.0f s on %zu instances, %zu dependencies, %ld failed, "
            "%ld attempts, touched %ld of %ld, drawn %llu times; %s\n",
            words[1], static_cast<unsigned long long>(order.seed), tally.calls,
            stage::seconds(script.lasts), script.instances.size(), script.dependencies.size(),
            tally.failed, tally.attempts, tally.hits, tally.reach,
            static_cast<unsigned long long>(again + 1), script.remark.c_str());
        return 0;
    }
    return std::fputs("no story worth telling came of this seed\n", stderr), 1;
}

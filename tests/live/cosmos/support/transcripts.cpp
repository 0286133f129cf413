// SPDX-License-Identifier: Apache-2.0
#include "live/cosmos/support/transcripts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "perdure/cosmos/client.hpp"
#include "perdure/cosmos/requests.hpp"

namespace perdure::live {
namespace {

const std::vector<std::string> both{"East US", "West US"};

std::string in_words(const std::vector<Duration>& gaps) {
    if (gaps.empty()) return "–";
    const auto words = [](Duration gap) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(gap).count();
        return ms < 20 ? std::string{"0"} : std::to_string(ms);
    };
    if (gaps.size() > 4) {
        const auto [least, most] = std::ranges::minmax(gaps);
        return words(least) + " to " + words(most) + " ms";
    }
    std::string text;
    for (const Duration gap : gaps) text += (text.empty() ? "" : ", ") + words(gap);
    return text + " ms";
}

std::string code(int status, int substatus) {
    return substatus == 0 ? std::to_string(status)
                          : std::to_string(status) + "/" + std::to_string(substatus);
}

cosmos::ClientOptions options(const Stage& stage, Account account, const std::string& who) {
    cosmos::ClientOptions options;
    options.endpoint = stage.endpoint(account);
    options.key = chaos::emulator_key;
    options.user_agent = "perdure " + who;
    if (account != Account::one_region) options.preferred = both;
    return options;
}

void set_up(const Stage& stage, const std::vector<Scene>& scenes) {
    std::map<Account, std::unique_ptr<cosmos::Client>> clients;
    for (const Scene& scene : scenes) {
        auto& client = clients[scene.account];
        if (!client) {
            client = std::make_unique<cosmos::Client>(options(stage, scene.account, "set-up"));
            const auto made = client->send(cosmos::CreateDatabase{"d"});
            EXPECT_TRUE(made) << to_string(made.error());
        }
        const auto made = client->send(cosmos::CreateContainer{{"d", scene.name}, {"/pk"}});
        EXPECT_TRUE(made) << to_string(made.error());
    }
}

std::string told(const Failure& failure) {
    if (failure.effect == Effect::unknown) return "unknown";
    return failure.code.empty() ? "failed" : "failed: " + std::string{failure.code};
}

std::string play(const Stage& stage, const Scene& scene, cosmos::Retries retries) {
    cosmos::ClientOptions chosen = options(stage, scene.account, scene.name);
    if (retries != cosmos::Retries::perdure) chosen.plan = cosmos::plan_for(retries);
    cosmos::Client client{std::move(chosen)};
    const cosmos::PartitionKey key{"A"};
    const cosmos::ContainerName container{"d", scene.name};
    if (scene.does == Does::create) {
        const auto made =
            client.send(cosmos::CreateItem{container, R"({"id":"new","pk":"A"})", key});
        return made ? "done" : told(made.error());
    }
    const auto seed = client.send(cosmos::CreateItem{container, R"({"id":"seed","pk":"A"})", key});
    EXPECT_TRUE(seed) << scene.name << ": " << to_string(seed.error());
    const auto got = client.send(cosmos::ReadItem{container, "seed", key});
    return got ? "done" : told(got.error());
}

Played played(const Stage& stage, const Scene& scene, std::string told) {
    const Seen seen = stage.seen(scene);
    return {.sent = to_string(seen), .told = std::move(told), .gaps = in_words(seen.gaps())};
}

}  // namespace

// Scenes wait more than they work.
Plays play_ours(const std::vector<Scene>& scenes, cosmos::Retries retries) {
    Stage stage;
    stage.prepare(scenes);
    set_up(stage, scenes);
    std::vector<std::string> words(scenes.size());
    std::atomic<std::size_t> next{0};
    std::vector<std::jthread> threads(16);
    for (std::jthread& thread : threads)
        thread = std::jthread{[&] {
            for (std::size_t i = next++; i < scenes.size(); i = next++)
                words[i] = play(stage, scenes[i], retries);
        }};
    threads.clear();
    Plays plays;
    for (std::size_t i = 0; i < scenes.size(); ++i)
        plays.emplace(scenes[i].name, played(stage, scenes[i], words[i]));
    return plays;
}

Plays play_theirs(const std::vector<Scene>& scenes) {
    Stage stage;
    stage.prepare(scenes);
    const auto told = play_with_js(stage, scenes);
    Plays plays;
    for (const Scene& scene : scenes) {
        const auto found = told.find(scene.name);
        std::string words = "nothing";
        if (found != told.end()) {
            const Told& one = found->second;
            words = one.done          ? "done"
                    : one.status == 0 ? "failed: " + one.error
                                      : "failed: " + code(one.status, one.substatus);
        }
        plays.emplace(scene.name, played(stage, scene, std::move(words)));
    }
    return plays;
}

}  // namespace perdure::live

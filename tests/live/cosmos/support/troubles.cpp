// SPDX-License-Identifier: Apache-2.0
#include "live/cosmos/support/transcripts.hpp"

#include <algorithm>

namespace perdure::live {
namespace {

using chaos::GatewayFault;

constexpr std::uint64_t for_ever = 1'000'000;
const std::string never = "no";
const std::string not_known = "–";

GatewayFault answers(int status, int substatus, std::uint64_t times) {
    return {.to = times, .status = status, .substatus = substatus};
}
GatewayFault resets(chaos::Strikes strikes) {
    return {.to = 1, .strikes = strikes, .ending = chaos::FaultEnding::reset};
}

std::vector<Trouble> load() {
    const std::string nine = "9 more, by the hint";
    return {
        {"429/3200 twice", throttles(2), nine, nine, nine, nine},
        {"429/3200 for ever", throttles(for_ever), nine, nine, nine, nine},
        {"449 twice", answers(449, 0, 2), "–", "10 ms, doubling, for 30 s", "–",
         "documented as no; the newest code as .NET"},
    };
}

std::vector<Trouble> server() {
    const std::string next_region = "once, next region, if there are two";
    const std::string next_if_multi = "once, next region, if it takes writes";
    const std::string java_503 = "twice here, then next region";
    return {
        {"408 for ever", answers(408, 0, for_ever), never, never, not_known, never},
        {"500 for ever", answers(500, 0, for_ever), next_region, never, never, never},
        {"503 once", answers(503, 0, 1), next_region, next_if_multi, java_503, next_if_multi},
        {"503 for ever", answers(503, 0, for_ever), next_region, next_if_multi, java_503,
         next_if_multi},
        {"410 once", answers(410, 0, 1), never, never, never, never},
        {"410/1002 once", answers(410, 1002, 1), "queries and feeds only", never, not_known,
         not_known},
        {"410/1007 once", answers(410, 1007, 1), "bulk only", "bulk only", not_known, not_known},
        {"410/1022 once", answers(410, 1022, 1), "once, next region", next_if_multi, not_known,
         not_known},
    };
}

std::vector<Trouble> wrong_place() {
    const std::string seconds = "up to 120 more, 1 s apart";
    const std::string multi_seconds = seconds + ", if it takes writes";
    return {
        {"403/3 once", answers(403, 3, 1), never, "up to 120 more: at once, then 1 s apart", never,
         seconds},
        {"403/1008 once", answers(403, 1008, 1), seconds, multi_seconds, seconds, multi_seconds},
        {"403/1014 for ever", answers(403, 1014, for_ever), never, never, never, never},
        {"404/1002 once", answers(404, 1002, 1),
         "2 more in the write region; every region, if all take writes",
         "every region, if all take writes",
         "2 more in the write region; every region, if all take writes",
         "every region, if all take writes"},
        {"400/1001 once", answers(400, 1001, 1), "once, keys read anew", "once, keys read anew",
         not_known, not_known},
        {"401 once", answers(401, 0, 1), "no; with Entra ID once", "no; with Entra ID once",
         not_known, not_known},
    };
}

std::vector<Trouble> wire() {
    const std::string seconds = "up to 120 more, 1 s apart";
    return {
        {"reset before it is done", resets(chaos::Strikes::before_applying), seconds,
         "repeated, whether it was done or not", seconds, "no, unless asked for"},
        {"reset after it is done", resets(chaos::Strikes::after_applying), seconds,
         "repeated, whether it was done or not", seconds, "no, unless asked for"},
    };
}

std::string prefix(Account account) {
    switch (account) {
        case Account::one_region: return "one-";
        case Account::two_regions: return "two-";
        case Account::two_writable: return "all-";
    }
    return {};
}

}  // namespace

const std::vector<Trouble>& troubles() {
    static const std::vector<Trouble> all = [] {
        std::vector<Trouble> joined;
        for (const auto& part : {load(), server(), wrong_place(), wire()})
            joined.insert(joined.end(), part.begin(), part.end());
        return joined;
    }();
    return all;
}

std::vector<Scene> scenes(Account account) {
    std::vector<Scene> all;
    for (std::size_t i = 0; i < troubles().size(); ++i) {
        for (const Does does : {Does::read, Does::create}) {
            Scene scene{.account = account, .does = does, .fault = troubles()[i].fault};
            scene.name = prefix(account) + (does == Does::read ? "read-" : "create-");
            scene.name += std::to_string(i);
            if (account != Account::one_region) scene.fault.region = "East US";
            all.push_back(std::move(scene));
        }
    }
    return all;
}

const Trouble& trouble_of(const Scene& scene) {
    return troubles()[std::stoul(scene.name.substr(scene.name.rfind('-') + 1))];
}

}  // namespace perdure::live

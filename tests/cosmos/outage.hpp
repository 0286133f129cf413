// SPDX-License-Identifier: Apache-2.0
//
// What do calls get, and what does the account see of them, while East US is ill?
//
//     Outage outage{account_of(2)};
//     Client client{outage.nothing_configured()};
//     outage.fall_ill(answers(503));
//     EXPECT_EQ(outage.count(100, reads(client)).done, 100);
#pragma once

#include <string>
#include <utility>

#include "cosmos/staged.hpp"

namespace perdure::cosmos {

struct Tally {
    int done = 0;
    int requests = 0;   // about items
    int at_sick = 0;    // of them in East US
    int accounts = 0;   // times the account document was read
    std::string why{};  // a call that was not done
};

// East US falls ill, and what its clients get is counted.
class Outage {
public:
    explicit Outage(const chaos::GatewayOptions& options) : stage{options} {}

    [[nodiscard]] ClientOptions nothing_configured(Environment environment = {}) const {
        ClientOptions options = stage.options_for({}, environment);
        options.plan.reset();
        options.settle = ClientOptions{}.settle;
        return options;
    }
    void fall_ill(GatewayFault fault) {
        fault.region = "East US";
        fault.resource = "docs";
        stage->plan({std::move(fault)});
        stage.told();
    }
    template <class R>
    Tally count(int calls, const R& call) {
        Tally tally;
        for (int i = 0; i < calls; ++i) {
            if (const auto done = call(i)) ++tally.done;
            else tally.why = to_string(done.error());
        }
        for (const chaos::GatewayRecord& one : stage->take_records()) {
            if (one.path == "/" && one.region == "global") ++tally.accounts;
            if (one.path.find("/docs") == std::string::npos) continue;
            ++tally.requests;
            if (one.region == "East US") ++tally.at_sick;
        }
        return tally;
    }

    Stage stage;
};

inline GatewayFault answers(int status, int substatus = 0) {
    return {.status = status, .substatus = substatus};
}
inline GatewayFault resets() { return {.ending = chaos::FaultEnding::reset}; }

inline auto reads(Client& client, const std::string& id = "known") {
    return [&client, id](int) { return client.send(read_of(id)); };
}

}  // namespace perdure::cosmos

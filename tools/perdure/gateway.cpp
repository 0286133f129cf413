// SPDX-License-Identifier: Apache-2.0
//
// perdure gateway: a service that is not there, for those who develop without an account.
#include <memory>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "exit_code.hpp"
#include "gateway/gateway_words.hpp"
#include "perdure/chaos/cosmos/gateway.hpp"
#include "run/signals.hpp"
#include "text/output.hpp"

namespace tool {

namespace {

struct GatewayFlags {
    std::string service;
    std::vector<std::string> regions;
    int port = 0;
    int control_port = 0;
    int partitions = 1;
    int request_units = 0;
    std::string marker;
    std::string token;
    std::vector<std::string> headers;
    std::optional<Duration> duration;
    bool multi_write = false;
    bool unsigned_too = false;
    bool plain_session = false;
    bool partition_failover = false;
    bool json = false;
};

constexpr const char* gateway_closing = R"(Examples:
  perdure gateway cosmos
  perdure gateway cosmos --port 8081 --partitions 4
  perdure gateway cosmos --region 'East US' --region 'West US:20ms' --multi-write
  perdure gateway cosmos --request-units 400 --json

An account of Azure Cosmos DB in memory, on loopback, over plain HTTP, in gateway mode. The first line
is its connection string; faults, regions and splits are controlled by JSON on the control port.
Ctrl-C ends it, and all is gone. How clients are pointed at it is in guide/cosmos-gateway.md: in docs/ of
the sources, in share/doc/perdure/ where it is installed.
Exit status: 0; 125 for wrong flags or a port that is taken.)";

int gateway_problem(const std::string& text) {
    say("perdure gateway: " + text);
    return exit_code::usage;
}

Result<chaos::GatewayOptions> options_from(const GatewayFlags& flags) {
    chaos::GatewayOptions options;
    options.port = static_cast<std::uint16_t>(flags.port);
    options.control_port = static_cast<std::uint16_t>(flags.control_port);
    options.partitions = static_cast<std::size_t>(flags.partitions);
    options.request_units = flags.request_units;
    options.marker = flags.marker;
    options.entra_token = flags.token;
    options.record_headers = flags.headers;
    if (flags.multi_write) options.writes = chaos::WriteMode::multiple;
    if (flags.unsigned_too) options.signatures = chaos::Signatures::ignored;
    if (flags.partition_failover) options.partition_failover = chaos::PartitionFailover::enabled;
    if (flags.plain_session) options.session = chaos::SessionForm::plain;
    if (!flags.regions.empty()) options.regions.clear();
    for (const std::string& text : flags.regions) {
        auto region = region_from_flag(text);
        if (!region) return fail(region.error());
        options.regions.push_back(std::move(*region));
    }
    return options;
}

int gateway_command(const GatewayFlags& flags) {
    if (flags.service != "cosmos")
        return gateway_problem("which service? write perdure gateway cosmos");
    const auto options = options_from(flags);
    if (!options) return gateway_problem(options.error().message);
    // Before the gateway's thread begins, so that it leaves signals to this one.
    Signals signals;
    const auto started = chaos::CosmosGateway::start(*options);
    if (!started) return gateway_problem(started.error().message);
    const int told =
        print(flags.json ? opening_json(**started, *options) : opening_text(**started, *options));
    if (told != exit_code::success) return told;
    ListeningClock clock{signals};
    const TimePoint end = flags.duration ? after(clock.now(), *flags.duration) : TimePoint::max();
    while (!signals.stop().stop_requested() && clock.now() < end)
        clock.sleep_until(end, signals.stop());
    return exit_code::success;
}

}  // namespace

void add_gateway(CommandLine& line) {
    auto flags = std::make_shared<GatewayFlags>();
    Section section = line.command("gateway", "a cloud database in memory, to develop against");
    section.subject("SERVICE", flags->service, "cosmos");
    section.texts("--region", flags->regions, "NAME[:LAG]; may be given again, the first writes",
                  {.preset = "East US"});
    section.count("--port", flags->port, 65'535, "of the global endpoint",
                  {.preset = "a free one"});
    section.count("--control-port", flags->control_port, 65'535, "for faults and records",
                  {.preset = "a free one"});
    section.count("--partitions", flags->partitions, 1'000, "of a new container", {.preset = "1"});
    section.count("--request-units", flags->request_units, 10'000'000,
                  "a second and container, then 429", {.preset = "no limit"});
    section.flag("--multi-write", flags->multi_write, "every region takes writes");
    section.flag("--partition-failover", flags->partition_failover,
                 "say that partitions fail over on their own");
    section.flag("--unsigned", flags->unsigned_too, "signatures and dates are not looked at");
    section.text("--token", flags->token, "accept this Entra ID token too");
    section.flag("--plain-session", flags->plain_session, "session tokens of the old form");
    section.text("--marker", flags->marker, "a property that stands in the account of writes");
    section.texts("--record-header", flags->headers, "keep this header in the records");
    section.duration("--duration", flags->duration, "end after so long");
    section.flag("--json", flags->json, "the first line as JSON");
    section.closing(gateway_closing);
    section.runs([flags] { return gateway_command(*flags); });
}

}  // namespace tool

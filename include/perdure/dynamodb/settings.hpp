// SPDX-License-Identifier: Apache-2.0
//
// What has the user already told every AWS program? Region, profile, endpoint and retries, from the
// environment and the shared files.
//
//     const auto settings = dynamodb::settings_from(dynamodb::Surroundings::of_process());
//     if (!settings) return settings.take_failure();      // names the variable or file:line, and the fix
//     connect(settings->region, settings->endpoint_url);
//
// The environment wins over the files, the credentials file over the config file. A variable that is
// set to nothing is not set.
#pragma once

#include <cstdint>
#include <map>  // and with it std::less
#include <optional>
#include <string>
#include <string_view>

#include "perdure/duration.hpp"
#include "perdure/dynamodb/endpoint.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// What a program is born with, as a value: tests need no setenv. Shared by threads while unchanged.
struct Surroundings {
    std::map<std::string, std::string, std::less<>> variables{};
    std::string home{};  // where .aws lies; empty: nowhere

    // Read while no other thread changes the environment.
    static Surroundings of_process();

    // Empty: not set, or set to nothing.
    [[nodiscard]] std::string_view variable(std::string_view name) const noexcept;
};

enum class RetryMode : std::uint8_t { legacy, standard, adaptive };
// How far away the service is thought to be.
enum class DefaultsMode : std::uint8_t {
    legacy,
    standard,
    in_region,
    cross_region,
    mobile,
    automatic
};

// A plain value, without secrets. What nobody has set is empty.
struct Settings {
    std::string region{};
    std::string profile = "default";
    std::optional<std::string> endpoint_url{};
    std::optional<RetryMode> retry_mode{};
    std::optional<int> max_attempts{};  // in all, the first included; at least 1
    Fips fips = Fips::off;
    DualStack dual_stack = DualStack::off;
    std::string ca_bundle{};  // a file of certificates, PEM
    std::optional<DefaultsMode> defaults_mode{};

    // Who said so, by the name of the field: "AWS_REGION", "~/.aws/config:7". For messages.
    std::map<std::string, std::string, std::less<>> origins{};
};

// The failure is `invalid`, of the application; it names the place and what may stand there, never what
// does stand there. The files are read; nothing else is asked.
Result<Settings> settings_from(const Surroundings& surroundings);

// How long a connection may take to be set up: 1.1 s in region, 3.1 s elsewhere, 30 s on the move.
// Nothing where the mode leaves it to the client.
std::optional<Duration> connect_timeout(DefaultsMode mode) noexcept;

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

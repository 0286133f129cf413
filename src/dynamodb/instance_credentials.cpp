// SPDX-License-Identifier: Apache-2.0
#include "instance_credentials.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "credentials_checks.hpp"
#include "credentials_http.hpp"
#include "credentials_json.hpp"
#include "perdure/http/url.hpp"
#include "perdure/try.hpp"
#include "settings_words.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr const char* token_target = "/latest/api/token";
constexpr const char* role_target = "/latest/meta-data/iam/security-credentials/";
constexpr const char* token_field = "x-aws-ec2-metadata-token";
constexpr const char* token_life = "21600";  // six hours, in seconds
constexpr std::size_t longest_role = 128;

enum class Version1 : std::uint8_t { allowed, disabled };
enum class Family : std::uint8_t { v4, v6 };

struct Choices {
    std::string url{};
    Duration timeout = 1s;
    int attempts = 1;
    Version1 version_1 = Version1::allowed;
};

bool in_role_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"+=,.@-_"}.find(c) != std::string_view::npos;
}

Result<std::string> url_from(const Surroundings& surroundings, const Profile& profile) {
    static constexpr std::array<std::pair<std::string_view, Family>, 2> families{
        {{"ipv4", Family::v4}, {"ipv6", Family::v6}}};
    if (const auto said = look_up(surroundings, profile, "AWS_EC2_METADATA_SERVICE_ENDPOINT",
                                  "ec2_metadata_service_endpoint")) {
        if (!http::parse_url(said->value))
            return invalid_setting(*said, "be a URL such as http://169.254.169.254");
        return said->value;
    }
    const auto said = look_up(surroundings, profile, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
                              "ec2_metadata_service_endpoint_mode");
    Family family = Family::v4;
    if (said) {
        PERDURE_TRY_VALUE(family, word_from<Family>(*said, families, "be IPv4 or IPv6"));
    }
    return std::string{family == Family::v4 ? "http://169.254.169.254" : "http://[fd00:ec2::254]"};
}

Result<Choices> choices_from(const Surroundings& surroundings, const Profile& profile) {
    Choices choices;
    PERDURE_TRY_VALUE(choices.url, url_from(surroundings, profile));
    if (const auto said = look_up(surroundings, profile, "AWS_METADATA_SERVICE_TIMEOUT",
                                  "metadata_service_timeout")) {
        PERDURE_TRY_VALUE(const int timeout,
                          number_from(*said, 1, 600, "be a whole number of seconds, at least 1"));
        choices.timeout = std::chrono::seconds{timeout};
    }
    if (const auto said = look_up(surroundings, profile, "AWS_METADATA_SERVICE_NUM_ATTEMPTS",
                                  "metadata_service_num_attempts")) {
        PERDURE_TRY_VALUE(choices.attempts,
                          number_from(*said, 1, 100, "be a whole number from 1 to 100"));
    }
    PERDURE_TRY_VALUE(const Switch disabled,
                      switch_from(look_up(surroundings, profile, "AWS_EC2_METADATA_V1_DISABLED",
                                          "ec2_metadata_v1_disabled")));
    if (disabled == Switch::on) choices.version_1 = Version1::disabled;
    return choices;
}

class InstanceSource final : public KeySource {
public:
    InstanceSource(const Choices& choices, const Environment& environment)
        : choices_{choices},
          client_{choices.url,
                  local_service("instance-credentials", choices.timeout, environment)} {}

    [[nodiscard]] const Failure* problem() const noexcept { return client_.problem(); }

    Result<Keys> fetch(const Attempt& attempt) override {
        PERDURE_TRY_VALUE(const std::string token, token_now(attempt));
        PERDURE_TRY_VALUE(const std::string role, role_now(token, attempt));
        PERDURE_TRY_VALUE(const http::Response answer, ask(client_, get(role_target + role, token),
                                                           "asking for the keys of "
                                                           "its role",
                                                           attempt));
        return keys_from_json(answer.body, KeysFrom::instance);
    }
    [[nodiscard]] std::string_view name() const noexcept override {
        return "the instance metadata service";
    }
    [[nodiscard]] Duration longest() const noexcept override { return 6 * choices_.timeout; }
    [[nodiscard]] int patience() const noexcept override { return choices_.attempts; }

private:
    static http::Request get(const std::string& target, const std::string& token) {
        http::Request request = http::Request::get(target);
        if (!token.empty()) request.header(token_field, token);
        return request;
    }
    // Empty: the service knows only version 1, which wants none.
    Result<std::string> token_now(const Attempt& attempt) {
        auto request = http::Request::put(token_target);
        request.header("x-aws-ec2-metadata-token-ttl-seconds", token_life);
        auto answer = ask(client_, request, "asking for a token", attempt);
        if (!answer) {
            if (!knows_only_version_1(answer.error())) return answer.take_failure();
            if (choices_.version_1 == Version1::allowed) return std::string{};
            answer.error().message += "; version 1, which needs none, is disabled";
            return answer.take_failure();
        }
        const auto fits = [](char c) { return c > ' ' && c <= '~'; };
        if (answer->body.empty() || !std::ranges::all_of(answer->body, fits))
            return unreadable("what it gave is no token");
        return answer->body;
    }
    // A token that is refused, or swallowed: by a router that lets it make no hop more.
    static bool knows_only_version_1(const Failure& failure) noexcept {
        if (failure.status != 0)
            return failure.status == 403 || failure.status == 404 || failure.status == 405;
        return failure.cause == Cause::timed_out && failure.effect != Effect::none;
    }
    Result<std::string> role_now(const std::string& token, const Attempt& attempt) {
        PERDURE_TRY_VALUE(const http::Response answer,
                          ask(client_, get(role_target, token).answers(404),
                              "asking for the name of its role", attempt));
        const std::string_view first =
            trimmed(std::string_view{answer.body}.substr(0, answer.body.find('\n')));
        if (answer.status == 404 || first.empty())
            return fail({.cause = Cause::not_found,
                         .origin = Origin::application,
                         .status = answer.status,
                         .code = "no-role",
                         .message = "this machine has no role; attach an instance profile to it"});
        if (first.size() > longest_role || !std::ranges::all_of(first, in_role_name))
            return unreadable("what it gave is no name of a role");
        return std::string{first};
    }
    static Fail unreadable(std::string message) {
        return fail({.cause = Cause::corrupt,
                     .effect = Effect::none,
                     .code = "unreadable-credentials",
                     .message = std::move(message)});
    }

    Choices choices_;
    http::Client client_;
};

}  // namespace

Result<std::unique_ptr<KeySource>> instance_source(const Surroundings& surroundings,
                                                   const Profile& profile,
                                                   const Environment& environment) {
    PERDURE_TRY_VALUE(const Switch disabled,
                      switch_from(look_up(surroundings, profile, "AWS_EC2_METADATA_DISABLED", {})));
    if (disabled == Switch::on) return std::unique_ptr<KeySource>{};
    PERDURE_TRY_VALUE(const Choices choices, choices_from(surroundings, profile));
    auto source = std::make_unique<InstanceSource>(choices, environment);
    if (source->problem()) return fail(*source->problem());
    return std::unique_ptr<KeySource>{std::move(source)};
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

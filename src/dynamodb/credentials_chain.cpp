// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "container_credentials.hpp"
#include "credentials_checks.hpp"
#include "instance_credentials.hpp"
#include "perdure/dynamodb/credentials.hpp"
#include "perdure/try.hpp"
#include "process_credentials.hpp"
#include "profile.hpp"
#include "refresh.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

using FoundCredentials = Result<std::shared_ptr<Credentials>>;  // null: not here

constexpr std::string_view id_variable = "AWS_ACCESS_KEY_ID";
constexpr std::string_view secret_variable = "AWS_SECRET_ACCESS_KEY";

FoundCredentials from_environment(const Surroundings& surroundings) {
    Keys keys{std::string{surroundings.variable(id_variable)},
              std::string{surroundings.variable(secret_variable)},
              std::string{surroundings.variable("AWS_SESSION_TOKEN")}};
    if (keys.id.empty() && keys.secret.empty()) return std::shared_ptr<Credentials>{};
    if (keys.token.empty()) keys.token = surroundings.variable("AWS_SECURITY_TOKEN");
    PERDURE_TRY(
        check(keys, {std::string{id_variable}, std::string{secret_variable}, "AWS_SESSION_TOKEN"}));
    keys.account = surroundings.variable("AWS_ACCOUNT_ID");
    if (const auto expires = surroundings.variable("AWS_CREDENTIAL_EXPIRATION"); !expires.empty()) {
        keys.expires = parse_timestamp(expires);
        if (!keys.expires)
            return refused("invalid-setting", "AWS_CREDENTIAL_EXPIRATION must be a time such as "
                                              "2026-11-16T16:00:00Z");
    }
    return fixed_credentials(std::move(keys));
}

std::string text_of(const ProfilePart& part, std::string_view name) {
    const auto found = part.find(name);
    return found ? found->value : std::string{};
}

// All parts from one file: halves from two would be keys that nobody has made.
Result<std::optional<Keys>> keys_in(const ProfilePart& part, const std::string& profile) {
    Keys keys{text_of(part, "aws_access_key_id"), text_of(part, "aws_secret_access_key"),
              text_of(part, "aws_session_token")};
    if (keys.id.empty() && keys.secret.empty()) return std::optional<Keys>{};
    const std::string place = " of the profile " + profile + " in " + part.shown;
    PERDURE_TRY(check(keys, {"aws_access_key_id" + place, "aws_secret_access_key" + place,
                             "aws_session_token" + place}));
    keys.account = text_of(part, "aws_account_id");
    return std::optional<Keys>{std::move(keys)};
}

Result<std::optional<Keys>> keys_in(const Profile& profile) {
    PERDURE_TRY_VALUE(auto keys, keys_in(profile.credentials, profile.name));
    if (keys) return keys;
    return keys_in(profile.config, profile.name);
}

// Tools that log in write new keys into the file: after a refusal it is read again.
class FileSource final : public KeySource {
public:
    FileSource(Surroundings surroundings, std::string profile)
        : surroundings_{std::move(surroundings)},
          profile_{std::move(profile)},
          name_{"the profile " + profile_} {}

    Result<Keys> fetch(const Attempt& attempt) override {
        (void)attempt;
        PERDURE_TRY_VALUE(const Profile profile, chosen_profile(surroundings_, profile_));
        PERDURE_TRY_VALUE(auto keys, keys_in(profile));
        if (!keys) return refused("no-credentials", "it holds no keys any more");
        return *std::move(keys);
    }
    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] Duration longest() const noexcept override { return 10s; }

private:
    Surroundings surroundings_;
    std::string profile_;
    std::string name_;
};

// Each of them comes before keys and credential_process in AWS's own tools.
struct Unsupported {
    std::string_view property;
    std::string_view what;
};
constexpr std::array<Unsupported, 8> unsupported{{
    {"role_arn", "a role to assume"},
    {"web_identity_token_file", "web identity"},
    {"sso_session", "SSO"},
    {"sso_start_url", "SSO"},
    {"sso_account_id", "SSO"},
    {"sso_region", "SSO"},
    {"sso_role_name", "SSO"},
    {"login_session", "a session of aws login"},
}};

// What the name of a property has in it if it is about signing in.
constexpr std::array<std::string_view, 12> sign_in_words = {
    "credential", "login",    "sign_in", "signin",  "sso",      "saml",
    "token",      "identity", "role",    "profile", "password", "certificate"};

Fail cannot(const std::string& where, std::string_view what, const std::string& profile) {
    return refused(
        "unsupported-credentials",
        where + " wants " + std::string{what} +
            ", which Perdure does not do itself. Let the AWS CLI 2 do it: write a profile "
            "with credential_process = aws configure export-credentials --format process" +
            (profile.empty() ? "" : " --profile " + profile) + " and choose that one");
}

Result<void> refuse_unsupported(const Profile& profile) {
    for (const auto& [property, what] : unsupported)
        if (const auto said = profile.find(property))
            return cannot(said->where + " (" + std::string{property} + ")", what, profile.name);
    return {};
}

// Without keys and without a command the next source would be the machine's. A profile that says how
// to sign in, in words that are not known here, does not mean that one.
Result<void> refuse_unknown_sign_in(const Profile& profile) {
    for (const ProfilePart* const part : {&profile.credentials, &profile.config})
        for (const auto& [property, value] : part->properties) {
            const auto names = [&name = property](std::string_view word) {
                return name.find(word) != std::string::npos;
            };
            if (!std::ranges::any_of(sign_in_words, names)) continue;
            if (const auto said = part->find(property))
                return cannot(said->where + " (" + property + ")", "another way to sign in",
                              profile.name);
        }
    return {};
}

FoundCredentials from_profile(const Profile& profile, const Surroundings& surroundings,
                              const CredentialOptions& options) {
    PERDURE_TRY(refuse_unsupported(profile));
    PERDURE_TRY_VALUE(auto keys, keys_in(profile));
    if (keys)
        return refreshing(std::make_unique<FileSource>(surroundings, profile.name),
                          options.environment, std::move(keys));
    if (auto command = profile.find("credential_process"))
        return refreshing(process_source(*std::move(command), surroundings, options.process_for),
                          options.environment);
    PERDURE_TRY(refuse_unknown_sign_in(profile));
    return std::shared_ptr<Credentials>{};
}

Fail no_credentials(const Profile& profile) {
    std::string message =
        "no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, the profile " +
        profile.name + " (" + profile.credentials.shown + ", " + profile.config.shown +
        ") has no keys and no credential_process, no container agent is named, and "
        "AWS_EC2_METADATA_DISABLED is true";
    for (const std::string& trouble : {profile.credentials.trouble, profile.config.trouble})
        if (!trouble.empty()) message += "; " + trouble;
    return refused("no-credentials", std::move(message));
}

FoundCredentials from_machine(const Surroundings& surroundings, const Profile& profile,
                              const Environment& environment) {
    if (has_container(surroundings)) {
        PERDURE_TRY_VALUE(auto container, container_source(surroundings, environment));
        return refreshing(std::move(container), environment);
    }
    PERDURE_TRY_VALUE(auto instance, instance_source(surroundings, profile, environment));
    if (!instance) return no_credentials(profile);
    return refreshing(std::move(instance), environment);
}

}  // namespace

Result<std::shared_ptr<Credentials>> find_credentials(const Surroundings& surroundings,
                                                      const CredentialOptions& options) {
    if (options.profile.empty()) {
        PERDURE_TRY_VALUE(auto found, from_environment(surroundings));
        if (found) return found;
    }
    PERDURE_TRY_VALUE(const Profile profile, chosen_profile(surroundings, options.profile));
    PERDURE_TRY_VALUE(auto found, from_profile(profile, surroundings, options));
    if (found) return found;
    if (!surroundings.variable("AWS_WEB_IDENTITY_TOKEN_FILE").empty())
        return cannot("AWS_WEB_IDENTITY_TOKEN_FILE", "web identity", {});
    return from_machine(surroundings, profile, options.environment);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

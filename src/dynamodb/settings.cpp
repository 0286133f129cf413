// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/settings.hpp"

#include <algorithm>
#include <array>

#include "perdure/http/url.hpp"
#include "perdure/try.hpp"
#include "settings_words.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr int most_attempts = 1'000;
constexpr std::size_t longest_region = 63;  // it becomes part of a host name

template <class Value, std::size_t n>
using WordList = std::array<std::pair<std::string_view, Value>, n>;

constexpr WordList<RetryMode, 3> retry_modes{{{"legacy", RetryMode::legacy},
                                              {"standard", RetryMode::standard},
                                              {"adaptive", RetryMode::adaptive}}};
constexpr WordList<DefaultsMode, 6> defaults_modes{{{"legacy", DefaultsMode::legacy},
                                                    {"standard", DefaultsMode::standard},
                                                    {"in-region", DefaultsMode::in_region},
                                                    {"cross-region", DefaultsMode::cross_region},
                                                    {"mobile", DefaultsMode::mobile},
                                                    {"auto", DefaultsMode::automatic}}};
enum class AccountEndpoint : std::uint8_t { preferred, disabled, required };
constexpr WordList<AccountEndpoint, 3> account_endpoints{{{"preferred", AccountEndpoint::preferred},
                                                          {"disabled", AccountEndpoint::disabled},
                                                          {"required", AccountEndpoint::required}}};

bool in_region_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

bool is_region(std::string_view name) noexcept {
    return name.size() <= longest_region && std::ranges::all_of(name, in_region_name) &&
           name.front() != '-' && name.back() != '-';
}

// Fills in one set of settings; used by one thread.
class Reader {
public:
    Reader(const Surroundings& surroundings, const Profile& profile)
        : surroundings_{surroundings}, profile_{profile} {
        settings_.profile = profile.name;
    }

    Result<void> region() {
        auto said = find("AWS_REGION", {});
        if (!said) said = find("AWS_DEFAULT_REGION", "region");
        if (!said) return {};
        if (!is_region(said->value))
            return invalid_setting(*said, "be a region such as eu-central-1: letters, digits and "
                                          "hyphens, without quotes");
        settings_.region = lower_case(said->value);
        note("region", *said);
        return {};
    }
    Result<void> endpoint() {
        const auto ignore =
            find("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls");
        PERDURE_TRY_VALUE(const Switch ignored, switch_from(ignore));
        if (ignored == Switch::on) return {};
        auto said = find("AWS_ENDPOINT_URL_DYNAMODB", {});
        if (!said) said = find("AWS_ENDPOINT_URL", {});
        if (!said) said = profile_.service.find("endpoint_url");
        if (!said) said = find({}, "endpoint_url");
        if (!said) return {};
        if (!http::parse_url(said->value))
            return invalid_setting(*said, "be a URL such as http://127.0.0.1:8000");
        settings_.endpoint_url = said->value;
        note("endpoint_url", *said);
        return {};
    }
    Result<void> retries() {
        if (const auto said = find("AWS_RETRY_MODE", "retry_mode")) {
            PERDURE_TRY_VALUE(
                settings_.retry_mode,
                word_from<RetryMode>(*said, retry_modes, "be legacy, standard or adaptive"));
            note("retry_mode", *said);
        }
        if (const auto said = find("AWS_MAX_ATTEMPTS", "max_attempts")) {
            PERDURE_TRY_VALUE(settings_.max_attempts,
                              number_from(*said, 1, most_attempts,
                                          "be a whole number from 1 to 1000: it counts all "
                                          "attempts, so 1 means that nothing is repeated"));
            note("max_attempts", *said);
        }
        return {};
    }
    Result<void> endpoint_kind() {
        const auto fips = find("AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint");
        PERDURE_TRY_VALUE(const Switch for_fips, switch_from(fips));
        settings_.fips = for_fips == Switch::on ? Fips::on : Fips::off;
        if (fips) note("fips", *fips);
        const auto dual = find("AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint");
        PERDURE_TRY_VALUE(const Switch for_both, switch_from(dual));
        settings_.dual_stack = for_both == Switch::on ? DualStack::on : DualStack::off;
        if (dual) note("dual_stack", *dual);
        return {};
    }
    // Endpoints of an account are an optimisation, which is not made here; where they are required, the
    // endpoint of the region is not what the user wants. AWS's rules do not ask where a URL is given.
    Result<void> account_endpoint() {
        const auto said = find("AWS_ACCOUNT_ID_ENDPOINT_MODE", "account_id_endpoint_mode");
        if (!said) return {};
        PERDURE_TRY_VALUE(const AccountEndpoint mode,
                          word_from<AccountEndpoint>(*said, account_endpoints,
                                                     "be preferred, disabled or required"));
        if (mode == AccountEndpoint::required && !settings_.endpoint_url)
            return invalid_setting(*said, "be preferred or disabled: Perdure does not use the "
                                          "endpoint of an account, so it cannot require it");
        return {};
    }
    Result<void> the_rest() {
        if (const auto said = find("AWS_CA_BUNDLE", "ca_bundle")) {
            settings_.ca_bundle = said->value;
            note("ca_bundle", *said);
        }
        if (const auto said = find("AWS_DEFAULTS_MODE", "defaults_mode")) {
            PERDURE_TRY_VALUE(settings_.defaults_mode,
                              word_from<DefaultsMode>(
                                  *said, defaults_modes,
                                  "be legacy, standard, in-region, cross-region, mobile or auto"));
            note("defaults_mode", *said);
        }
        return {};
    }
    Settings take() && { return std::move(settings_); }

private:
    [[nodiscard]] std::optional<Setting> find(std::string_view variable,
                                              std::string_view property) const {
        return look_up(surroundings_, profile_, variable, property);
    }
    void note(std::string field, const Setting& said) {
        settings_.origins[std::move(field)] = said.where;
    }

    const Surroundings& surroundings_;
    const Profile& profile_;
    Settings settings_{};
};

}  // namespace

Result<Settings> settings_from(const Surroundings& surroundings) {
    PERDURE_TRY_VALUE(const Profile profile, chosen_profile(surroundings));
    Reader reader{surroundings, profile};
    PERDURE_TRY(reader.region());
    PERDURE_TRY(reader.endpoint());
    PERDURE_TRY(reader.retries());
    PERDURE_TRY(reader.endpoint_kind());
    PERDURE_TRY(reader.account_endpoint());
    PERDURE_TRY(reader.the_rest());
    return std::move(reader).take();
}

std::optional<Duration> connect_timeout(DefaultsMode mode) noexcept {
    switch (mode) {
        case DefaultsMode::in_region: return 1100ms;
        case DefaultsMode::standard:
        case DefaultsMode::cross_region: return 3100ms;
        case DefaultsMode::mobile: return 30s;
        default: return std::nullopt;
    }
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

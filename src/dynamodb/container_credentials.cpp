// SPDX-License-Identifier: Apache-2.0
#include "container_credentials.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "credentials_checks.hpp"
#include "credentials_file.hpp"
#include "credentials_http.hpp"
#include "credentials_json.hpp"
#include "perdure/http/url.hpp"
#include "perdure/net/address.hpp"
#include "perdure/try.hpp"
#include "profile_text.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::string_view relative_uri = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr std::string_view full_uri = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
constexpr std::string_view token_variable = "AWS_CONTAINER_AUTHORIZATION_TOKEN";
constexpr std::string_view token_file = "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE";
constexpr Duration timeout = 2s;
constexpr std::array<std::string_view, 3> agents{"169.254.170.2", "169.254.170.23", "fd00:ec2::23"};

bool may_be_plain(const http::Url& url) {
    if (url.host == "localhost") return true;
    const auto address = net::Address::parse(url.host, url.port);
    if (!address) return false;
    return address->loopback() || std::ranges::any_of(agents, [&](std::string_view agent) {
               return net::Address::parse(agent, url.port) == address;
           });
}

Result<http::Url> place_from(const Surroundings& surroundings, std::string_view agent) {
    const std::string_view relative = surroundings.variable(relative_uri);
    const std::string_view name = relative.empty() ? full_uri : relative_uri;
    if (!relative.empty() && !relative.starts_with('/'))
        return refused("invalid-setting", std::string{name} + " must begin with /");
    auto url = http::parse_url(relative.empty() ? std::string{surroundings.variable(full_uri)}
                                                : std::string{agent}.append(relative));
    if (!url || !url->userinfo.empty())
        return refused("invalid-setting",
                       std::string{name} + " must be " +
                           (relative.empty() ? "a URL, without name and password" : "a path"));
    if (relative.empty() && !url->secure() && !may_be_plain(*url))
        return refused("invalid-setting",
                       std::string{name} +
                           " must be https, or lead to this machine or to a container agent: plain "
                           "http would show the keys to others");
    return url;
}

class ContainerSource final : public KeySource {
public:
    ContainerSource(const Surroundings& surroundings, const http::Url& url,
                    const Environment& environment)
        : target_{url.target},
          token_{surroundings.variable(token_variable)},
          token_path_{surroundings.variable(token_file)},
          client_{url.scheme + "://" + http::host_of(url), options(surroundings, environment)} {}

    [[nodiscard]] const Failure* problem() const noexcept { return client_.problem(); }

    Result<Keys> fetch(const Attempt& attempt) override {
        PERDURE_TRY_VALUE(const std::string token, token_now());
        http::Request request = http::Request::get(target_).header("Accept", "application/json");
        if (!token.empty()) request.header("Authorization", token);
        PERDURE_TRY_VALUE(const http::Response answer,
                          ask(client_, request, "asking for the keys", attempt));
        return keys_from_json(answer.body, KeysFrom::container);
    }
    [[nodiscard]] std::string_view name() const noexcept override {
        return "the container's agent";
    }
    [[nodiscard]] Duration longest() const noexcept override { return 2 * timeout; }
    [[nodiscard]] int patience() const noexcept override { return 3; }

private:
    static http::ClientOptions options(const Surroundings& surroundings,
                                       const Environment& environment) {
        http::ClientOptions chosen = local_service("container-credentials", timeout, environment);
        chosen.tls.ca_file = surroundings.variable("AWS_CA_BUNDLE");
        return chosen;
    }
    // From its file each time, for it changes there.
    [[nodiscard]] Result<std::string> token_now() const {
        const bool from_file = !token_path_.empty();
        std::string token = token_;
        if (from_file) {
            const SmallFile file = read_small_file(token_path_, 65'536);
            if (file.error != 0)
                return refused("container-token", "the file named by " + std::string{token_file} +
                                                      " cannot be read: " + file.why());
            token = file.text;
        }
        while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
        const auto fits = [](char c) { return c >= ' ' && c <= '~'; };
        if (!std::ranges::all_of(token, fits))
            return refused("container-token",
                           (from_file ? "the file named by " + std::string{token_file}
                                      : std::string{token_variable}) +
                               " holds what no token has: a line end, or what is not ASCII");
        return token;
    }

    std::string target_;
    std::string token_;
    std::string token_path_;
    http::Client client_;
};

}  // namespace

bool has_container(const Surroundings& surroundings) noexcept {
    return !surroundings.variable(relative_uri).empty() || !surroundings.variable(full_uri).empty();
}

Result<std::unique_ptr<KeySource>> container_source(const Surroundings& surroundings,
                                                    const Environment& environment,
                                                    std::string_view agent) {
    PERDURE_TRY_VALUE(const http::Url url, place_from(surroundings, agent));
    auto source = std::make_unique<ContainerSource>(surroundings, url, environment);
    if (source->problem()) return fail(*source->problem());
    return std::unique_ptr<KeySource>{std::move(source)};
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

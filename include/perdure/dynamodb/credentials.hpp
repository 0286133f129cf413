// SPDX-License-Identifier: Apache-2.0
//
// Which keys are requests signed with now, and who fetches the next ones?
//
//     const auto keys = dynamodb::find_credentials();       // as every AWS program finds them
//     if (!keys) return keys.take_failure();                // says where it looked and what to do
//     dynamodb::fixed_credentials({"AKIDEXAMPLE", secret});
//
// Environment, then the profile (keys, credential_process), then the container, then the instance.
// Roles to assume, web identity, SSO and sessions of `aws login` are refused in words, not skipped, and so
// is any other property of a profile without keys that is about signing in: a client that skips it would
// sign with the credentials of another identity, the machine's.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "perdure/call/environment.hpp"
#include "perdure/dynamodb/keys.hpp"
#include "perdure/dynamodb/settings.hpp"
#include "perdure/failure.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Safe for any number of threads; nothing here blocks. Failures and problems never hold a secret.
class Credentials {
public:
    Credentials() = default;
    Credentials(const Credentials&) = delete;
    Credentials& operator=(const Credentials&) = delete;
    virtual ~Credentials();

    // What to sign with now. Null while a fetch is under way, or if there is nothing: problem().
    [[nodiscard]] virtual std::shared_ptr<const Keys> current(WallTime now) = 0;
    // The service called these keys expired: they are fetched anew, once however many ask, and until
    // then there are none.
    virtual void renew(const Keys& expired) = 0;
    // Why there are none, or will soon be none. Nothing: all is well, or not yet known.
    [[nodiscard]] virtual std::optional<Failure> problem() const = 0;
};

struct CredentialOptions {
    std::string profile{};        // this one, and no keys from the environment; empty: as the
                                  // environment says
    Duration process_for = 1min;  // the longest a credential_process may run
    Environment environment{};  // outlives the credentials; its clock really waits, or renewals fly
};

// Always these, until they expire. What can be no keys is a problem() at once.
std::shared_ptr<Credentials> fixed_credentials(Keys keys);

// Asks nobody yet: a source that can expire is asked by one thread of its own, from the first
// current() on, ahead of expiry. The destructor ends it at once, whatever it waits for. A failure is
// `invalid`, of the application: "no-credentials", "malformed-profile", "no-such-profile",
// "unsupported-credentials", "invalid-setting".
Result<std::shared_ptr<Credentials>>
find_credentials(const Surroundings& surroundings = Surroundings::of_process(),
                 const CredentialOptions& options = {});

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

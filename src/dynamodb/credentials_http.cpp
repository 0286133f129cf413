// SPDX-License-Identifier: Apache-2.0
#include "credentials_http.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

http::ClientOptions local_service(std::string_view name, Duration timeout,
                                  const Environment& environment) {
    return {.plan = {.name = std::string{name},
                     .deadline = 2 * timeout,
                     .attempt_timeout = timeout,
                     .set_up = timeout,
                     .rule = {.attempts = 1}},
            .pool = {.max_connections = 1},
            .limits = {.body = 65'536},
            .proxy_from = http::ProxyFrom::nowhere,
            .tell = http::Tell::nothing,
            .environment = environment};
}

Result<http::Response> ask(http::Client& client, const http::Request& request,
                           std::string_view what, const Attempt& attempt) {
    Result<http::Response> answer = client.send(
        request, {.deadline = attempt.deadline, .stop = attempt.stop(), .within = &attempt});
    if (answer && !answer->ok() && !request.is_answer(answer->status)) {
        // A redirect: nobody here follows one.
        return fail({.cause = Cause::unavailable,
                     .effect = Effect::none,
                     .status = answer->status,
                     .code = std::to_string(answer->status),
                     .message = std::string{what} + ": HTTP " + std::to_string(answer->status)});
    }
    if (answer) return answer;
    Failure& failure = answer.error();
    const std::string how = failure.status > 0 ? "HTTP " + std::to_string(failure.status)
                                               : failure.code + ", " + failure.message;
    failure.message = std::string{what} + ": " + how;
    return answer;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

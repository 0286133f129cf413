// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/client.hpp"

#include <utility>

#include "client_inside.hpp"
#include "clock_question.hpp"
#include "perdure/try.hpp"
#include "talk.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

Client::Client(ClientOptions options) : inside_{std::make_unique<Inside>(std::move(options))} {}
Client::~Client() = default;

const Failure* Client::problem() const noexcept {
    return inside_->problem ? &*inside_->problem : nullptr;
}

namespace {

CallOptions for_question(const CallOptions& options) {
    CallOptions asking = options;
    asking.diagnostics = nullptr;
    asking.error = nullptr;
    return asking;
}

}  // namespace

Result<void> Client::perform_by_clock(Order& order, const CallOptions& options) {
    if (inside_->problem || inside_->skew.known()) return perform(order, options);
    CallOptions both = options;
    both.deadline = inside_->ends_by(options);
    ClockQuestion question{*order.question()};
    PERDURE_TRY(perform(question, for_question(both)));
    inside_->skew.settle();
    return perform(order, both);
}

Task<Result<void>> Client::learn_clock(Order& order, CallOptions& options) {
    if (inside_->problem || inside_->skew.known()) co_return Result<void>{};
    options.deadline = inside_->ends_by(options);
    ClockQuestion question{*order.question()};
    {
        const CallOptions asking = for_question(options);
        auto call = begin(question, asking);
        if (!call) co_return call.take_failure();
        auto said = co_await *call;
        if (!said) co_return said.take_failure();
    }  // what the call has measured is kept at its end
    inside_->skew.settle();
    co_return Result<void>{};
}

Result<void> Client::perform(Order& order, const CallOptions& options) {
    if (inside_->problem) return fail(*inside_->problem);
    Talk talk{*inside_, order, options};
    if (auto opened = talk.open(); !opened)
        return fail(inside_->refused(std::move(opened.error())));
    auto done = inside_->http->converse(*inside_->caller, talk, talk.operation(), options.within);
    if (!done) return done.take_failure();
    return {};
}

Result<Call<Result<http::Response>>> Client::begin(Order& order, const CallOptions& options) {
    if (inside_->problem) return fail(*inside_->problem);
    auto talk = std::make_unique<Talk>(*inside_, order, options);
    if (auto opened = talk->open(); !opened)
        return fail(inside_->refused(std::move(opened.error())));
    const Operation operation = talk->operation();
    return inside_->http->start_conversing(*inside_->caller, std::move(talk), operation,
                                           options.within);
}

Result<int> Client::prewarm(int connections, Deadline deadline) {
    if (inside_->problem) return fail(*inside_->problem);
    return inside_->http->prewarm(connections, deadline);
}

Caller& Client::caller() noexcept { return *inside_->caller; }
const std::string& Client::region() const noexcept { return inside_->endpoint.signing_region; }
const std::string& Client::endpoint() const noexcept { return inside_->endpoint.url; }
Duration Client::clock_skew() const noexcept { return inside_->skew.get(); }
net::PoolCounts Client::connections() const {
    return inside_->http ? inside_->http->connections() : net::PoolCounts{};
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure

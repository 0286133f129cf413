// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/catching.hpp"

#include <stdexcept>

namespace perdure {
inline namespace v0 {

namespace {

Cause cause_of(std::error_code error) {
    struct Row {
        std::errc code;
        Cause cause;
    };
    // Where the same errno can mean "before" or "after" sending, the effect stays unknown.
    static constexpr Row rows[] = {
        {std::errc::timed_out, Cause::timed_out},
        {std::errc::stream_timeout, Cause::timed_out},
        {std::errc::connection_refused, Cause::unavailable},
        {std::errc::connection_reset, Cause::unavailable},
        {std::errc::connection_aborted, Cause::unavailable},
        {std::errc::broken_pipe, Cause::unavailable},
        {std::errc::host_unreachable, Cause::unavailable},
        {std::errc::network_unreachable, Cause::unavailable},
        {std::errc::network_down, Cause::unavailable},
        {std::errc::network_reset, Cause::unavailable},
        {std::errc::not_connected, Cause::unavailable},
        {std::errc::resource_unavailable_try_again, Cause::exhausted},
        {std::errc::too_many_files_open, Cause::exhausted},
        {std::errc::too_many_files_open_in_system, Cause::exhausted},
        {std::errc::no_buffer_space, Cause::exhausted},
        {std::errc::device_or_resource_busy, Cause::contended},
        {std::errc::resource_deadlock_would_occur, Cause::contended},
        {std::errc::interrupted, Cause::internal},
        {std::errc::io_error, Cause::internal},
        {std::errc::operation_canceled, Cause::cancelled},
        {std::errc::permission_denied, Cause::forbidden},
        {std::errc::operation_not_permitted, Cause::forbidden},
        {std::errc::no_such_file_or_directory, Cause::not_found},
        {std::errc::file_exists, Cause::conflict},
        {std::errc::file_too_large, Cause::too_large},
        {std::errc::message_size, Cause::too_large},
        {std::errc::invalid_argument, Cause::invalid},
    };
    for (const auto& [code, cause] : rows)
        if (error == code) return cause;
    return Cause::internal;
}

}  // namespace

Failure classify_error(std::error_code error) {
    Failure failure{.cause = cause_of(error), .origin = Origin::application};
    // A refused connection is known before anything was sent.
    if (error == std::errc::connection_refused) failure.effect = Effect::none;
    failure.status = error.value();
    failure.code = error.category().name();
    failure.message = error.message();
    return failure;
}

Failure classify_exception(const std::exception& exception) {
    if (const auto* system = dynamic_cast<const std::system_error*>(&exception)) {
        Failure failure = classify_error(system->code());
        failure.message = exception.what();
        return failure;
    }
    const bool ours = dynamic_cast<const std::logic_error*>(&exception) ||
                      dynamic_cast<const std::bad_alloc*>(&exception);
    return {.cause = ours ? Cause::invalid : Cause::internal,
            .effect = Effect::unknown,
            .origin = Origin::application,
            .message = exception.what()};
}

}  // namespace v0
}  // namespace perdure

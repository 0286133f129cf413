// SPDX-License-Identifier: Apache-2.0
//
// A real server: nginx on free loopback ports, plain and with TLS.
//
//     /small            967 bytes of JSON          /echo-size    the request's Content-Length
//     /files/large      a megabyte of 'x'          /gzip         the JSON again, compressed if wanted
//     /status/429       with Retry-After: 1        /status/503, /status/404, /status/500
//     /redirect         302 to another host        /backend/…    passed on to NginxOptions::backend
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "live/support/certificates.hpp"
#include "live/support/process.hpp"
#include "live/support/temp_dir.hpp"

namespace perdure::live {

struct NginxOptions {
    std::uint16_t backend = 0;  // a port of the loopback
    std::string server{};       // more lines for every `server` block
};

// Used by the thread that made it.
class Nginx {
public:
    // Why there is none to be had here; empty if there is.
    static std::string missing();

    // Ends the program with a message if nginx does not come up: ask missing() first.
    explicit Nginx(const NginxOptions& options = {});

    struct Ports {
        std::uint16_t plain = 0;
        std::uint16_t tls = 0;         // 1.2 and 1.3, the good certificate
        std::uint16_t tls_1_2 = 0;     // 1.2 alone
        std::uint16_t wrong_name = 0;  // these with one of the bad ones
        std::uint16_t expired = 0;
        std::uint16_t self_signed = 0;
        std::uint16_t wants_client = 0;  // asks for the client's certificate
    };
    [[nodiscard]] const Ports& ports() const noexcept { return ports_; }
    [[nodiscard]] const Certificates& certificates() const noexcept { return certificates_; }
    [[nodiscard]] const TempDir& home() const noexcept { return home_; }
    [[nodiscard]] pid_t pid() const noexcept { return process_->pid(); }
    // As nginx's own reload or a crash would: connections are cut.
    void stop() { process_->stop(); }

    static const std::string& small();  // what /small answers

private:
    void start(const NginxOptions& options);
    [[nodiscard]] std::string configuration(const NginxOptions& options) const;

    TempDir home_;
    Certificates certificates_{home_};
    Ports ports_{};
    std::unique_ptr<Process> process_;
};

}  // namespace perdure::live

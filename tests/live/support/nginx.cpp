// SPDX-License-Identifier: Apache-2.0
#include "live/support/nginx.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "live/support/listener.hpp"

namespace perdure::live {
namespace {

std::string directive(std::string_view name, const std::string& value) {
    return std::string{name} + " " + value + ";\n";
}

std::string locations(const std::string& home, const NginxOptions& options) {
    std::string text = R"(
    location = /small { return 200 ')" +
                       Nginx::small() + R"('; }
    location = /echo-size { return 200 "$content_length"; }
    location = /status/404 { return 404 '{"error":"not here"}'; }
    location = /status/429 { add_header Retry-After 1 always; return 429 '{"error":"slower"}'; }
    location = /status/500 { return 500 '{"error":"broken"}'; }
    location = /status/503 { return 503 '{"error":"busy"}'; }
    location = /redirect { return 302 http://elsewhere.invalid/small; }
    location = /gzip { gzip on; gzip_types application/json; gzip_min_length 1;
        alias )" + home +
                       R"(/files/small; }
    location /files/ { root )" +
                       home + R"(; }
)";
    if (options.backend != 0)
        text += "location /backend/ { proxy_http_version 1.1; proxy_set_header Connection \"\";\n"
                "proxy_pass http://127.0.0.1:" +
                std::to_string(options.backend) + "/; }\n";
    return text + options.server;
}

std::string server(std::uint16_t port, const std::string& rest) {
    return "server { listen 127.0.0.1:" + std::to_string(port) + rest + "}\n";
}

std::string with_tls(const std::string& pem, const char* protocols = "TLSv1.2 TLSv1.3") {
    return " ssl backlog=4096;\n" + directive("ssl_certificate", pem) +
           directive("ssl_certificate_key", pem) + directive("ssl_protocols", protocols);
}

}  // namespace

std::string Nginx::missing() {
    return find_program("nginx").empty() ? "nginx is not installed" : "";
}

const std::string& Nginx::small() {
    static const std::string text = R"({"text":")" + std::string(967 - 11, 'x') + R"("})";
    return text;
}

Nginx::Nginx(const NginxOptions& options) {
    std::filesystem::create_directory(home_.file("files"));
    home_.write("files/small", small());
    home_.write("files/large", std::string(1 << 20, 'x'));
    // Somebody else may have taken a port in between.
    for (int attempt = 0; attempt < 3; ++attempt) {
        start(options);
        if (process_->running() && wait_for_port(ports_.plain) == Answers::yes) return;
        std::cerr << process_->log();
    }
    std::cerr << "nginx does not come up\n";
    std::abort();
}

void Nginx::start(const NginxOptions& options) {
    // All at once, so that no two are the same.
    {
        const std::array<Listener, 7> free;
        ports_ = {free[0].port(), free[1].port(), free[2].port(), free[3].port(),
                  free[4].port(), free[5].port(), free[6].port()};
    }
    const std::string file = home_.write("nginx.conf", configuration(options));
    process_ = std::make_unique<Process>(std::vector<std::string>{find_program("nginx"), "-p",
                                                                  home_.path(), "-c", file, "-e",
                                                                  "stderr"},
                                         home_.file("nginx.log"));
}

std::string Nginx::configuration(const NginxOptions& options) const {
    const std::string served = locations(home_.path(), options);
    std::string text = "daemon off; master_process off; error_log stderr warn;\n" +
                       directive("pid", home_.file("nginx.pid")) +
                       "events { worker_connections 8192; }\n"
                       "http { access_log off; default_type application/json; tcp_nodelay on;\n"
                       "keepalive_requests 1000000000; client_max_body_size 64m;\n"
                       "ssl_session_tickets on; lingering_close off;\n";
    for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
        text += directive(std::string{kind} + "_temp_path", home_.file(kind));
    const Certificates& pem = certificates_;
    text += server(ports_.plain, " backlog=4096;\n" + served);
    text += server(ports_.tls, with_tls(pem.good) + served);
    text += server(ports_.tls_1_2, with_tls(pem.good, "TLSv1.2") + served);
    text += server(ports_.wrong_name, with_tls(pem.wrong_name) + served);
    text += server(ports_.expired, with_tls(pem.expired) + served);
    text += server(ports_.self_signed, with_tls(pem.self_signed) + served);
    text += server(ports_.wants_client, with_tls(pem.good) + "ssl_verify_client on;\n" +
                                            directive("ssl_client_certificate", pem.ca) + served);
    return text + "}\n";
}

}  // namespace perdure::live

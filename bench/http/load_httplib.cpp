// SPDX-License-Identifier: Apache-2.0
//
// cpp-httplib, one connection kept alive. It can do no more than one request at a time.
// As Debian built its library: another choice would be another class by the same name.
#define CPPHTTPLIB_OPENSSL_SUPPORT
#define CPPHTTPLIB_ZLIB_SUPPORT
#define CPPHTTPLIB_BROTLI_SUPPORT
#include <httplib.h>

#include "load.hpp"

namespace bench {
namespace {

class Httplib final : public LoadClient {
public:
    explicit Httplib(const Load& load) : client_{load.origin} {
        client_.set_keep_alive(true);
        client_.set_tcp_nodelay(true);
        client_.set_read_timeout(10);
        if (!load.ca_file.empty()) client_.set_ca_cert_path(load.ca_file);
        for (const auto& [name, value] : fields) headers_.emplace(name, value);
    }
    void run(std::uint64_t requests, Tally& tally) override {
        for (std::uint64_t i = 0; i < requests; ++i) {
            const perdure::TimePoint began = tally.now();
            const auto answer = client_.Post(path_, headers_, body_, type_);
            if (!answer) give_up("cpp-httplib", httplib::to_string(answer.error()));
            tally.answered(began, "cpp-httplib", answer->status, answer->body.size());
        }
    }

private:
    httplib::Client client_;
    httplib::Headers headers_{};
    std::string path_{target}, body_ = request_body(), type_{content_type};
};

}  // namespace

std::unique_ptr<LoadClient> make_cpp_httplib(const Load& load) {
    return std::make_unique<Httplib>(load);
}

}  // namespace bench

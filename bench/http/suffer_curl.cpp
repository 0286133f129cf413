// SPDX-License-Identifier: Apache-2.0
//
// libcurl with the options everybody sets: a time limit, and no signals since there are threads.
#include <curl/curl.h>

#include "perdure/time/clock.hpp"
#include "suffer.hpp"

namespace bench {
namespace {

class Curl final : public Sufferer {
public:
    explicit Curl(const Fault& fault) : fault_{fault} { curl_global_init(CURL_GLOBAL_DEFAULT); }

    Ended once(int run, perdure::Duration time) override {
        const perdure::Clock& clock = perdure::system_clock();
        const perdure::TimePoint began = clock.now();
        CURL* const handle = curl_easy_init();
        const std::string url = fault_.name_server.empty()
                                    ? fault_.origin
                                    : fault_.origin + std::to_string(run) + ".silent.test";
        curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
        curl_easy_setopt(
            handle, CURLOPT_TIMEOUT_MS,
            static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()));
        curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);  // as for Perdure
        curl_easy_setopt(handle, CURLOPT_NOPROXY, "*");
        curl_easy_setopt(
            handle, CURLOPT_WRITEFUNCTION,
            +[](char*, std::size_t, std::size_t many, void*) { return many; });
        const CURLcode code = curl_easy_perform(handle);
        curl_easy_cleanup(handle);
        return {code == CURLE_OK ? "an answer" : curl_easy_strerror(code), clock.now() - began};
    }

private:
    const Fault& fault_;
};

}  // namespace

std::unique_ptr<Sufferer> make_curl(const Fault& fault) { return std::make_unique<Curl>(fault); }

}  // namespace bench

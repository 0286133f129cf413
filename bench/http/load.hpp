// SPDX-License-Identifier: Apache-2.0
//
// What does every client here do? The same request, again and again, over connections that stay open.
//
//     auto client = make_curl_multi(load);
//     client->run(load.requests, tally);
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/time/clock.hpp"

namespace bench {

struct Load {
    std::string origin{};   // "http://127.0.0.1:8080"
    std::string ca_file{};  // of the authority that signed the server's certificate
    int connections = 1;
    std::uint64_t requests = 1000;
};

// What is asked: as large as a usual request to DynamoDB, signature included.
inline constexpr std::string_view target = "/item";
inline constexpr std::string_view content_type = "application/x-amz-json-1.0";
using Field = std::pair<std::string_view, std::string_view>;
inline constexpr Field fields[] = {
    {"x-amz-target", "DynamoDB_20120810.GetItem"},
    {"x-amz-date", "20261116T120000Z"},
    {"authorization",
     "AWS4-HMAC-SHA256 "
     "Credential=AKIDEXAMPLEEXAMPLE00/20261116/eu-central-1/dynamodb/aws4_request, "
     "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
     "Signature=9c1f0a7be2d35d5408b6fd1e1f2f4f6a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4"},
};
inline constexpr std::size_t body_bytes = 128;
inline constexpr std::size_t answer_bytes = 967;
std::string request_body();

// Ends the program: a benchmark of failures says nothing.
[[noreturn]] void give_up(std::string_view client, std::string_view why);

// Counts answers and keeps how long each took. Used by one thread at a time.
class Tally {
public:
    void expect(std::uint64_t answers) { nanoseconds_.reserve(answers); }
    void answered(perdure::TimePoint began, std::string_view client, int status,
                  std::size_t bytes) {
        if (status != 200 || bytes != answer_bytes) give_up(client, "not the answer expected");
        nanoseconds_.push_back((clock_.now() - began).count());
    }
    [[nodiscard]] perdure::TimePoint now() const noexcept { return clock_.now(); }
    [[nodiscard]] std::uint64_t answers() const noexcept { return nanoseconds_.size(); }
    // Microseconds; sorts.
    [[nodiscard]] double quantile(double share);

private:
    perdure::Clock& clock_ = perdure::system_clock();
    std::vector<std::int64_t> nanoseconds_{};
};

// The first run also connects. Used by one thread.
class LoadClient {
public:
    LoadClient() = default;
    LoadClient(const LoadClient&) = delete;
    LoadClient& operator=(const LoadClient&) = delete;
    virtual ~LoadClient();
    virtual void run(std::uint64_t requests, Tally& tally) = 0;
};

using MakeLoadClient = std::unique_ptr<LoadClient> (*)(const Load&);

std::unique_ptr<LoadClient> make_perdure_blocking(const Load& load);
std::unique_ptr<LoadClient> make_perdure_coroutine(const Load& load);
std::unique_ptr<LoadClient> make_perdure_prewarmed(const Load& load);
std::unique_ptr<LoadClient> make_raw_poll(const Load& load);
std::unique_ptr<LoadClient> make_curl_easy(const Load& load);
std::unique_ptr<LoadClient> make_curl_multi(const Load& load);
std::unique_ptr<LoadClient> make_cpp_httplib(const Load& load);

}  // namespace bench

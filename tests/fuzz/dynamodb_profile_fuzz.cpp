// SPDX-License-Identifier: Apache-2.0
//
// Bytes become the files that AWS programs share. Reading them must end with settings and credentials
// or with a refusal in words that shows nothing of a secret in them, never otherwise.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "perdure/dynamodb/credentials.hpp"

namespace {

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

// A file that is nowhere but in memory, and can be opened by name.
class File {
public:
    void hold(const std::string& text) const {
        must(ftruncate(fd_, 0) == 0, "a file can be emptied");
        must(pwrite(fd_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()),
             "a file can be written");
    }
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
    int fd_ = memfd_create("profile", MFD_CLOEXEC);
};

void check(const perdure::Failure& failure) {
    must(!failure.message.empty() && failure.message.size() < 2000, "a refusal has a few words");
    must(failure.cause == perdure::Cause::invalid, "a refusal is the application's to mend");
    must(to_string(failure).find("HUSHHUSH") == std::string::npos, "a refusal tells no secret");
}

}  // namespace

// The first byte says which of the two files the rest is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const File config, credentials;
    if (size == 0) return 0;
    std::string text{reinterpret_cast<const char*>(data) + 1, size - 1};
    const std::string secret = "\naws_access_key_id = AKID\naws_secret_access_key = "
                               "HUSHHUSH\naws_session_token HUSHHUSH\n";
    const bool in_config = data[0] % 2 == 0;
    if (data[0] % 4 < 2) text += secret;
    config.hold(in_config ? text : "");
    credentials.hold(in_config ? "" : text);

    const perdure::dynamodb::Surroundings surroundings{
        .variables = {{"AWS_CONFIG_FILE", config.path()},
                      {"AWS_SHARED_CREDENTIALS_FILE", credentials.path()},
                      {"AWS_EC2_METADATA_DISABLED", "true"}}};
    if (const auto settings = settings_from(surroundings); !settings) check(settings.error());
    else must(settings->region.size() < 64, "a region is a short name");
    // Asked for nothing, so that no command in the file is run.
    if (const auto found = find_credentials(surroundings); !found) check(found.error());
    else must(*found != nullptr, "what is found is there");
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "perdure/http/response_writer.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

void append_response(std::string& out, const Response& response) {
    const bool bodiless = response.status < 200 || response.status == 204 || response.status == 304;
    out.append("HTTP/1.").append(std::to_string(response.minor_version)).append(" ");
    out.append(std::to_string(response.status)).append(" ").append(response.reason);
    out.append("\r\n");
    for (const auto& [name, value] : response.headers)
        if (!same_name(name, "content-length") && !same_name(name, "transfer-encoding"))
            out.append(name).append(": ").append(value).append("\r\n");
    if (bodiless) {
        out.append("\r\n");
        return;
    }
    out.append("Content-Length: ").append(std::to_string(response.body.size()));
    out.append("\r\n\r\n").append(response.body);
}

}  // namespace http
}  // namespace v0
}  // namespace perdure

// SPDX-License-Identifier: Apache-2.0
//
// Where does a request go? One scheme, host and port, the proxy before it, and the connections there.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "credentials.hpp"
#include "perdure/http/parser.hpp"
#include "perdure/http/url.hpp"
#include "perdure/net/pool.hpp"
#include "perdure/net/reactor.hpp"
#include "perdure/net/resolver.hpp"
#include "perdure/net/stream.hpp"
#include "perdure/net/tls.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

// What is used again and again: a stream, and its place in a reactor's books.
class Connection final : public net::Pooled {
public:
    explicit Connection(std::unique_ptr<net::Stream> made) noexcept : stream{std::move(made)} {}
    ~Connection() override { watch.reset(); }  // before the descriptor is closed
    [[nodiscard]] bool still_good() override { return stream->quiet(); }
    // The other side need not finish what nobody waits for.
    void cut() noexcept {
        watch.reset();
        stream->reset();
    }

    std::unique_ptr<net::Stream> stream;
    std::unique_ptr<net::Watch> watch;
    std::string bytes;  // room for the next request, of a reasonable size
    const net::Reactor* watched_by = nullptr;
};

struct ProxyHop {
    Url url{};
    std::string authorization{};  // the value of Proxy-Authorization; empty: none
};

struct RouteOptions {
    net::PoolOptions pool{};
    Limits limits{};
    std::optional<ProxyHop> proxy{};
};

// Shared by all threads. The resolver outlives it.
class Route {
public:
    Route(Url where, std::shared_ptr<net::TlsContext> with, net::Resolver& by, RouteOptions chosen)
        : url{std::move(where)},
          host{host_of(url)},
          prefix{path_of(url)},
          absolute{"http://" + host + prefix},
          authorization{basic_credentials(url.userinfo)},
          tls{std::move(with)},
          resolver{by},
          options{std::move(chosen)},
          pool{options.pool} {}

    [[nodiscard]] const std::string& dialled_host() const noexcept {
        return options.proxy ? options.proxy->url.host : url.host;
    }
    [[nodiscard]] std::uint16_t dialled_port() const noexcept {
        return options.proxy ? options.proxy->url.port : url.port;
    }
    // A proxy is asked for a tunnel where the traffic is secret, else handed the whole address.
    [[nodiscard]] bool tunnelled() const noexcept { return options.proxy && url.secure(); }
    [[nodiscard]] bool forwarded() const noexcept { return options.proxy && !url.secure(); }

    static std::string path_of(const Url& url) {
        std::string path = url.target.substr(0, url.target.find('?'));
        while (path.ends_with('/')) path.pop_back();
        return path;
    }

    const Url url;
    const std::string host;           // as in the Host field
    const std::string prefix;         // "POST /a" on "https://host/base" asks for /base/a
    const std::string absolute;       // the same as a proxy wants it
    const std::string authorization;  // from the URL; empty: none
    const std::shared_ptr<net::TlsContext> tls;  // null: plain
    net::Resolver& resolver;
    const RouteOptions options;
    net::Pool pool;
};

}  // namespace http
}  // namespace v0
}  // namespace perdure

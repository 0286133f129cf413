// SPDX-License-Identifier: Apache-2.0
//
// Who answers the client in these tests? A server on one thread that does what the test says and
// remembers what it saw. Nobody sleeps: who waits, waits for a socket or a word.
//
//     Server server{[](const Seen& seen) { return ok(seen.target); }};
//     Client client{server.url(), plain()};
//     EXPECT_EQ(client.send(Request::get("/a"))->body, "/a");
//     EXPECT_EQ(server.connections(), 1);
#pragma once

#include <array>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>

#include "net/loopback.hpp"
#include "net/tls_peer.hpp"
#include "perdure/http/request_parser.hpp"
#include "perdure/time/clock.hpp"

namespace perdure::http {

inline constexpr Duration patience = 5s;

// What follows a reply. hold: it is sent when the test says so; deaf: nothing more is read; freeze:
// both; encrypt: what follows is TLS.
enum class Then : std::uint8_t { stay, close, reset, hold, deaf, freeze, encrypt };

struct Reply {
    std::string bytes{};
    Then then = Then::stay;
};

inline Reply status(int code, std::string_view body = {}, std::string_view headers = {}) {
    return {"HTTP/1.1 " + std::to_string(code) + " Word\r\n" + std::string{headers} +
            "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body}};
}
inline Reply ok(std::string_view body = {}, std::string_view headers = {}) {
    return status(200, body, headers);
}
inline Reply held(Reply reply) { return {std::move(reply.bytes), Then::hold}; }

struct Seen {
    int connection = 0;  // from 1
    std::string method{}, target{}, body{};
    Headers headers{};
    [[nodiscard]] std::string header(std::string_view name) const {
        return std::string{headers.find(name).value_or("")};
    }
};

struct Serving {
    std::function<Reply(const Seen&)> on_head{};  // before the body; an empty reply says nothing
    SSL_CTX* tls = nullptr;
    bool tls_at_once = true;  // false: only after Then::encrypt
    Duration shake_after{};   // how long it lets a handshake wait
};

// Made, asked and ended by the test; answers are given on its own thread.
class Server {
public:
    using Answer = std::function<Reply(const Seen&)>;

    explicit Server(
        Answer answer = [](const Seen& seen) { return ok(seen.target); }, Serving serving = {})
        : answer_{std::move(answer)}, serving_{std::move(serving)} {
        constexpr int small = 64 * 1024;  // so that a large request must wait for us
        setsockopt(listener_.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        net::bind_to(listener_.fd(), net::loopback_v4(1));
        EXPECT_EQ(0, ::listen(listener_.fd(), 1024));
        thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
    }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server() {
        thread_.request_stop();
        nudge();
    }

    [[nodiscard]] std::string url() const {
        const bool secure = serving_.tls && serving_.tls_at_once;
        return (secure ? "https://127.0.0.1:" : "http://127.0.0.1:") + port();
    }
    [[nodiscard]] std::string port() const { return std::to_string(net::port_of(listener_.fd())); }
    [[nodiscard]] std::vector<Seen> seen() const {
        const std::lock_guard held{mutex_};
        return seen_;
    }
    [[nodiscard]] int requests() const { return static_cast<int>(seen().size()); }
    // How many connections it was given, and how many of them its clients have ended.
    [[nodiscard]] int connections() const { return count(accepted_); }
    [[nodiscard]] int closed() const { return count(closed_); }
    [[nodiscard]] int reset() const { return count(reset_); }

    // Whether it becomes so in time.
    template <class Condition>
    bool becomes(Condition&& so) {
        std::unique_lock held{mutex_};
        const TimePoint limit = system_clock().now() + patience;
        while (held.unlock(), !so()) {
            held.lock();
            if (system_clock().now() > limit) return false;
            news_.wait_for(held, 20ms);
        }
        return true;
    }
    // What was held is sent, who was deaf hears again.
    void release() {
        errand([](Peer& peer) {
            if (holds(peer) || is_deaf(peer)) peer.then = Then::stay;
        });
    }
    // Ends every connection from this side, and waits until that is done.
    void end_all(Then how) {
        errand([how](Peer& peer) { peer.then = how; });
    }

private:
    struct Peer {
        net::Socket socket{};
        int number = 0;
        TimePoint not_before{};
        testing::ServerSide tls{};
        RequestParser parser{};
        bool head_told = false;
        std::string out{};
        Then then = Then::stay;
        bool gone = false;
    };
    enum class Got : std::uint8_t { bytes, nothing, end, reset };

    [[nodiscard]] int count(const int& what) const {
        const std::lock_guard held{mutex_};
        return what;
    }
    template <class Change>
    void note(Change&& change) {
        const std::lock_guard held{mutex_};
        change();
        news_.notify_all();
    }
    void nudge() { (void)::eventfd_write(nudge_.fd(), 1); }
    void errand(std::function<void(Peer&)> what) {
        std::unique_lock held{mutex_};
        errand_ = std::move(what);
        nudge();
        news_.wait_for(held, patience, [&] { return !errand_; });
    }
    void run_errand() {
        const std::lock_guard held{mutex_};
        if (!errand_) return;
        for (Peer& peer : peers_) errand_(peer);
        for (Peer& peer : peers_) flush(peer);
        errand_ = nullptr;
        news_.notify_all();
    }

    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            wait();
            accept();
            for (Peer& peer : peers_) serve(peer);
            run_errand();
            std::erase_if(peers_, [](const Peer& peer) { return peer.gone; });
        }
    }
    void wait() {
        std::vector<pollfd> polled{{listener_.fd(), POLLIN, 0}, {nudge_.fd(), POLLIN, 0}};
        int timeout = -1;
        const TimePoint now = system_clock().now();
        for (const Peer& peer : peers_) {
            const bool late = peer.not_before <= now;
            if (!late) timeout = static_cast<int>((peer.not_before - now) / 1ms) + 1;
            const bool listens = late && !is_deaf(peer);
            const int events =
                (listens ? POLLIN : 0) | (peer.out.empty() || holds(peer) ? 0 : POLLOUT);
            polled.push_back({peer.socket.fd(), static_cast<short>(events), 0});
            if (events == 0) polled.back().fd = -1;
        }
        ::poll(polled.data(), polled.size(), timeout);
        eventfd_t rung = 0;
        (void)::eventfd_read(nudge_.fd(), &rung);
    }
    void accept() {
        for (;;) {
            net::Socket socket{
                ::accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
            if (!socket) return;
            Peer& peer = peers_.emplace_back();
            peer.socket = std::move(socket);
            peer.not_before = system_clock().now() + serving_.shake_after;
            if (serving_.tls && serving_.tls_at_once) encrypt(peer);
            note([&] { peer.number = ++accepted_; });
        }
    }
    void encrypt(Peer& peer) const {
        peer.tls.reset(SSL_new(serving_.tls));
        SSL_set_fd(peer.tls.get(), peer.socket.fd());
        SSL_set_accept_state(peer.tls.get());
    }
    static bool holds(const Peer& peer) {
        return peer.then == Then::hold || peer.then == Then::freeze;
    }
    static bool is_deaf(const Peer& peer) {
        return peer.then == Then::deaf || peer.then == Then::freeze;
    }

    void serve(Peer& peer) {
        flush(peer);
        std::array<char, 65'536> buffer{};
        while (!peer.gone && !is_deaf(peer) && peer.not_before <= system_clock().now()) {
            std::size_t bytes = 0;
            const Got got = read(peer, buffer, bytes);
            if (got == Got::nothing) return;
            if (got == Got::bytes) {
                take_in(peer, {buffer.data(), bytes});
                continue;
            }
            peer.gone = true;
            note([&] { ++(got == Got::reset ? reset_ : closed_); });
        }
    }
    static Got read(Peer& peer, std::span<char> into, std::size_t& bytes) {
        if (!peer.tls) {
            const net::Io io = peer.socket.read(into);
            bytes = io.bytes;
            if (io.kind == net::IoKind::failed) return Got::reset;
            if (io.kind == net::IoKind::closed) return Got::end;
            return io.kind == net::IoKind::done ? Got::bytes : Got::nothing;
        }
        const int did = SSL_read_ex(peer.tls.get(), into.data(), into.size(), &bytes);
        const int error = SSL_get_error(peer.tls.get(), did);
        ERR_clear_error();
        if (did == 1) return Got::bytes;
        if (error == SSL_ERROR_WANT_READ) return Got::nothing;
        return error == SSL_ERROR_SYSCALL ? Got::reset : Got::end;
    }
    void take_in(Peer& peer, std::string_view bytes) {
        while (!bytes.empty() && !peer.gone) {
            std::size_t used = 0;
            const Parsed parsed = peer.parser.feed(bytes, used);
            bytes.remove_prefix(used);
            if (parsed == Parsed::broken) return void(peer.gone = true);
            if (!std::exchange(peer.head_told, peer.parser.head_complete()) && peer.head_told &&
                serving_.on_head)
                reply(peer, serving_.on_head(seen_of(peer)));
            if (parsed == Parsed::more) return;
            Seen seen = seen_of(peer);
            note([&] { seen_.push_back(seen); });
            peer.parser.next();
            peer.head_told = false;
            reply(peer, answer_(seen));
        }
    }
    static Seen seen_of(const Peer& peer) {
        const RequestParser& parser = peer.parser;
        return {peer.number, parser.method(), parser.target(), parser.body(), parser.headers()};
    }
    void reply(Peer& peer, const Reply& what) {
        peer.out += what.bytes;
        if (what.then != Then::stay) peer.then = what.then;
        flush(peer);
    }
    void flush(Peer& peer) {
        while (!peer.out.empty() && !holds(peer) && !peer.gone) {
            std::size_t bytes = 0;
            if (peer.tls) SSL_write_ex(peer.tls.get(), peer.out.data(), peer.out.size(), &bytes);
            else bytes = peer.socket.write(peer.out).bytes;
            ERR_clear_error();
            if (bytes == 0) return;
            peer.out.erase(0, bytes);
        }
        if (peer.then == Then::encrypt) encrypt(peer);
        if (peer.then == Then::encrypt) peer.then = Then::stay;
        if (peer.then == Then::reset) peer.socket.reset();
        if (peer.then == Then::close) peer.socket.close();
        peer.gone = peer.gone || !peer.socket;
    }

    const Answer answer_;
    const Serving serving_;
    net::Socket listener_ = std::move(*net::Socket::open(net::Family::v4));
    net::Socket nudge_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    std::list<Peer> peers_;
    mutable std::mutex mutex_;
    std::condition_variable news_;
    std::function<void(Peer&)> errand_;
    std::vector<Seen> seen_;
    int accepted_ = 0, closed_ = 0, reset_ = 0;
    std::jthread thread_;
};

}  // namespace perdure::http

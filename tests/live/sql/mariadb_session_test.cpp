// SPDX-License-Identifier: Apache-2.0
//
// What a session of MariaDB takes from its server and its process: a named lock only where that is
// cheap, and a socket that no other program inherits.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/support/listener.hpp"
#include "live/support/mariadb.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/mariadb.hpp"
#include "perdure/sql/transact.hpp"
#include "perdure/try.hpp"

namespace perdure::sql {
namespace {

// A proxy as clients see one: its handshake names an id of its own for the connection. All other bytes
// pass as they are.
class ProxyWithOwnIds {
public:
    explicit ProxyWithOwnIds(std::uint16_t server) : server_{server} {}
    ProxyWithOwnIds(const ProxyWithOwnIds&) = delete;
    ProxyWithOwnIds& operator=(const ProxyWithOwnIds&) = delete;
    ~ProxyWithOwnIds() {
        thread_.request_stop();
        const std::uint64_t one = 1;
        (void)!::write(wake_.fd(), &one, sizeof one);
    }
    [[nodiscard]] std::uint16_t port() const noexcept { return listener_.port(); }

private:
    struct Pair {
        net::Socket client, server;
        bool greeted = false;
        bool open = true;
    };

    void serve(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            std::vector<pollfd> fds{{wake_.fd(), POLLIN, 0}, {listener_.fd(), POLLIN, 0}};
            for (const Pair& pair : pairs_)
                for (const int fd : {pair.client.fd(), pair.server.fd()})
                    fds.push_back({fd, POLLIN, 0});
            (void)::poll(fds.data(), fds.size(), -1);
            for (net::Socket client = listener_.accept(); client; client = listener_.accept())
                pairs_.push_back({std::move(client), connected()});
            for (Pair& pair : pairs_) {
                pass(pair, pair.client, pair.server);
                pass(pair, pair.server, pair.client);
            }
            std::erase_if(pairs_, [](const Pair& pair) { return !pair.open; });
        }
    }
    [[nodiscard]] net::Socket connected() const {
        auto socket = *net::Socket::open(net::Family::v4);
        (void)socket.connect(net::Address::v4({127, 0, 0, 1}, server_));
        pollfd wait{socket.fd(), POLLOUT, 0};
        (void)::poll(&wait, 1, -1);
        (void)socket.finish_connect();
        return socket;
    }
    static void pass(Pair& pair, net::Socket& from, net::Socket& to) {
        std::array<char, 16'384> bytes{};
        const net::Io got = from.read(bytes);
        if (got.kind == net::IoKind::would_block) return;
        std::string_view text{bytes.data(), got.bytes};
        if (!text.empty() && &from == &pair.server && !std::exchange(pair.greeted, true)) {
            // Four bytes of header, one of the version, its text with a zero, then the id.
            const std::size_t id = text.find('\0', 5) + 1;
            bytes[id] = static_cast<char>(bytes[id] ^ 0x55);
        }
        pair.open = got.kind == net::IoKind::done && to.write(text).bytes == text.size();
    }

    std::uint16_t server_;
    live::Listener listener_;
    net::Socket wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::list<Pair> pairs_;
    std::jthread thread_{[this](const std::stop_token& stop) { serve(stop); }};
};

class MariadbSessionLock : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        if (live::Mariadb::missing().empty()) server = std::make_unique<live::Mariadb>();
    }
    static void TearDownTestSuite() { server.reset(); }
    void SetUp() override {
        if (!server) GTEST_SKIP() << live::Mariadb::missing();
        server->sql("install soname 'metadata_lock_info'; drop table if exists thing; "
                    "create table thing (id integer)");
    }
    void TearDown() override {
        if (server) server->sql("uninstall soname 'metadata_lock_info'");
    }
    static std::string url(std::uint16_t port, std::string_view parameters = {}) {
        return "mariadb://root@127.0.0.1:" + std::to_string(port) + "/test" +
               std::string{parameters};
    }
    static std::string locks() {
        return server->sql("select count(*) from information_schema.metadata_lock_info "
                           "where table_schema like 'perdure-%'");
    }
    // A transaction, and how many named locks of ours the server knows meanwhile.
    static std::string locks_during_a_transaction(const std::string& at) {
        Database database{*mariadb(at)};
        const auto seen = transact(database, {}, [](Transaction& tx) -> Result<std::string> {
            PERDURE_TRY(tx.execute("insert into thing values (1)"));
            return locks();
        });
        EXPECT_TRUE(seen) << to_string(seen.error());
        return seen.value_or("");
    }

    inline static std::unique_ptr<live::Mariadb> server;
};

TEST_F(MariadbSessionLock, is_taken_on_a_direct_connection) {
    EXPECT_EQ(locks_during_a_transaction(url(server->port())), "1");
}

TEST_F(MariadbSessionLock, is_not_taken_through_a_proxy) {
    const ProxyWithOwnIds proxy{server->port()};
    EXPECT_EQ(locks_during_a_transaction(url(proxy.port())), "0");
    EXPECT_EQ(server->sql("select count(*) from thing"), "1");
}

TEST_F(MariadbSessionLock, is_taken_through_a_proxy_if_it_is_asked_for) {
    const ProxyWithOwnIds proxy{server->port()};
    EXPECT_EQ(locks_during_a_transaction(url(proxy.port(), "?session-lock=always")), "1");
}

TEST_F(MariadbSessionLock, is_never_taken_if_that_is_asked_for) {
    EXPECT_EQ(locks_during_a_transaction(url(server->port(), "?session-lock=never")), "0");
}

std::set<int> sockets() {
    std::set<int> found;
    for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) {
        const int fd = std::stoi(entry.path().filename().string());
        struct stat about{};
        if (::fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode)) found.insert(fd);
    }
    return found;
}

TEST_F(MariadbSessionLock, s_socket_is_closed_when_the_process_runs_another_program) {
    const std::set<int> before = sockets();
    const std::string by_file =
        "mariadb://root@/test?socket=" + server->socket();  // connects without a wait
    for (const std::string& at : {url(server->port()), by_file}) {
        Database database{*mariadb(at)};
        ASSERT_TRUE(database.query("select 1"));
        int ours = 0;
        for (const int fd : sockets()) {
            if (before.contains(fd)) continue;
            ++ours;
            EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << at;
        }
        EXPECT_EQ(ours, 1) << at;
    }
}

}  // namespace
}  // namespace perdure::sql

// SPDX-License-Identifier: Apache-2.0
#include "live/support/network_namespace.hpp"

#include <cassert>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "live/support/process.hpp"

namespace perdure::live {
namespace {

std::vector<std::string> words_of(const std::string& command) {
    std::istringstream words{command};
    return {std::istream_iterator<std::string>{words}, {}};
}

}  // namespace

NetworkNamespace::NetworkNamespace() {
    if (::geteuid() != 0) {
        missing_ = "a network namespace needs root";
        return;
    }
    for (const char* program : {"ip", "nft"})
        if (find_program(program).empty()) missing_ = std::string{program} + " is not installed";
    if (!missing_.empty()) return;
    static int count = 0;
    // Interfaces have names of at most 15 characters.
    const std::string number = std::to_string(::getpid()) + "n" + std::to_string(++count);
    name_ = "prd" + number;
    net_ = "10.231." + std::to_string((::getpid() + 64 * count) % 256) + ".";
    const std::string near = "pdn" + number, far = "pdf" + number;
    const std::string in = "netns exec " + name_ + " ip ";
    (void)all({"ip netns add " + name_,
               "ip link add " + near + " type veth peer name " + far + " netns " + name_,
               "ip address add " + host("1/30") + " dev " + near, "ip link set " + near + " up",
               "ip " + in + "address add " + host("2/30") + " dev " + far,
               "ip " + in + "link set " + far + " up", "ip " + in + "link set lo up",
               // Other tests may have the same network for a black hole: each its own address.
               "ip route add " + black_hole(0).host() + "/32 via " + host("2"),
               "ip " + in + "route add blackhole 198.18.0.0/15"});
}

NetworkNamespace::~NetworkNamespace() {
    // The cable and the route go with it.
    if (!name_.empty()) run({find_program("ip"), "netns", "delete", name_});
}

bool NetworkNamespace::all(std::initializer_list<std::string> commands) {
    for (const std::string& command : commands) {
        std::vector<std::string> words = words_of(command);
        words.front() = find_program(words.front());
        std::string log;
        if (run(words, &log) == 0) continue;
        missing_ = "refused here: " + command + ": " + log;
        return false;
    }
    return true;
}

net::Address NetworkNamespace::address(std::uint16_t port) const {
    return *net::Address::parse(host("2"), port);
}

net::Address NetworkNamespace::near_address(std::uint16_t port) const {
    return *net::Address::parse(host("1"), port);
}

net::Address NetworkNamespace::black_hole(std::uint16_t port) const {
    return *net::Address::parse("198.18." + net_.substr(7) + "1", port);
}

void NetworkNamespace::within(const std::function<void()>& what) const {
    std::thread inside{[&] {
        const int there = ::open(("/run/netns/" + name_).c_str(), O_RDONLY | O_CLOEXEC);
        if (::setns(there, CLONE_NEWNET) != 0) std::abort();
        ::close(there);
        what();
    }};
    inside.join();
}

void NetworkNamespace::drop_packets() {
    const std::string nft = "ip netns exec " + name_ + " " + find_program("nft") + " ";
    (void)all(
        {nft + "add table ip perdure",
         nft + "add chain ip perdure in { type filter hook input priority 0 ; policy drop ; }"});
}

void NetworkNamespace::pass_packets() {
    (void)all({"ip netns exec " + name_ + " " + find_program("nft") + " delete table ip perdure"});
}

}  // namespace perdure::live

// SPDX-License-Identifier: Apache-2.0
#include "net/tls_wire.hpp"

#include <cstddef>
#include <span>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

TlsWire& wire_of(BIO* bio) { return *static_cast<TlsWire*>(BIO_get_data(bio)); }

int report(TlsWire& wire, Io io, std::size_t* moved) {
    *moved = io.bytes;
    if (io.kind == IoKind::failed) wire.error = io.error;
    if (io.kind == IoKind::closed) wire.ended = true;
    return io.kind == IoKind::done ? 1 : 0;
}

int read_wire(BIO* bio, char* into, std::size_t size, std::size_t* moved) {
    if (wire_of(bio).reads_left-- <= 0) {
        wire_of(bio).paused = true;
        BIO_clear_retry_flags(bio);
        BIO_set_retry_read(bio);
        *moved = 0;
        return 0;
    }
    const Io io = wire_of(bio).socket.read(std::span{into, size});
    BIO_clear_retry_flags(bio);
    if (io.kind == IoKind::would_block) BIO_set_retry_read(bio);
    return report(wire_of(bio), io, moved);
}

int write_wire(BIO* bio, const char* from, std::size_t size, std::size_t* moved) {
    const Io io = wire_of(bio).socket.write(std::string_view{from, size});
    BIO_clear_retry_flags(bio);
    if (io.kind == IoKind::would_block) BIO_set_retry_write(bio);
    return report(wire_of(bio), io, moved);
}

long control_wire(BIO* bio, int what, long, void*) {
    switch (what) {
        case BIO_CTRL_FLUSH: return 1;
        // OpenSSL asks, and then tells an end without a goodbye from one with it.
        case BIO_CTRL_EOF: return wire_of(bio).ended ? 1 : 0;
        default: return 0;
    }
}

BIO_METHOD* make_method() {
    BIO_METHOD* const method =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "perdure socket");
    if (!method) return nullptr;
    BIO_meth_set_read_ex(method, read_wire);
    BIO_meth_set_write_ex(method, write_wire);
    BIO_meth_set_ctrl(method, control_wire);
    return method;
}

}  // namespace

BIO* bio_over(TlsWire& wire) {
    // Never freed: streams with static lifetime may outlive any order of destruction we choose.
    static const BIO_METHOD* const method = make_method();
    BIO* const bio = method ? BIO_new(method) : nullptr;
    if (!bio) return nullptr;
    BIO_set_data(bio, &wire);
    BIO_set_init(bio, 1);
    return bio;
}

}  // namespace net
}  // namespace v0
}  // namespace perdure

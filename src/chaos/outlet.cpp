// SPDX-License-Identifier: Apache-2.0
#include "chaos/outlet.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace chaos {

void Outlet::push(std::string_view bytes, const Pace& pace) {
    if (bytes.empty()) return;
    size_ += bytes.size();
    if (!parts_.empty() && parts_.back().pace == pace) return void(parts_.back().bytes += bytes);
    parts_.push_back({.bytes = std::string{bytes}, .pace = pace});
}

void Outlet::clear() noexcept {
    parts_.clear();
    size_ = 0;
}

TimePoint Outlet::due() const noexcept {
    if (parts_.empty()) return TimePoint::max();
    const Pace& pace = parts_.front().pace;
    return pace.piece == 0 ? pace.due : std::max(pace.due, next_drop_);
}

bool Outlet::last_write(TimePoint now) const noexcept {
    if (parts_.size() != 1 || due() > now) return false;
    const Part& part = parts_.front();
    return part.pace.piece == 0 || part.bytes.size() - part.sent <= part.pace.piece;
}

net::IoKind Outlet::flush(net::Socket& socket, TimePoint now) {
    while (!parts_.empty() && due() <= now) {
        Part& part = parts_.front();
        std::string_view rest = std::string_view{part.bytes}.substr(part.sent);
        if (part.pace.piece > 0) rest = rest.substr(0, part.pace.piece);
        const net::Io io = socket.write(rest);
        if (io.kind != net::IoKind::done) return io.kind;
        if (part.pace.piece > 0) next_drop_ = now + part.pace.every;
        part.sent += io.bytes;
        written_ += io.bytes;
        size_ -= io.bytes;
        if (part.sent == part.bytes.size()) parts_.pop_front();
    }
    return net::IoKind::done;
}

}  // namespace chaos
}  // namespace v0
}  // namespace perdure

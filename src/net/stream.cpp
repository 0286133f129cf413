// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/stream.hpp"

#include "perdure/net/waker.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

Waker::~Waker() = default;
Stream::~Stream() = default;

namespace {

class PlainStream final : public Stream {
public:
    explicit PlainStream(Socket socket) noexcept : socket_{std::move(socket)} {}

    Io handshake() override { return {}; }
    Io read(std::span<char> into) override {
        blocked_on_ = Ready::read;
        return socket_.read(into);
    }
    Io write(std::string_view bytes) override {
        blocked_on_ = Ready::write;
        return socket_.write(bytes);
    }
    [[nodiscard]] Ready blocked_on() const noexcept override { return blocked_on_; }
    [[nodiscard]] bool quiet() override { return socket_.quiet(); }
    [[nodiscard]] std::string_view trouble() const noexcept override { return {}; }
    [[nodiscard]] int fd() const noexcept override { return socket_.fd(); }
    void reset() noexcept override { socket_.reset(); }

private:
    Socket socket_;
    Ready blocked_on_ = Ready::read;
};

}  // namespace

std::unique_ptr<Stream> plain_stream(Socket socket) {
    return std::make_unique<PlainStream>(std::move(socket));
}

}  // namespace net
}  // namespace v0
}  // namespace perdure

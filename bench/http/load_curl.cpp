// SPDX-License-Identifier: Apache-2.0
//
// libcurl as its documentation tells one to use it for many small requests: handles are kept, so are
// their connections, and the body is not announced by "Expect".
#include <algorithm>

#include <curl/curl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "load.hpp"

namespace bench {
namespace {

// One easy handle with its request. Used by one thread.
class Easy {
public:
    explicit Easy(const Load& load) {
        headers_ = curl_slist_append(headers_, "Expect:");
        headers_ =
            curl_slist_append(headers_, ("content-type: " + std::string{content_type}).c_str());
        for (const auto& [name, value] : fields)
            headers_ =
                curl_slist_append(headers_, std::string{name}.append(": ").append(value).c_str());
        set(CURLOPT_URL, (load.origin + std::string{target}).c_str());
        set(CURLOPT_HTTPHEADER, headers_);
        set(CURLOPT_POSTFIELDS, body_.c_str());
        set(CURLOPT_POSTFIELDSIZE, static_cast<long>(body_.size()));
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_NOPROXY, "*");
        set(CURLOPT_TIMEOUT_MS, 10'000L);
        set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
        set(CURLOPT_PRIVATE, this);
        set(CURLOPT_WRITEDATA, this);
        set(
            CURLOPT_WRITEFUNCTION, +[](char* bytes, std::size_t, std::size_t many, void* self) {
                static_cast<Easy*>(self)->answer_.append(bytes, many);
                return many;
            });
        if (!load.ca_file.empty()) set(CURLOPT_CAINFO, load.ca_file.c_str());
    }
    Easy(const Easy&) = delete;
    Easy& operator=(const Easy&) = delete;
    ~Easy() {
        curl_easy_cleanup(handle_);
        curl_slist_free_all(headers_);
    }

    void begin(const Tally& tally) {
        answer_.clear();
        began_ = tally.now();
    }
    void ended(CURLcode code, Tally& tally) {
        if (code != CURLE_OK) give_up("libcurl", curl_easy_strerror(code));
        long status = 0;
        curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
        tally.answered(began_, "libcurl", static_cast<int>(status), answer_.size());
    }
    [[nodiscard]] CURL* handle() const noexcept { return handle_; }

private:
    template <class T>
    void set(CURLoption option, T value) {
        if (curl_easy_setopt(handle_, option, value) != CURLE_OK) give_up("libcurl", "an option");
    }
    CURL* handle_ = curl_easy_init();
    curl_slist* headers_ = nullptr;
    std::string body_ = request_body();
    std::string answer_{};
    perdure::TimePoint began_{};
};

class One final : public LoadClient {
public:
    explicit One(const Load& load) : easy_{load} {}
    void run(std::uint64_t requests, Tally& tally) override {
        for (std::uint64_t i = 0; i < requests; ++i) {
            easy_.begin(tally);
            easy_.ended(curl_easy_perform(easy_.handle()), tally);
        }
    }

private:
    Easy easy_;
};

// Through the socket interface on an epoll of our own, which is the fastest way libcurl offers.
class Many final : public LoadClient {
public:
    explicit Many(const Load& load) {
        curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(load.connections));
        curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
        curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Many::watch);
        curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
        curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Many::set_timer);
        for (int i = 0; i < load.connections; ++i) easies_.push_back(std::make_unique<Easy>(load));
    }
    ~Many() override {
        easies_.clear();
        curl_multi_cleanup(multi_);
        ::close(epoll_);
    }

    void run(std::uint64_t requests, Tally& tally) override {
        left_ = requests;
        const std::uint64_t enough = tally.answers() + requests;
        for (auto& easy : easies_) start(*easy, tally);
        while (tally.answers() < enough) {
            step();
            collect(tally);
        }
    }

private:
    void start(Easy& easy, const Tally& tally) {
        if (left_ == 0) return;
        --left_;
        easy.begin(tally);
        curl_multi_add_handle(multi_, easy.handle());
    }
    void step() {
        epoll_event events[64];
        const auto now = clock_.now();
        const bool armed = timer_ != perdure::TimePoint::max();
        const auto wait = armed ? std::max<perdure::Duration>(timer_ - now, {})
                                : perdure::Duration{10'000'000'000};
        const int many = ::epoll_wait(epoll_, events, 64,
                                      static_cast<int>((wait.count() + 999'999) / 1'000'000));
        int running = 0;
        for (int i = 0; i < many; ++i) {
            const int what =
                ((events[i].events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                ((events[i].events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                ((events[i].events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
            curl_multi_socket_action(multi_, events[i].data.fd, what, &running);
        }
        if (armed && clock_.now() >= timer_) {
            timer_ = perdure::TimePoint::max();
            curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
        }
    }
    void collect(Tally& tally) {
        int more = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi_, &more)) {
            if (message->msg != CURLMSG_DONE) continue;
            const CURLcode code = message->data.result;
            Easy* easy = nullptr;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &easy);
            curl_multi_remove_handle(multi_, easy->handle());
            easy->ended(code, tally);
            start(*easy, tally);
        }
    }
    static int watch(CURL*, curl_socket_t fd, int what, void* who, void* known) {
        auto& self = *static_cast<Many*>(who);
        epoll_event event{};
        event.data.fd = fd;
        if ((what & CURL_POLL_IN) != 0 && what != CURL_POLL_REMOVE) event.events |= EPOLLIN;
        if ((what & CURL_POLL_OUT) != 0 && what != CURL_POLL_REMOVE) event.events |= EPOLLOUT;
        const int how = what == CURL_POLL_REMOVE ? EPOLL_CTL_DEL
                        : known                  ? EPOLL_CTL_MOD
                                                 : EPOLL_CTL_ADD;
        ::epoll_ctl(self.epoll_, how, fd, &event);
        if (how == EPOLL_CTL_ADD) curl_multi_assign(self.multi_, fd, &self);
        return 0;
    }
    static int set_timer(CURLM*, long milliseconds, void* who) {
        auto& self = *static_cast<Many*>(who);
        self.timer_ = milliseconds < 0
                          ? perdure::TimePoint::max()
                          : self.clock_.now() + std::chrono::milliseconds{milliseconds};
        return 0;
    }

    perdure::Clock& clock_ = perdure::system_clock();
    CURLM* multi_ = curl_multi_init();
    int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    perdure::TimePoint timer_ = perdure::TimePoint::max();
    std::vector<std::unique_ptr<Easy>> easies_{};
    std::uint64_t left_ = 0;
};

}  // namespace

std::unique_ptr<LoadClient> make_curl_easy(const Load& load) { return std::make_unique<One>(load); }
std::unique_ptr<LoadClient> make_curl_multi(const Load& load) {
    return std::make_unique<Many>(load);
}

}  // namespace bench

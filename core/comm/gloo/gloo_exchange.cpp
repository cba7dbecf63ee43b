#include "core/comm/gloo/gloo_exchange.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>

#include "core/comm/completion.h"
#include "core/comm/gloo/gloo_waits.h"

namespace dasgd {

namespace {

// The tag that c10d sees; those of GlooMessages are others.
constexpr int kRowTag = 2;

}  // namespace

class GlooExchanges::Impl {
public:
    Impl(c10::intrusive_ptr<c10d::ProcessGroupGloo> backend, std::shared_ptr<std::mutex> launching)
        : backend_(std::move(backend)), launching_(std::move(launching)) {}

    ~Impl() {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
            for (const Exchange& exchange : exchanges_) {
                for (const auto& work : exchange.works) work->abort();
            }
        }
        condition_.notify_all();
        if (thread_.joinable()) thread_.join();
    }

    void start(std::vector<at::Tensor> from, const std::vector<at::Tensor>& into,
               std::function<void(const std::string&)> ended) {
        {
            const std::lock_guard lock(mutex_);
            Exchange& exchange = exchanges_.emplace_back();
            exchange.ended = std::move(ended);
            exchange.from = std::move(from);
            const std::lock_guard launching(*launching_);
            forPeers(into, [&](std::vector<at::Tensor>& row, int peer) {
                exchange.works.push_back(backend_->recv(row, peer, kRowTag));
            });
            if (!thread_.joinable()) thread_ = std::thread([this] { carryAll(); });
        }
        condition_.notify_all();
    }

private:
    struct Exchange {
        std::vector<at::Tensor> from;
        GlooWorks works;
        std::function<void(const std::string&)> ended;
    };

    // Begins with the next rank, so that not all send to the same.
    template <class Take>
    void forPeers(const std::vector<at::Tensor>& rows, Take take) const {
        const int own = backend_->getRank(), size = backend_->getSize();
        for (int i = 1; i < size; ++i) {
            const int peer = (own + i) % size;
            std::vector<at::Tensor> row{rows[static_cast<std::size_t>(peer)]};
            if (row[0].numel() > 0) take(row, peer);
        }
    }

    void carryAll() {
        std::unique_lock lock(mutex_);
        while (true) {
            condition_.wait(lock, [&] { return closing_ || !exchanges_.empty(); });
            if (exchanges_.empty()) return;
            std::string why = send(exchanges_.front());
            const GlooWorks works = exchanges_.front().works;
            lock.unlock();
            if (why.empty()) why = awaitAll(works);
            lock.lock();
            const Exchange ended = std::move(exchanges_.front());
            exchanges_.pop_front();
            if (!why.empty()) unfinished_.insert(unfinished_.end(), ended.works.begin(), ended.works.end());
            lock.unlock();
            ended.ended(why);
            lock.lock();
        }
    }

    // Returns "" or what failed. Call with the mutex held.
    std::string send(Exchange& exchange) {
        if (closing_) return std::string(kClosed);
        try {
            const std::lock_guard launching(*launching_);
            forPeers(exchange.from, [&](std::vector<at::Tensor>& row, int peer) {
                exchange.works.push_back(backend_->send(row, peer, kRowTag));
            });
            return {};
        } catch (const std::exception& error) {
            return firstLine(error);
        }
    }

    // Gloo may still write to rows that were given up, so they are kept until the connections are closed.
    GlooWorks unfinished_;
    c10::intrusive_ptr<c10d::ProcessGroupGloo> backend_;
    const std::shared_ptr<std::mutex> launching_;
    std::mutex mutex_;
    std::condition_variable condition_;
    std::deque<Exchange> exchanges_;  // under way, in the order of their launches
    std::thread thread_;              // starts with the first
    bool closing_ = false;
};

GlooExchanges::GlooExchanges(c10::intrusive_ptr<c10d::ProcessGroupGloo> backend, std::shared_ptr<std::mutex> launching)
    : impl_(std::make_unique<Impl>(std::move(backend), std::move(launching))) {}
GlooExchanges::~GlooExchanges() = default;

void GlooExchanges::start(std::vector<at::Tensor> from, const std::vector<at::Tensor>& into,
                          std::function<void(const std::string& failure)> ended) {
    impl_->start(std::move(from), into, std::move(ended));
}

}  // namespace dasgd

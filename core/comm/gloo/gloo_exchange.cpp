#include "core/comm/gloo/gloo_exchange.h"

#include <utility>

namespace dasgd {

namespace {

// The tag that c10d sees; those of GlooMessages are others.
constexpr int kRowTag = 2;

// Calls take(row, peer) for the rows that are not empty, from the next rank on, so that not all send to the same.
template <class Take>
void forPeers(const c10d::ProcessGroupGloo& backend, const std::vector<at::Tensor>& rows, Take take) {
    for (int i = 1; i < backend.getSize(); ++i) {
        const int peer = (backend.getRank() + i) % backend.getSize();
        std::vector<at::Tensor> row{rows[static_cast<std::size_t>(peer)]};
        if (row[0].numel() > 0) take(row, peer);
    }
}

}  // namespace

GlooExchanges::GlooExchanges(c10::intrusive_ptr<c10d::ProcessGroupGloo> backend, std::shared_ptr<std::mutex> launching)
    : backend_(std::move(backend)), launching_(std::move(launching)) {}

GlooExchanges::~GlooExchanges() {
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

void GlooExchanges::start(std::vector<at::Tensor> from, const std::vector<at::Tensor>& into,
                          std::function<void(const std::string& failure)> ended) {
    {
        const std::lock_guard lock(mutex_);
        Exchange exchange{.from = std::move(from), .works = {}, .ended = std::move(ended)};
        {
            const std::lock_guard launching(*launching_);
            forPeers(*backend_, into, [&](std::vector<at::Tensor>& row, int peer) {
                exchange.works.push_back(backend_->recv(row, peer, kRowTag));
            });
        }
        exchanges_.push_back(std::move(exchange));
        if (!thread_.joinable()) thread_ = std::thread([this] { carryAll(); });
    }
    condition_.notify_all();
}

void GlooExchanges::carryAll() {
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
        if (!why.empty()) unfinished_.insert(unfinished_.end(), works.begin(), works.end());
        lock.unlock();
        ended.ended(why);
        lock.lock();
    }
}

std::string GlooExchanges::send(Exchange& exchange) {
    if (closing_) return kClosed;
    try {
        const std::lock_guard launching(*launching_);
        forPeers(*backend_, exchange.from, [&](std::vector<at::Tensor>& row, int peer) {
            exchange.works.push_back(backend_->send(row, peer, kRowTag));
        });
        return {};
    } catch (const std::exception& error) {
        return firstLine(error);
    }
}

}  // namespace dasgd

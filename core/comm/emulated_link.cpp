#include "core/comm/emulated_link.h"

#include <algorithm>
#include <cmath>

namespace dasgd {

double ringAllReduceSeconds(const Link& link, std::int64_t bytes, int ranks) {
    const double p = ranks;
    return 2 * (p - 1) * link.latencyS + 2 * static_cast<double>(bytes) * (p - 1) / p / link.bytesPerSecond;
}

double allGatherSeconds(const Link& link, std::int64_t bytesEach, int ranks) {
    return (ranks - 1) * messageSeconds(link, bytesEach);
}

double broadcastSeconds(const Link& link, std::int64_t bytes, int ranks) {
    return std::ceil(std::log2(ranks)) * messageSeconds(link, bytes);
}

double messageSeconds(const Link& link, std::int64_t bytes) {
    return link.latencyS + static_cast<double>(bytes) / link.bytesPerSecond;
}

namespace {

class EmulatedOperation final : public Pending::Operation {
public:
    EmulatedOperation(Pending inner, std::shared_ptr<EmulatedOperation> before, Ns launched, Ns duration, Clock& clock)
        : inner_(std::move(inner)), before_(std::move(before)), duration_(duration), clock_(clock) {
        interval_.start = launched;
    }

    void wait() override {
        resolve();
        clock_.sleepUntil(interval_.end);
    }
    bool done() override {
        if (!resolved_ && ((before_ && !before_->done()) || !inner_.done())) return false;
        resolve();
        return clock_.now() >= interval_.end;
    }
    Interval interval() override { return interval_; }

private:
    // The transfer starts when the last rank has arrived, which the end of the real collective tells.
    void resolve() {
        if (resolved_) return;
        Ns free = 0;
        if (before_) {
            before_->resolve();
            free = before_->interval_.end;
            before_.reset();
        }
        inner_.wait();
        interval_.start = std::max(interval_.start, free);
        interval_.end = std::max(inner_.interval().end, free) + duration_;
        resolved_ = true;
    }

    Pending inner_;
    std::shared_ptr<EmulatedOperation> before_;
    Ns duration_;
    Clock& clock_;
    Interval interval_;
    bool resolved_ = false;
};

class EmulatedLink final : public Communicator {
public:
    EmulatedLink(std::unique_ptr<Communicator> inner, const Link& link, Clock& clock)
        : Communicator(inner->rank(), inner->size()), inner_(std::move(inner)), link_(link), clock_(clock) {}

    Pending allReduce(at::Tensor& tensor, Reduce op) override {
        const double seconds = ringAllReduceSeconds(link_, bytesOf(tensor), size());
        return slowDown([&] { return inner_->allReduce(tensor, op); }, seconds);
    }
    Pending allGather(const at::Tensor& in, at::Tensor& out) override {
        const double seconds = allGatherSeconds(link_, bytesOf(in), size());
        return slowDown([&] { return inner_->allGather(in, out); }, seconds);
    }
    Pending broadcast(at::Tensor& tensor, Rank root) override {
        const double seconds = broadcastSeconds(link_, bytesOf(tensor), size());
        return slowDown([&] { return inner_->broadcast(tensor, root); }, seconds);
    }
    Pending send(const at::Tensor& tensor, Rank to, int tag) override {
        return slowDown([&] { return inner_->send(tensor, to, tag); }, messageSeconds(link_, bytesOf(tensor)));
    }
    Pending receive(at::Tensor& tensor, Rank from, int tag) override {
        return slowDown([&] { return inner_->receive(tensor, from, tag); }, messageSeconds(link_, bytesOf(tensor)));
    }

private:
    static std::int64_t bytesOf(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

    template <class Start>
    Pending slowDown(Start start, double seconds) {
        const std::int64_t before = inner_->bytesSent();
        const Ns launched = clock_.now();
        Pending inner = start();
        countSent(inner_->bytesSent() - before);
        const std::uint64_t collective = inner.collective();
        const double alone = size() == 1 ? 0 : seconds;
        last_ = std::make_shared<EmulatedOperation>(std::move(inner), last_, launched,
                                                    static_cast<Ns>(std::llround(alone * 1e9)), clock_);
        return Pending(last_, collective);
    }

    std::unique_ptr<Communicator> inner_;
    Link link_;
    Clock& clock_;
    std::shared_ptr<EmulatedOperation> last_;
};

}  // namespace

std::unique_ptr<Communicator> emulateLink(std::unique_ptr<Communicator> inner, const Link& link, Clock& clock) {
    return std::make_unique<EmulatedLink>(std::move(inner), link, clock);
}

}  // namespace dasgd

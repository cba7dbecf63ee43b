#include "core/datasets/loader.h"

#include <c10/util/ParallelGuard.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

namespace dasgd {

namespace {

Batch joined(std::vector<Batch> parts) {
    if (parts.empty()) return {};
    if (parts.size() == 1) return std::move(parts[0]);
    const auto all = [&](at::Tensor Batch::*field) {
        if (!(parts.front().*field).defined()) return at::Tensor();
        std::vector<at::Tensor> tensors;
        for (const Batch& part : parts) tensors.push_back(part.*field);
        return torch::cat(tensors);
    };
    return {all(&Batch::inputs), all(&Batch::targets), all(&Batch::indices), all(&Batch::weights)};
}

Batch slicedBatch(const Batch& batch, std::int64_t begin, std::int64_t end) {
    const auto part = [&](const at::Tensor& whole) { return whole.defined() ? whole.slice(0, begin, end) : whole; };
    return {part(batch.inputs), part(batch.targets), part(batch.indices), part(batch.weights)};
}

}  // namespace

BatchLoader::BatchLoader(const Samples& samples, at::ScalarType type, NextOrder next)
    : samples_(samples), type_(type), next_(std::move(next)) {
    for (int i = 0; i < samples_.loading.threads; ++i) threads_.emplace_back([this] { work(); });
    try {
        orderAhead();
    } catch (...) {
        stop();
        throw;
    }
}

BatchLoader::~BatchLoader() { stop(); }

void BatchLoader::stop() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
        queue_.clear();
    }
    ordered_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

Batch BatchLoader::make(const BatchOrder& order) const {
    Batch batch = makeBatch(samples_, order.indices, type_, order.seed);
    if (order.weights.defined()) batch.weights = order.weights.to(type_);
    return batch;
}

void BatchLoader::orderAhead() {
    if (threads_.empty()) return;
    while (std::ssize(ahead_) < samples_.loading.ahead) {
        std::optional<BatchOrder> order = next_();
        if (!order) return;
        std::packaged_task<Batch()> task([this, order = std::move(*order)] { return make(order); });
        ahead_.push_back(task.get_future());
        {
            const std::lock_guard lock(mutex_);
            queue_.push_back(std::move(task));
        }
        ordered_.notify_one();
    }
}

void BatchLoader::work() {
    // Each thread uses one core: the others compute the step.
    const c10::ParallelGuard serial(true);
    while (true) {
        std::packaged_task<Batch()> task;
        {
            std::unique_lock lock(mutex_);
            ordered_.wait(lock, [this] { return ended_ || !queue_.empty(); });
            if (ended_) return;
            task = std::move(queue_.front());
            queue_.pop_front();
        }
        task();
    }
}

std::optional<Batch> BatchLoader::takeOrdered() {
    if (threads_.empty()) {
        const std::optional<BatchOrder> order = next_();
        return order ? std::optional(make(*order)) : std::nullopt;
    }
    if (ahead_.empty()) return std::nullopt;
    std::future<Batch> first = std::move(ahead_.front());
    ahead_.pop_front();
    orderAhead();
    return first.get();
}

std::optional<Batch> BatchLoader::take() {
    while (true) {
        std::optional<Batch> batch = takeOrdered();
        if (!batch || batch->targets.size(0) > 0) return batch;
    }
}

Batch BatchLoader::take(std::int64_t count) {
    std::vector<Batch> parts;
    for (std::int64_t needed = count; needed > 0;) {
        if (!rest_.targets.defined()) {
            std::optional<Batch> more = take();
            if (!more) break;
            rest_ = std::move(*more);
        }
        const std::int64_t there = rest_.targets.size(0);
        const std::int64_t used = std::min(needed, there);
        parts.push_back(used == there ? rest_ : slicedBatch(rest_, 0, used));
        rest_ = used == there ? Batch{} : slicedBatch(rest_, used, there);
        needed -= used;
    }
    return joined(std::move(parts));
}

}  // namespace dasgd

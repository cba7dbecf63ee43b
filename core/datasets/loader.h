// Makes batches ahead of their use, on threads of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/datasets/samples.h"

namespace dasgd {

// Samples of a batch, and the seed of all random numbers drawn for it.
struct BatchOrder {
    at::Tensor indices;  // int64 [B]
    std::uint64_t seed = 0;
    at::Tensor weights = {};  // Batch::weights: float64 [B], or undefined
};

// Batches in the order in which `next` gives them. Neither order nor content depends on the number of threads
// (Samples::loading): random numbers depend on the batch's seed alone. Owner: one thread, on which `next` is called, so
// many batches ahead of the one that is taken.
class BatchLoader {
public:
    // Empty where there are no more batches.
    using NextOrder = std::function<std::optional<BatchOrder>()>;

    BatchLoader(const Samples& samples, at::ScalarType type, NextOrder next);
    ~BatchLoader();
    BatchLoader(const BatchLoader&) = delete;
    BatchLoader& operator=(const BatchLoader&) = delete;

    // The next batch as `next` ordered it; waits where it is not ready. A batch in which damage left no sample is
    // skipped. Rethrows the exception with which making it failed: DataError.
    [[nodiscard]] std::optional<Batch> take();
    // The next `count` samples, put together from parts of batches where the batches have other sizes; fewer at the
    // end.
    [[nodiscard]] Batch take(std::int64_t count);

private:
    [[nodiscard]] Batch make(const BatchOrder& order) const;
    [[nodiscard]] std::optional<Batch> takeOrdered();
    void orderAhead();
    void work();
    void stop();

    const Samples samples_;
    const at::ScalarType type_;
    NextOrder next_;
    Batch rest_;                            // rest of the batch that was taken last
    std::deque<std::future<Batch>> ahead_;  // used by the owner alone

    std::mutex mutex_;
    std::condition_variable ordered_;
    std::deque<std::packaged_task<Batch()>> queue_;  // guarded by mutex_
    bool ended_ = false;                             // guarded by mutex_
    std::vector<std::thread> threads_;
};

}  // namespace dasgd

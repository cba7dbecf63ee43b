#include "core/train/steps/loss_queue.h"

#include <cmath>
#include <string>
#include <utility>

namespace dasgd {

void throwIfDiverged(const Metric& loss, Rank rank) {
    if (std::isfinite(loss.value)) return;
    throw Diverged("the training loss of rank " + std::to_string(rank.value()) + " is " +
                   (std::isnan(loss.value) ? "NaN" : "infinite") + " at step " + std::to_string(loss.step) +
                   ". A smaller learning rate, warm-up or a smaller delay usually helps.");
}

void LossQueue::push(const Metric& at, std::unique_ptr<LaterValue> loss) { entries_.push_back({at, std::move(loss)}); }

void LossQueue::read(std::size_t kept, const Record& record) {
    while (!entries_.empty() && (entries_.size() > kept || entries_.front().loss->ready())) {
        const Entry entry = std::move(entries_.front());
        entries_.pop_front();
        Metric metric = entry.at;
        metric.value = entry.loss->read();
        record(metric);
    }
}

}  // namespace dasgd

#include "core/train/loss_queue.h"

#include <utility>

namespace dasgd {

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

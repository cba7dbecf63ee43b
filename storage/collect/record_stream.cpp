#include "storage/collect/record_stream.h"

#include <algorithm>
#include <utility>

#include "core/journal/record_frame.h"

namespace dasgd::storage {

std::optional<RecordStream::Wanted> RecordStream::wanted() const {
    const std::lock_guard guard(mutex_);
    if (!begun_) return std::nullopt;
    return Wanted{round_, after_, committed_, waiting_ < kMostBytes};
}

RecordStream::Taken RecordStream::offer(std::uint64_t round, std::uint64_t after, std::string frame) {
    // Outside of the lock: frames are checked while the collector reads others.
    std::uint64_t first = 0, last = 0;
    const auto records = readRecords(frame, [&](const EventRecord& record) {
        if (first == 0) first = record.sequence;
        last = record.sequence;
    });
    if (!records || *records == 0 || first <= after) return Taken::Damaged;
    const std::lock_guard guard(mutex_);
    if (!begun_ || ended_ || round != round_ || after != after_ || waiting_ >= kMostBytes) return Taken::NotNow;
    waiting_ += frame.size();
    after_ = last;
    frames_.push_back({last, std::move(frame)});
    return Taken::Yes;
}

void RecordStream::end(std::uint64_t round, std::uint64_t after, std::string damage) {
    const std::lock_guard guard(mutex_);
    if (!begun_ || round != round_ || after != after_) return;
    ended_ = true;
    damage_ = std::move(damage);
}

bool RecordStream::hasEnded() const {
    const std::lock_guard guard(mutex_);
    return ended_;
}

bool RecordStream::isCommitted() const {
    const std::lock_guard guard(mutex_);
    return ended_ && committed_ == after_;
}

std::string RecordStream::damage() const {
    const std::lock_guard guard(mutex_);
    return ended_ ? damage_ : "";
}

StreamSource::StreamSource(std::shared_ptr<RecordStream> stream)
    : RecordSource(stream->rank()), stream_(std::move(stream)) {}

void StreamSource::startAfter(std::uint64_t sequence) {
    const std::lock_guard guard(stream_->mutex_);
    stream_->begun_ = true;
    stream_->ended_ = false;
    ++stream_->round_;
    stream_->after_ = stream_->read_ = stream_->committed_ = sequence;
    stream_->frames_.clear();
    stream_->waiting_ = 0;
}

Result<std::size_t> StreamSource::read(std::size_t limit, const std::function<void(const EventRecord&)>& take) {
    std::size_t taken = 0;
    while (taken < limit) {
        {
            const std::lock_guard guard(stream_->mutex_);
            if (stream_->frames_.empty()) break;
            RecordStream::Frame next = std::move(stream_->frames_.front());
            stream_->frames_.pop_front();
            stream_->waiting_ -= next.bytes.size();
            stream_->read_ = next.last;
            frame_ = std::move(next.bytes);
        }
        DASGD_ASSIGN(const std::size_t records, readRecords(frame_, take));
        taken += records;
    }
    return taken;
}

void StreamSource::release(std::uint64_t sequence) {
    const std::lock_guard guard(stream_->mutex_);
    stream_->committed_ = std::max(stream_->committed_, sequence);
}

std::string StreamSource::damage() const {
    const std::lock_guard guard(stream_->mutex_);
    if (stream_->ended_) return stream_->damage_;
    return "what rank " + std::to_string(rank()) + " recorded after number " + std::to_string(stream_->read_) +
           " has not arrived from its host; it is in the journal there";
}

}  // namespace dasgd::storage

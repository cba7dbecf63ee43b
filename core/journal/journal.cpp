#include "core/journal/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>

#include "core/base/check.h"
#include "core/base/log.h"
#include "core/journal/journal_format.h"
#include "core/journal/segment_file.h"

namespace dasgd {

namespace fs = std::filesystem;
using journal::Record;
using journal::RecordType;

namespace {

constexpr auto kHelperPause = std::chrono::milliseconds(10);
constexpr auto kRetryPause = std::chrono::milliseconds(200);
constexpr std::int32_t kMaxRanks = 1 << 20;

struct Segment {
    Record* slots = nullptr;
    std::uint64_t number = 0;
    Segment* nextRetired = nullptr;
};

struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

struct KnownName {
    std::uint32_t id = 0;
    std::uint64_t segment = std::numeric_limits<std::uint64_t>::max();  // where it was last spelled out
};

}  // namespace

class JournalWriter::Impl {
    class RankSink final : public EventSink, public NamedSpanSink {
    public:
        RankSink(Impl& journal, std::uint32_t rank) : journal_(journal), rank_(rank) {}
        void span(const Span& span) override { journal_.span(rank_, span); }
        void namedSpan(const Span& span, std::string_view name) override { journal_.span(rank_, span, name); }
        void metric(const Metric& metric) override { journal_.metric(rank_, metric); }
        void state(RankState state, std::int64_t step, std::string_view text) override {
            journal_.state(rank_, state, step, text);
        }

    private:
        Impl& journal_;
        const std::uint32_t rank_;
    };

public:
    Impl(fs::path directory, std::size_t slots, int lock)
        : directory_(std::move(directory)), slotsInSegment_(slots), lock_(lock) {}

    ~Impl() {
        {
            const std::lock_guard guard(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        if (helper_.joinable()) helper_.join();
        unmapRetired();
        for (auto& place : ready_) discard(place.exchange(nullptr));
        if (current_) unmap(current_);
        ::close(lock_);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Status start() {
        auto first = prepare();
        if (!first) return tl::unexpected<Error>(std::move(first).error());
        current_ = *first;
        helper_ = std::thread([this] { help(); });
        return {};
    }

    // Records a span; `name` is "" where it has none.
    void span(std::uint32_t rank, const Span& span, std::string_view name = {}) {
        Record record = recordOf(span, name.empty() ? 0 : spellFor(rank, name));
        writeRank(rank);
        append(record);
    }

    void metric(std::uint32_t rank, const Metric& metric) {
        Record record{.type = RecordType::Metric, .id = spellFor(rank, metric.name)};
        record.put(0, metric.step);
        record.put(1, metric.epoch);
        record.put(2, metric.wall);
        record.put(3, metric.samples);
        record.put(4, metric.bytesSent);
        record.put(5, metric.value);
        append(record);
    }

    void state(std::uint32_t rank, RankState state, std::int64_t step, std::string_view text) {
        Record record{.type = RecordType::State,
                      .a = static_cast<std::uint8_t>(state),
                      .id = static_cast<std::uint32_t>(text.size())};
        record.put(0, step);
        writeRank(rank);
        appendWithText(record, text);
    }

    EventSink& sinkOf(std::uint32_t rank) {
        while (sinks_.size() <= rank) sinks_.emplace_back(*this, static_cast<std::uint32_t>(sinks_.size()));
        return sinks_[rank];
    }

private:
    static Record recordOf(const Span& span, std::uint32_t name) {
        Record record{.type = RecordType::Span,
                      .a = static_cast<std::uint8_t>(span.lane),
                      .b = static_cast<std::uint8_t>(span.kind),
                      .id = name};
        record.put(0, span.step);
        record.put(1, span.start);
        record.put(2, span.end);
        record.put(3, span.bytes);
        record.put(4, span.collective);
        record.put(5, span.ranks);
        return record;
    }

    void append(Record& record) {
        if (slot_ == slotsInSegment_) nextSegment();
        record.seal = 0;
        const std::uint64_t seal = record.sealFor(++sequence_);
        Record& place = current_->slots[slot_++];
        std::memcpy(reinterpret_cast<std::byte*>(&place) + sizeof seal,
                    reinterpret_cast<const std::byte*>(&record) + sizeof seal, sizeof record - sizeof seal);
        std::atomic_ref(place.seal).store(seal, std::memory_order_release);
    }

    // `head` has room for 40 bytes of text after its first number; the rest follows in continuations.
    void appendWithText(Record& head, std::string_view text) {
        const std::size_t here = std::min(text.size(), journal::kInlineTextBytes);
        if (here > 0) std::memcpy(head.payload.data() + 8, text.data(), here);
        append(head);
        for (text.remove_prefix(here); !text.empty();) {
            Record more{.type = RecordType::Continuation};
            const std::size_t part = std::min(text.size(), journal::kPayloadBytes);
            std::memcpy(more.payload.data(), text.data(), part);
            append(more);
            text.remove_prefix(part);
        }
    }

    // Makes the next record one of `rank`. A segment begins with the journal's own rank.
    void writeRank(std::uint32_t rank) {
        if (slot_ == slotsInSegment_) nextSegment();
        while (writtenRank_ != rank) {
            Record record{.type = RecordType::Rank, .id = rank};
            append(record);
            writtenRank_ = rank;
            if (slot_ == slotsInSegment_) nextSegment();
        }
    }

    KnownName& knownName(std::string_view name) {
        const auto known = names_.find(name);
        if (known != names_.end()) return known->second;
        const auto id = static_cast<std::uint32_t>(names_.size() + 1);
        return names_.emplace(std::string(name), KnownName{.id = id}).first->second;
    }

    // The number of `name` in the segment that the next record, one of `rank`, goes into.
    std::uint32_t spellFor(std::uint32_t rank, std::string_view name) {
        name = name.substr(0, journal::kMaxNameBytes);
        KnownName& known = knownName(name);
        do {
            spell(known, name);
            writeRank(rank);  // may have moved on to a segment that does not know the name
        } while (known.segment != segmentOfNext());
        return known.id;
    }

    // Writes `name` out in the segment that the next record goes into.
    void spell(KnownName& known, std::string_view name) {
        while (known.segment != segmentOfNext()) {
            known.segment = segmentOfNext();
            Record head{.type = RecordType::Name, .id = known.id};
            head.put(0, static_cast<std::uint64_t>(name.size()));
            appendWithText(head, name);
        }
    }

    [[nodiscard]] std::uint64_t segmentOfNext() const { return sequence_ / (slotsInSegment_ - 1); }
    [[nodiscard]] std::size_t bytes() const { return slotsInSegment_ * journal::kSlotBytes; }

    void nextSegment() {
        Segment* next = ready_[taken_ % ready_.size()].exchange(nullptr, std::memory_order_acquire);
        if (!next) {
            std::unique_lock lock(mutex_);
            starved_ = true;
            wake_.notify_all();
            filled_.wait(lock, [&] {
                next = ready_[taken_ % ready_.size()].exchange(nullptr, std::memory_order_acquire);
                return next != nullptr;
            });
            starved_ = false;
        }
        ++taken_;
        current_->nextRetired = retired_.load(std::memory_order_relaxed);
        while (!retired_.compare_exchange_weak(current_->nextRetired, current_, std::memory_order_release)) {
        }
        current_ = next;
        slot_ = 1;
        writtenRank_ = journal::kOwnRank;
    }

    void help() {
        std::unique_lock lock(mutex_);
        while (!stop_) {
            lock.unlock();
            unmapRetired();
            const Status filled = fill();
            if (!filled && !reported_) logLine(LogLevel::Error, filled.error().message);
            reported_ = !filled;
            lock.lock();
            filled_.notify_all();
            if (filled) {
                wake_.wait_for(lock, kHelperPause, [&] { return stop_ || starved_; });
            } else {
                wake_.wait_for(lock, kRetryPause, [&] { return stop_; });
            }
        }
    }

    Status fill() {
        while (ready_[filledCount_ % ready_.size()].load(std::memory_order_acquire) == nullptr) {
            auto segment = prepare();
            if (!segment) return tl::unexpected<Error>(std::move(segment).error());
            ready_[filledCount_++ % ready_.size()].store(*segment, std::memory_order_release);
        }
        return {};
    }

    Result<Segment*> prepare() {
        journal::SegmentHeader header{.slots = slotsInSegment_, .number = prepared_};
        header.crc = header.rightCrc();
        DASGD_ASSIGN(const journal::MappedSegment mapped, journal::mapSegment(directory_, header, bytes()));
        if (mapped.lost && !std::exchange(removalReported_, true)) {
            logLine(LogLevel::Error, "the journal " + directory_.string() +
                                         " was removed while it was written: what is recorded from now on is lost");
        }
        return new Segment{.slots = static_cast<Record*>(mapped.memory), .number = prepared_++};
    }

    void unmap(Segment* segment) const {
        ::munmap(segment->slots, bytes());
        delete segment;
    }
    void unmapRetired() {
        for (Segment* segment = retired_.exchange(nullptr, std::memory_order_acquire); segment;) {
            unmap(std::exchange(segment, segment->nextRetired));
        }
    }
    // Removes a segment that was made ready and never used.
    void discard(Segment* segment) const {
        if (!segment) return;
        ::unlink(journal::segmentFile(directory_, segment->number, ".seg").c_str());
        unmap(segment);
    }

    const fs::path directory_;
    const std::size_t slotsInSegment_;
    const int lock_;

    // Used by the producer alone.
    Segment* current_ = nullptr;
    std::size_t slot_ = 1;
    std::uint64_t sequence_ = 0;
    std::size_t taken_ = 0;
    std::unordered_map<std::string, KnownName, NameHash, std::equal_to<>> names_;
    std::uint32_t writtenRank_ = journal::kOwnRank;  // rank of the next record of current_
    std::deque<RankSink> sinks_;                     // by rank; a deque, as they must not move

    // Handed over between the two: filled by the helper and emptied by the producer, and the other way round.
    std::array<std::atomic<Segment*>, 2> ready_{};
    std::atomic<Segment*> retired_{nullptr};

    // Used by the helper alone.
    std::uint64_t prepared_ = 0;
    std::size_t filledCount_ = 0;
    bool reported_ = false;
    bool removalReported_ = false;
    std::thread helper_;

    std::mutex mutex_;
    std::condition_variable wake_;    // to the helper
    std::condition_variable filled_;  // to a producer that found nothing ready
    bool stop_ = false;
    bool starved_ = false;
};

JournalWriter::JournalWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JournalWriter::~JournalWriter() = default;

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const fs::path& directory, JournalOptions options) {
    DASGD_CHECK(options.segmentRecords >= journal::kMinSlots && options.segmentRecords <= journal::kMaxSlots);
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) return fail("cannot create the journal folder " + directory.string() + ": " + error.message());
    const fs::path lockFile = directory / journal::kWriterLock;
    const int lock = ::open(lockFile.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0) return journal::systemFailure("cannot write to the journal folder " + directory.string(), errno);
    auto impl = std::make_unique<Impl>(directory, options.segmentRecords, lock);
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
        return fail("the journal " + directory.string() + " is being written by another process");
    }
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        if (entry.path().extension() == ".seg") {
            return fail("a journal is there already: " + directory.string() + "; every run needs a folder of its own");
        }
    }
    DASGD_TRY(impl->start());
    return std::unique_ptr<JournalWriter>(new JournalWriter(std::move(impl)));
}

void JournalWriter::span(const Span& span) { impl_->span(journal::kOwnRank, span); }
void JournalWriter::namedSpan(const Span& span, std::string_view name) { impl_->span(journal::kOwnRank, span, name); }
void JournalWriter::metric(const Metric& metric) { impl_->metric(journal::kOwnRank, metric); }
void JournalWriter::state(RankState state, std::int64_t step, std::string_view text) {
    impl_->state(journal::kOwnRank, state, step, text);
}

EventSink& JournalWriter::of(Rank rank) {
    DASGD_CHECK(rank.value() >= 0 && rank.value() < kMaxRanks);
    return impl_->sinkOf(static_cast<std::uint32_t>(rank.value()));
}

bool JournalWriter::isAlive(const fs::path& directory) {
    const int lock = ::open((directory / journal::kWriterLock).c_str(), O_RDWR | O_CLOEXEC);
    if (lock < 0) return false;
    const bool held = ::flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(lock);
    return held;
}

}  // namespace dasgd

// The records of a rank of another host, between whatever brings them and the collector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "storage/collect/record_source.h"

namespace dasgd::storage {

// A bounded mailbox. The collector says from which record on it wants them, and later up to which one they are
// committed; whoever brings them asks what is wanted and offers that, in order. Any thread.
class RecordStream {
public:
    // Limit of the bytes that wait to be read; further frames are refused until some are read.
    static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

    explicit RecordStream(int rank) : rank_(rank) {}
    [[nodiscard]] int rank() const { return rank_; }

    struct Wanted {
        std::uint64_t round = 0;  // grows with each restart: what was offered for another one is not taken
        std::uint64_t after = 0;  // the next record to offer is the first one after this number
        std::uint64_t committed = 0;
        bool room = false;
        bool operator==(const Wanted&) const = default;
    };
    // nullopt until the collector has begun.
    [[nodiscard]] std::optional<Wanted> wanted() const;
    enum class Taken { Yes, NotNow, Damaged };
    // `frame` (core/journal/record_frame.h) begins with the first record after number `after`. NotNow: it is not what
    // is wanted at present, or there is no room; ask again what is. A stale frame harms nothing.
    Taken offer(std::uint64_t round, std::uint64_t after, std::string frame);
    // The rank's writer has ended, and what was offered is all that can be read of its journal. `damage`: one sentence
    // if more is there that cannot be read, else "".
    void end(std::uint64_t round, std::uint64_t after, std::string damage);
    // All of it is with the collector; not yet committed.
    [[nodiscard]] bool hasEnded() const;
    // Ended, and every record of it is committed.
    [[nodiscard]] bool isCommitted() const;
    // Once it has ended: what end() was told.
    [[nodiscard]] std::string damage() const;

private:
    friend class StreamSource;
    struct Frame {
        std::uint64_t last = 0;  // number of its last record
        std::string bytes;
    };
    const int rank_;
    mutable std::mutex mutex_;
    bool begun_ = false, ended_ = false;
    std::uint64_t round_ = 0, after_ = 0, committed_ = 0, read_ = 0;
    std::size_t waiting_ = 0;  // bytes
    std::deque<Frame> frames_;
    std::string damage_;
};

// The collector's end of it.
class StreamSource final : public RecordSource {
public:
    explicit StreamSource(std::shared_ptr<RecordStream> stream);

    void startAfter(std::uint64_t sequence) override;
    // Whole frames, so that it may be a few more than `limit`.
    Result<std::size_t> read(std::size_t limit, const std::function<void(const EventRecord&)>& take) override;
    void release(std::uint64_t sequence) override;
    // Also where the stream has not ended: what follows has not arrived.
    [[nodiscard]] std::string damage() const override;

private:
    std::shared_ptr<RecordStream> stream_;
    std::string frame_;  // bytes to which the records of the last read() point
};

}  // namespace dasgd::storage

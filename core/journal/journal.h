// The journal of a rank, or of many ranks in one thread: append-only mapped segments of fixed-size records, each with
// its own CRC. Records outlive a SIGKILL of the process that stored them. Layout and recovery rules: storage/format.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/event.h"
#include "core/base/named_spans.h"
#include "core/base/result.h"
#include "core/journal/event_record.h"

namespace dasgd {

struct JournalOptions {
    std::size_t segmentRecords = 16384;  // 1 MiB of 64-byte records
};

// Owner: the rank's process. span(), metric() and state() from one thread (the training thread): plain stores into the
// mapped segment. A helper thread keeps the next segment ready and takes back segments that the reader has finished;
// only if it has fallen behind does the producer block. Never drops a record.
class JournalWriter final : public EventSink, public NamedSpanSink {
public:
    // Creates `directory` where missing. Errors: unwritable, disk full, a journal is there already. Names are cut
    // at 1,024 bytes. On a disk that fills up later the helper reports it once on stderr, and the producer blocks
    // when the two segments ahead are used up.
    static Result<std::unique_ptr<JournalWriter>> create(const std::filesystem::path& directory, JournalOptions = {});
    ~JournalWriter() override;

    void span(const Span& span) override;
    void namedSpan(const Span& span, std::string_view name) override;
    void metric(const Metric& metric) override;
    void state(RankState state, std::int64_t step, std::string_view text) override;
    // A sink of this journal, of named spans too, for the records of `rank` (0 … 2^20−1); the writer's own methods
    // record for the journal's own rank. Owned by the writer, for the same one thread. Constant time; the first call
    // for a rank allocates. Switching from one rank to another costs one record, so group the records of a rank.
    [[nodiscard]] EventSink& of(Rank rank);
    // True where a running process holds the journal in `directory` open for writing.
    [[nodiscard]] static bool isAlive(const std::filesystem::path& directory);

private:
    class Impl;
    explicit JournalWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// Reads a journal while it is written or after its writer has ended. One reader at a time per journal. Stops at the
// first record that is not whole.
class JournalReader {
public:
    // Starts after record `afterSequence` (0: from the beginning). A journal that does not exist yet reads as empty.
    explicit JournalReader(std::filesystem::path directory, std::uint64_t afterSequence = 0);
    ~JournalReader();
    JournalReader(JournalReader&&) noexcept;
    JournalReader& operator=(JournalReader&&) noexcept;

    // Calls `take` for up to `limit` whole entries that are there now; returns how many. I/O errors and missing
    // segments are errors; a torn tail is not.
    Result<std::size_t> read(std::size_t limit, const std::function<void(const EventRecord&)>& take);
    // Position to resume reading from: everything up to here was taken.
    [[nodiscard]] std::uint64_t lastSequence() const;
    // True where whole records follow the one that stopped the reader, that is, where the journal was damaged and not
    // merely cut off. For a journal whose writer has ended, read to its end.
    [[nodiscard]] bool damaged() const;
    // The caller has made everything up to `sequence` durable: segments that lie wholly below may be reused.
    void release(std::uint64_t sequence);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace dasgd

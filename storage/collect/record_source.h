// Where the collector gets the records of a run from: a journal of this host, or a stream from another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/journal/event_record.h"

namespace dasgd::storage {

// A numbered sequence of records that keeps each one until it is released. Used by one thread at a time, and by one
// collector: how far the records are in lab.db is kept in the row of rank_state of `rank()`.
class RecordSource {
public:
    explicit RecordSource(int rank) : rank_(rank) {}
    virtual ~RecordSource() = default;
    RecordSource(const RecordSource&) = delete;
    RecordSource& operator=(const RecordSource&) = delete;

    // Records that name no rank are this one's. No two sources of a run have the same.
    [[nodiscard]] int rank() const { return rank_; }

    // The next read() begins with the first record after number `sequence`, 0 for the very first. Called before the
    // first read, and again after a transaction that could not be committed; never below what was released.
    virtual void startAfter(std::uint64_t sequence) = 0;

    // Calls `take` for up to `limit` records that are there now, in the order of their numbers, and returns how many.
    // Does not wait for more. Errors: what was there cannot be read.
    virtual Result<std::size_t> read(std::size_t limit, const std::function<void(const EventRecord&)>& take) = 0;

    // Every record up to number `sequence` is committed: they will not be asked for again, not after a restart either.
    virtual void release(std::uint64_t sequence) = 0;

    // Once the writers have ended and read() returned 0: one sentence if there are more records that cannot be read,
    // else "".
    [[nodiscard]] virtual std::string damage() const = 0;

private:
    const int rank_;
};

using RecordSources = std::vector<std::unique_ptr<RecordSource>>;

}  // namespace dasgd::storage

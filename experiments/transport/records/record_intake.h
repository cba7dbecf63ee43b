// At the collector's host: takes in what the forwarders of other hosts send, for a CurveServer in front of it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/transport/curve/curve_server.h"
#include "storage/collect/record_stream.h"

namespace dasgd::experiments {

// Operations of a forwarder, with operands as texts: kHello rank run; kRecords rank round after frame; kEnd rank round
// after damage; kGoodbye rank. An answer: kYes round after committed, as RecordStream::Wanted has them; kNotYet with
// the same where there is no room, or, with round 0, no collector yet; kDone; kRefused. Prose: storage/format.md, "The
// stream of a rank".
namespace record_post {
inline constexpr char kHello = 'h', kRecords = 'r', kEnd = 'e', kGoodbye = 'b', kDone = 'd';
// A frame ends with the first record that makes it longer, so that messages stay below twice of it, but for one record
// of an enormous text.
inline constexpr std::size_t kFrameBytes = std::size_t{256} << 10;
}  // namespace record_post

using RecordStreams = std::vector<std::shared_ptr<storage::RecordStream>>;

// Memory is bounded whatever is sent: by RecordStream::kMostBytes of each rank.
class RecordIntake {
public:
    RecordIntake(std::string runId, RecordStreams streams);

    // Of the server's thread.
    [[nodiscard]] Parts answer(const Parts& request);
    // Waits until all streams have ended, or for `patience` after the last record that came. True where they have
    // ended.
    bool awaitEnds(std::chrono::milliseconds patience);
    // Called after the last batch is committed. Waits until every forwarder knows, or for `patience`.
    void sayDone(std::chrono::milliseconds patience);

private:
    struct OneRank {
        std::shared_ptr<storage::RecordStream> stream;
        std::atomic<bool> saidGoodbye{false};
    };
    template <class Predicate>
    bool awaitAll(std::chrono::milliseconds patience, Predicate isThere);
    bool take(char operation, const Parts& request, storage::RecordStream& stream);

    const std::string runId_;
    std::map<std::int64_t, OneRank> ranks_;
    std::atomic<std::chrono::steady_clock::time_point> lastNews_{std::chrono::steady_clock::now()};
};

// Serves `records`, and `files` what is of no forwarder; both outlive the server. Errors: it cannot be bound to.
[[nodiscard]] Result<std::unique_ptr<CurveServer>> serveIntake(const std::string& address, int port,
                                                               const RunSecret& secret, RecordIntake& records,
                                                               CurveServer::Answer files = nullptr);

}  // namespace dasgd::experiments

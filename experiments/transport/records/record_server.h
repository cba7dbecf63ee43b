// At the collector's host: takes in what the forwarders of other hosts send.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/transport/curve/run_secret.h"
#include "storage/collect/record_stream.h"

namespace dasgd::experiments {

using RecordStreams = std::vector<std::shared_ptr<storage::RecordStream>>;

// A thread of its own, and one socket, bound to one address: ZeroMQ with CURVE. Nobody is let in without the key that
// the run's secret makes. Memory is bounded whatever is sent: by RecordStream::kMostBytes of each rank, by one message
// and by a few that wait.
class RecordServer {
public:
    // `address`: of the one interface, a number of IPv4 or IPv6; `port` 0: any that is free. Errors: it cannot be bound
    // to.
    static Result<std::unique_ptr<RecordServer>> start(const std::string& address, const RunSecret& secret,
                                                       std::string runId, RecordStreams streams, int port = 0);
    virtual ~RecordServer() = default;

    // Endpoint at which forwarders reach it: "tcp://10.0.0.1:40013".
    [[nodiscard]] virtual const std::string& endpoint() const = 0;
    // Number of messages, from senders with the key, that were not of this protocol.
    [[nodiscard]] virtual std::int64_t refused() const = 0;
    // Waits until all streams have ended, or for `patience` after the last record that came. True where they have
    // ended.
    virtual bool awaitEnds(std::chrono::milliseconds patience) = 0;
    // Called after the last batch is committed. Waits until every forwarder knows, or for `patience`.
    virtual void sayDone(std::chrono::milliseconds patience) = 0;
};

}  // namespace dasgd::experiments

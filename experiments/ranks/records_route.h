// Ranks that record into several workspaces, as on several hosts: one of them, rank 0's, takes in the records of all,
// where the ranks share a secret.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "experiments/ranks/meeting/rank_outcomes.h"
#include "experiments/transport/records/forwarder_process.h"
#include "experiments/transport/records/record_server.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

class RecordsRoute {
public:
    struct Options {
        int rank = 0;
        RankPlaces places;
        std::optional<RunSecret> secret;
        std::string address;  // address of the interface towards the other hosts
        std::string runId;
        storage::WorkspacePaths paths;  // this rank's
        std::chrono::milliseconds timeout{60'000};
    };
    // Collective over the ranks that meet at `store`. Without a secret each workspace keeps the records of its own
    // ranks. Errors: rank 0 cannot listen.
    static Result<RecordsRoute> open(Rendezvous& store, Options options);
    RecordsRoute(RecordsRoute&&) noexcept;
    ~RecordsRoute();

    // Where the records of this rank go. Errors: those of Recorder::start(); `dasgd forward` cannot be started.
    Result<std::unique_ptr<storage::Recorder>> record(storage::Store& store);
    // The sink of this rank in front of its journal: it also takes what the recorder measures, where that has no
    // database of its own to write it to.
    [[nodiscard]] EventSink& sinkInto(EventSink& journal);
    // Rank 0 does not answer: finish() of a recorder whose records go there waits for nothing.
    void stopAwaitingRankZero();
    // Before Recorder::finish(): what has to arrive from other hosts has, or that was waited for; less long where the
    // run has failed, as a host that was cut off sends nothing.
    void awaitRecords(bool failed);
    // After it: the other hosts know that all is written down.
    void release();
    // `own`, or how a rank ended whose records are here as well, whichever is worse.
    [[nodiscard]] std::string worstStatus(const std::string& own, const std::vector<RankOutcome>& outcomes) const;

private:
    class AwaySink;
    class AwayRecorder;
    explicit RecordsRoute(Options options);
    [[nodiscard]] bool isFirst() const { return options_.rank == 0; }

    Options options_;
    RecordStreams streams_;
    std::unique_ptr<RecordServer> server_;
    std::string endpoint_;  // endpoint to which the records of this rank are sent; "" where they stay
    std::unique_ptr<AwaySink> sink_;
};

}  // namespace dasgd::experiments

// Ranks that record into several workspaces, as on several hosts: one of them, rank 0's, takes in the records of all,
// where the ranks share a secret.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "experiments/ranks/meeting/assignment.h"
#include "experiments/ranks/meeting/rank_outcomes.h"
#include "experiments/transport/records/forwarder_process.h"
#include "experiments/transport/records/record_intake.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

class RecordsRoute {
public:
    struct Options {
        int rank = 0;
        Assignment assignment;
        std::optional<RunSecret> secret;
        storage::WorkspacePaths paths;  // this rank's
        std::chrono::milliseconds timeout{60'000};
    };
    // Without a secret each workspace keeps the records of its own ranks.
    static RecordsRoute open(Options options);
    RecordsRoute(RecordsRoute&&) noexcept;
    ~RecordsRoute();

    // On rank 0: what takes in the records of ranks in other workspaces; null: nothing does.
    [[nodiscard]] RecordIntake* intake() const { return intake_.get(); }
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

    Options options_;
    RecordStreams streams_;
    std::unique_ptr<RecordIntake> intake_;
    std::unique_ptr<AwaySink> sink_;  // null where the records of this rank stay
};

}  // namespace dasgd::experiments

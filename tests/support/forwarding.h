// A run whose rank 1 is on another host: its journal there, and the collector's end here.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "experiments/transport/records/record_forwarder.h"
#include "experiments/transport/records/record_intake.h"
#include "storage/collect/ingest.h"
#include "tests/support/runs.h"

namespace dasgd::test {

// Records of a rank in one step; they tell their place.
inline void writeForwardedStep(EventSink& journal, std::int64_t step) {
    journal.span({.step = step, .start = step * 10, .end = step * 10 + 9});
    journal.metric({.name = step % 2 ? "train/loss" : "a/rather/long/name/that/takes/more/than/one", .step = step});
    if (step % 50 == 0) journal.state(RankState::Running, step, std::string(100, 's'));
}

class ForwardedRun {
public:
    static constexpr int kAway = 1;

    [[nodiscard]] std::filesystem::path journal() const { return there / "journal"; }
    [[nodiscard]] const storage::WorkspacePaths& paths() const { return home.store.paths(); }
    [[nodiscard]] experiments::ForwardTask task(const std::string& endpoint,
                                                std::chrono::milliseconds patience = std::chrono::seconds(20)) const {
        return {.journal = journal(), .rank = kAway, .runId = home.runId, .endpoint = endpoint, .patience = patience};
    }

    OneRun home{2};
    TempDir there;
    experiments::RunSecret secret = experiments::RunSecret::make().value();
};

// The collector of rank 1, in the calling thread.
class AwayCollector {
public:
    explicit AwayCollector(const ForwardedRun& run, int port = 0)
        : connection_(orDie(storage::WriteConnection::open(run.paths()))),
          intake(run.home.runId, {stream}),
          server(orDie(experiments::serveIntake("127.0.0.1", port, run.secret, intake))),
          ingest_(*connection_, keyOf(run.paths(), run.home.runId), sourcesOf(stream)) {}

    void collect() { static_cast<void>(orDie(ingest_.collect(65536))); }
    // Collects until everything is in lab.db.
    void collectAll() {
        while (!stream->isCommitted()) {
            collect();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }

    std::shared_ptr<storage::RecordStream> stream = std::make_shared<storage::RecordStream>(ForwardedRun::kAway);

private:
    static storage::RecordSources sourcesOf(const std::shared_ptr<storage::RecordStream>& stream) {
        storage::RecordSources sources;
        sources.push_back(std::make_unique<storage::StreamSource>(stream));
        return sources;
    }
    std::unique_ptr<storage::WriteConnection> connection_;

public:
    experiments::RecordIntake intake;
    std::unique_ptr<experiments::CurveServer> server;

private:
    storage::RunIngest ingest_;
};

}  // namespace dasgd::test

// A worker as torchrun, srun, mpirun or a person starts it: it records its own rank.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/digest/sha256.h"
#include "core/base/host_name.h"
#include "core/base/log.h"
#include "core/base/metric_names.h"
#include "core/base/utc.h"
#include "core/comm/clock_sync.h"
#include "experiments/base/errors.h"
#include "experiments/base/stop_signals.h"
#include "experiments/base/text.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/config/document.h"
#include "experiments/ranks/meeting/agreement.h"
#include "experiments/ranks/meeting/assignment.h"
#include "experiments/ranks/meeting/curve_store.h"
#include "experiments/ranks/meeting/decision.h"
#include "experiments/ranks/meeting/liveness_check.h"
#include "experiments/ranks/meeting/rank_outcomes.h"
#include "experiments/ranks/meeting/stop_relay.h"
#include "experiments/ranks/rank_journals.h"
#include "experiments/ranks/rank_main.h"
#include "experiments/ranks/records_route.h"
#include "experiments/ranks/remote_artifacts.h"
#include "experiments/ranks/stop_requests.h"
#include "experiments/ranks/worker_process.h"
#include "experiments/run/host/system_metrics.h"
#include "experiments/run/launch/launcher.h"
#include "experiments/run/record/provenance.h"
#include "experiments/run/session/earlier_runs.h"
#include "experiments/run/session/resumed_experiment.h"
#include "experiments/tools/report/run_summary.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;

// A rank inside a collective answers a request for a stop when the collective's deadline has passed.
constexpr milliseconds kStopSlack{5000};

class WorkerByHand {
public:
    WorkerByHand(const WorkerByHandTask& task, Experiment experiment, CheckedExperiment checked, StopSignals& signals)
        : task_(task),
          environment_(task.environment),
          experiment_(std::move(experiment)),
          checked_(std::move(checked)),
          signals_(signals) {}

    // The exit status: that of wrong input where the ranks do not agree on what they run. Errors: whatever else keeps
    // this rank from training.
    Result<int> run() {
        DASGD_ASSIGN(const Interface interface, chooseInterface());
        DASGD_ASSIGN(auto store, storage::Store::open(std::filesystem::absolute(task_.workspace)));
        DASGD_ASSIGN(secret_, RunSecret::fromEnvironment(processEnvironment));
        DASGD_ASSIGN(RankMeeting meeting, meetRanks(environment_, secret_, timeout()));
        Rendezvous& rendezvous = meeting.rendezvous;
        const Seat seat{rendezvous, environment_.rank, environment_.size, timeout()};
        Settings identity = identityOf(checked_);
        identity[RunSecret::kVariable] = secret_ ? "one whose fingerprint is " + secret_->fingerprint() : "not set";
        const Status same = agreeOnIdentity(seat, identity);
        if (!same) return refuse({same.error().message + meeting.rejectedPeersNote()});
        const std::string place = placeOf(store.paths());
        DASGD_ASSIGN(const Assignment assignment, join(seat, place, store, interface));
        DASGD_TRY(files_->takeUp(seat, filesOptions(store.paths(), assignment)));
        RecordsRoute& route = *route_;
        RemoteArtifacts& files = *files_;
        DASGD_ASSIGN(auto recorder, route.record(store));
        DASGD_ASSIGN(std::optional<LivenessCheck> liveness,
                     LivenessCheck::open(rendezvous, environment_.rank, environment_.size,
                                         hostName() + " (" + interface.address + ")"));
        DASGD_ASSIGN(auto forStops, rendezvous.another());
        StopRequests requests(RunControl::open(store.paths().control(assignment.runId)), signals_);
        StopRelayGate gate(timeout() + kStopSlack, requests.page());
        std::optional<StopRelay> relay(
            std::in_place, std::move(forStops), gate, Rank(environment_.rank), environment_.size,
            [&requests] { return requests.any(); }, timeout());
        RankReport report = train(store.paths(), assignment, interface, rendezvous, gate, files, *recorder, route);
        if (report.state == RankState::Stopped) report.error = stopInWords(signals_, report.error);
        const RankOutcome own{environment_.rank, statusOf(report.state), place};
        std::vector<RankOutcome> outcomes{own};
        bool rankZeroThere = report.state != RankState::Failed || isRankZeroThere(*liveness, report, route);
        if (rankZeroThere) {
            files.bringRecords(report.state == RankState::Failed);
            outcomes = exchangeOutcomes(seat, own, [&files] { return files.moved(); });
        }
        // One that is not heard of may still be saving.
        if (outcomes.size() == static_cast<std::size_t>(environment_.size)) {
            files.end();
        } else if (rankZeroThere && report.state != RankState::Failed) {
            rankZeroThere = isRankZeroThere(*liveness, report, route);
        }
        if (!rankZeroThere) relay->abandon();
        for (const RankOutcome& other : outcomes) {
            if (other.place != own.place) recorder->endedElsewhere(other.rank, other.status);
        }
        relay.reset();
        liveness.reset();
        route.awaitRecords(report.state == RankState::Failed);
        DASGD_ASSIGN(const storage::RanksEnd end,
                     recorder->finish(route.worstStatus(statusOf(report.state), outcomes), report.error));
        route.release();
        if (end.status == "failed") report.state = RankState::Failed;
        report.error = end.error;
        if (rankZeroThere) waitForOthers(seat, report);
        return conclude(store.paths(), assignment.runId, report);
    }

private:
    // True if rank 0 still answers. Missing ranks are reported at once, because the next phase may take long.
    static bool isRankZeroThere(LivenessCheck& liveness, RankReport& report, RecordsRoute& route) {
        const LivenessResult end = liveness.call(report.error);
        if (!end.allAnswer) logLine(LogLevel::Error, end.text, report.rank);
        if (report.state == RankState::Failed && !end.text.empty()) report.error += "; " + end.text;
        if (!end.rankZeroAnswers) route.stopAwaitingRankZero();
        return end.rankZeroAnswers;
    }

    [[nodiscard]] milliseconds timeout() const { return experiment_.cluster.deadline(); }
    [[nodiscard]] bool isFirst() const { return environment_.rank == 0; }

    Result<Interface> chooseInterface() {
        return environment_.interface.empty() ? interfaceTowards(environment_.masterAddress)
                                              : interfaceNamed(environment_.interface);
    }

    // Rank 0 names the run and every rank joins it in its own workspace, which may be the same one.
    Result<Assignment> join(const Seat& seat, const std::string& place, storage::Store& store,
                            const Interface& interface) {
        storage::RunInfo info =
            describeRun(checked_, collectProvenance(std::filesystem::path(task_.file).parent_path()));
        auto joined = joinRun(seat, place, [&](const RankPlaces& places) -> Result<Assignment> {
            DASGD_ASSIGN(Assignment made, found(store, info, places));
            DASGD_TRY(openRoutes(store.paths(), made));
            if (route_->intake() && files_->intake()) {
                DASGD_ASSIGN(server_, serveIntake(interface.address, 0, *secret_, *route_->intake(),
                                                  [files = files_->intake()](const Parts& request) {
                                                      return files->answer(request);
                                                  }));
                made.intake = server_->endpoint();
            }
            made.mark = files_->mark();
            return made;
        });
        DASGD_ASSIGN(Assignment assignment, joined);
        if (isFirst()) return assignment;
        info.runId = assignment.runId;
        info.clockOrigin = assignment.originHere();
        info.resumedFrom = assignment.resumedFrom;
        info.resumedStep = assignment.resumedStep;
        // The records of this one go to rank 0's workspace otherwise.
        if (!secret_ || assignment.places.atHome) {
            DASGD_TRY(store.addRun(info));
            DASGD_TRY(makeControlPage(store.paths(), assignment.runId));
        }
        DASGD_TRY(openRoutes(store.paths(), assignment));
        return assignment;
    }

    Result<Assignment> found(storage::Store& store, storage::RunInfo& info, const RankPlaces& places) {
        DASGD_ASSIGN(const std::optional<ResumePoint> from, earlierPoint(store.paths(), places));
        info.runId = store.newRunId(info.algorithm);
        // The run's own time goes on where it was saved.
        const Ns before = from ? from->wall : 0;
        info.clockOrigin = MonotonicClock::rawNow() - before;
        const Ns real = calendarNow() - before;
        info.resumedFrom = from ? from->runId : "";
        info.resumedStep = from ? from->step : 0;
        DASGD_TRY(store.addRun(info));
        DASGD_TRY(writeRunFiles(store.paths(), info, checked_.networkFile));
        DASGD_TRY(RunControl::create(store.paths().control(info.runId), environment_.size));
        return Assignment{.runId = info.runId,
                          .boot = bootId(),
                          .origin = info.clockOrigin,
                          .realOrigin = real,
                          .resumedFrom = info.resumedFrom,
                          .resumedStep = info.resumedStep,
                          .places = places};
    }

    // Where the task is to go on with what ended early in this workspace.
    Result<std::optional<ResumePoint>> earlierPoint(const storage::WorkspacePaths& paths,
                                                    const RankPlaces& places) const {
        if (!task_.resume && task_.from.empty()) return std::optional<ResumePoint>();
        if (!places.together && !secret_) {
            return fail(std::string("to go on, a run needs one workspace that all ranks record into, or the same ") +
                        RunSecret::kVariable + " on all ranks, with which rank 0's keeps what all of them save");
        }
        DASGD_ASSIGN(auto reader, storage::RunReader::open(paths.root));
        if (!task_.from.empty()) {
            DASGD_ASSIGN(ResumePoint from, checkedResumePoint(paths, reader, task_.from, checked_, task_.fromStep));
            return std::optional(std::move(from));
        }
        DASGD_ASSIGN(const auto earlier, earlierRuns(paths, reader, std::vector<CheckedExperiment>{checked_}));
        if (!earlier.front().finished && !earlier.front().from) {
            logLine(LogLevel::Warning, "nothing of these settings in " + paths.root.string() + " on " + hostName() +
                                           " can be gone on with: the run starts from its beginning. If another host "
                                           "had rank 0 before, the workspace there has what was saved.");
        }
        if (earlier.front().finished) return fail("run " + earlier.front().finished->runId + " has finished already");
        return earlier.front().from;
    }

    // The ways of records and files to rank 0's workspace.
    Status openRoutes(const storage::WorkspacePaths& paths, const Assignment& assignment) {
        route_.emplace(RecordsRoute::open({.rank = environment_.rank,
                                           .assignment = assignment,
                                           .secret = secret_,
                                           .paths = paths,
                                           .timeout = timeout()}));
        DASGD_ASSIGN(RemoteArtifacts files, RemoteArtifacts::open(filesOptions(paths, assignment)));
        files_.emplace(std::move(files));
        return {};
    }
    [[nodiscard]] RemoteArtifacts::Options filesOptions(const storage::WorkspacePaths& paths,
                                                        const Assignment& assignment) const {
        return {.experiment = experiment_,
                .rank = environment_.rank,
                .assignment = assignment,
                .secret = secret_,
                .paths = paths,
                .configHash = sha256Of(toTomlDocument(checked_.resolved))};
    }

    // Through which `dasgd stop` reaches the run in this workspace. Ranks of one host share it.
    Status makeControlPage(const storage::WorkspacePaths& paths, const std::string& runId) const {
        std::error_code ignored;
        const std::filesystem::path page = paths.control(runId);
        if (std::filesystem::exists(page, ignored) || environment_.localRank.value_or(0) != 0) return {};
        DASGD_TRY(RunControl::create(page, environment_.size));
        return {};
    }

    // The first rank of each host records the use of the whole host. Without LOCAL_RANK it is known only on rank 0's
    // host.
    SystemMetrics systemMetrics(const Assignment& assignment, const Interface& interface) const {
        const bool ownHost = assignment.boot == bootId();
        const bool first = ownHost ? isFirst() : environment_.localRank == 0;
        return {{{environment_.rank, ::getpid()}},
                interface.name,
                first ? SystemMetrics::Host::Watched : SystemMetrics::Host::LeftOut};
    }

    RankReport train(const storage::WorkspacePaths& paths, const Assignment& assignment, const Interface& interface,
                     const Rendezvous& rendezvous, StopRelayGate& gate, const RemoteArtifacts& files,
                     storage::Recorder& recorder, RecordsRoute& route) {
        const int rank = environment_.rank;
        RankJournals journals;
        if (const Status opened = journals.open(paths, assignment.runId, {rank}, false); !opened) {
            return failedRank(rank, opened.error(), nullptr);
        }
        SteeredClock clock(assignment.originHere());
        ClockErrorSink sink(route.sinkInto(journals.of(Rank(rank))), clock);
        std::unique_ptr<ClockKeeper> keeper;
        std::optional<SystemWatch> system;
        RankReport report;
        const auto trained =
            trainRanks({.experiment = experiment_,
                        .host = {.ranks = {rank},
                                 .clock = clock,
                                 .meeting = Meeting{rendezvous, interface},
                                 .localRank = environment_.localRank,
                                 .connected = [&](Communicator& comm) -> Status {
                                     DASGD_TRY(align(comm, clock, assignment, sink, keeper));
                                     // Only now the clock is rank 0's.
                                     system.emplace(systemMetrics(assignment, interface), clock, recorder);
                                     return {};
                                 },
                                 .sink = [&](Rank) -> EventSink& { return sink; }},
                        .gate = &gate,
                        .checkpoints = files.environment(),
                        .folder = paths.run(assignment.runId)},
                       [&](const RankReport& own) {
                           report = own;
                           system.reset();
                           sink.watch(nullptr);
                           // Not where a peer may be dead, as the network library.
                           if (own.state == RankState::Failed) static_cast<void>(keeper.release());
                           keeper.reset();
                       });
        return trained ? report : failedRank(rank, trained.error(), &sink);
    }

    // All ranks take part, also those whose clock is rank 0's own and exact.
    static Status align(Communicator& comm, SteeredClock& clock, const Assignment& assignment, ClockErrorSink& sink,
                        std::unique_ptr<ClockKeeper>& keeper) {
        const bool isOwn = assignment.boot == bootId();
        try {
            Alignment alignment = alignClock(comm, clock, isOwn);
            if (!isOwn) {
                sink.metric({.name = metrics::kClockErrorS,
                             .wall = clock.now(),
                             .value = static_cast<double>(alignment.error) * 1e-9});
            }
            keeper = std::move(alignment.keeper);
            sink.watch(keeper.get());
            return {};
        } catch (const CommError& error) {
            return fail(error.what());
        }
    }

    // Rank 0 serves the rendezvous and writes the final status, so it leaves last. Ranks that do not answer are
    // reported by their own launcher.
    void waitForOthers(const Seat& seat, const RankReport& report) {
        Decision done(seat, "done");
        if (!isFirst()) {
            static_cast<void>(done.say(""));
            return;
        }
        for (int rank = 1; rank < environment_.size && report.state != RankState::Failed; ++rank) {
            if (!done.saidBy(rank)) return;
        }
    }

    Result<int> conclude(const storage::WorkspacePaths& paths, const std::string& runId, const RankReport& report) {
        const LogLevel level = report.state == RankState::Failed ? LogLevel::Error : LogLevel::Warning;
        if (!report.error.empty()) logLine(level, report.error);
        if (isFirst()) {
            DASGD_ASSIGN(auto reader, storage::RunReader::open(paths.root));
            DASGD_ASSIGN(const storage::RunRow row, reader.row(runId));
            std::printf("%s\n",
                        task_.json ? dumpLine(toJson(row)).c_str() : (runId + "\n    " + summaryLine(row)).c_str());
        }
        return report.state == RankState::Failed    ? kRunFailed
               : report.state == RankState::Stopped ? kStopped
                                                    : kFinished;
    }

    const WorkerByHandTask& task_;
    const RankEnvironment& environment_;
    Experiment experiment_;
    CheckedExperiment checked_;
    StopSignals& signals_;
    std::optional<RunSecret> secret_;
    std::optional<RecordsRoute> route_;
    std::optional<RemoteArtifacts> files_;
    std::unique_ptr<CurveServer> server_;  // last: its thread uses the intakes of both
};

struct Checked {
    Experiment experiment;
    CheckedExperiment facts;
};

Result<Checked> check(const WorkerByHandTask& task) {
    DASGD_ASSIGN(Experiment experiment, readSingleExperiment(task.file, task.overrides));
    DASGD_TRY(experiment.backend->prepareProcess());
    DASGD_ASSIGN(auto checked, loadExperiments(task.file, task.overrides));
    if (!experiment.layout.isProcessARank()) {
        return fail(task.file + ": cluster.backend is '" + experiment.cluster.backend +
                    "', whose ranks share a process; use `dasgd run`");
    }
    if (experiment.timeSimulated()) {
        return fail(task.file + ": the time of backend '" + experiment.cluster.backend +
                    "' is simulated; use `dasgd run`");
    }
    if (experiment.cluster.workers != task.environment.size) {
        return fail(task.file + ": cluster.workers is " + std::to_string(experiment.cluster.workers) + ", but " +
                    std::to_string(task.environment.size) + " ranks were started; make them equal");
    }
    return Checked{std::move(experiment), std::move(checked.front())};
}

}  // namespace

void runWorkerByHand(const WorkerByHandTask& task) {
    StopSignals signals;  // before torch starts a thread
    auto checked = check(task);
    if (!checked) leave(refuse(checked.error()));
    try {
        const Result<int> code =
            WorkerByHand(task, std::move(checked->experiment), std::move(checked->facts), signals).run();
        if (!code) refuse(code.error());
        leave(statusOfOutput(code ? *code : kRunFailed));
    } catch (const std::exception&) {
        leave(failUnexpectedly());
    }
}

}  // namespace dasgd::experiments

#include "experiments/cluster/host/host_service.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/schema/toml_reader.h"
#include "core/base/utc.h"
#include "experiments/base/text.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/run/host/host_room.h"
#include "experiments/run/session/resume_point.h"
#include "experiments/run/session/resumed_experiment.h"
#include "experiments/run/session/run_series.h"
#include "experiments/tools/report/run_summary.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kServiceRest{200};
constexpr std::chrono::seconds kGraceToStop{10}, kGraceToEnd{5}, kGraceToRecord{5};

nlohmann::json describe(const CheckedExperiment& experiment) {
    return {{"title", titleOf(experiment)},
            {"name", experiment.name},
            {"workers", experiment.workers},
            {"timeout_s", experiment.timeoutS},
            {"steps", experiment.totalSteps},
            {"rank_bytes", bytesOfRank(experiment).value_or(-1)},
            {"text", toTomlDocument(experiment.resolved)}};
}

// Ranks of several hosts are processes whose time is real.
Status suits(const CheckedExperiment& experiment, const std::string& source) {
    if (experiment.layout.isProcessARank() && !experiment.layout.timeSimulated) return {};
    return fail(source + ": cluster.backend is '" + experiment.backend +
                "', which runs on one host alone; leave out --on, or add `--set cluster.backend=gloo`");
}

Result<nlohmann::json> checkText(const nlohmann::json& request) {
    const std::string source = request.value("source", "experiment");
    DASGD_ASSIGN(const Value document, parseToml(request.value("text", ""), source));
    Overrides overrides;
    overrides.set = request.value("set", std::vector<std::string>());
    overrides.sweep = request.value("sweep", std::vector<std::string>());
    overrides.dropUnknown = request.value("drop_unknown", false);
    DASGD_ASSIGN(const auto experiments, checkExperiments(document, overrides));
    nlohmann::json all = nlohmann::json::array();
    for (const CheckedExperiment& experiment : experiments) {
        DASGD_TRY(suits(experiment, source));
        all.push_back(describe(experiment));
    }
    return nlohmann::json{{"experiments", all}};
}

// Id of the newest run with the settings of the experiment `text`, among `since` or, with `any`, among all runs; "" if
// there is none.
Result<std::string> earlierRunOf(const std::string& text, storage::RunReader& reader,
                                 const std::set<std::string>& since, bool any) {
    DASGD_ASSIGN(const auto rows, reader.list());
    for (const storage::RunRow& row : rows) {
        if (row.config == text && (any || since.contains(row.runId))) return row.runId;
    }
    return std::string();
}

// A connection that is lost leaves ranks behind that are about to stop: windUp() has them end by then.
Result<storage::RunRow> rowAtItsEnd(storage::RunReader& reader, const std::string& run) {
    const auto until = std::chrono::steady_clock::now() + kGraceToStop + kGraceToEnd + kGraceToRecord;
    for (;;) {
        DASGD_ASSIGN(storage::RunRow row, reader.row(run));
        const bool live = (row.status == "queued" || row.status == "running") && !checkResumable(reader, row);
        if (!live || std::chrono::steady_clock::now() > until) return row;
        std::this_thread::sleep_for(kServiceRest);
    }
}

// "run": of this host's workspace. Or "text": of the experiment whose run has just ended early. That is one of `since`,
// the one that the launcher knows to have been "started", or, to "resume", an older one; where none left a checkpoint,
// it goes on as that was to, from the "earlier" one's of "earlier_step". "workers": that it goes on with.
Result<nlohmann::json> planResume(const nlohmann::json& request, std::set<std::string> since) {
    const storage::WorkspacePaths paths{std::filesystem::absolute(withHome(request.value("workspace", "")))};
    DASGD_ASSIGN(auto reader, storage::RunReader::open(paths.root));
    std::string text = request.value("text", ""), source = "experiment";
    std::vector<std::string> candidates{request.value("run", "")};
    const bool named = !candidates.front().empty();
    if (!named) {
        since.insert(request.value("started", ""));
        DASGD_ASSIGN(const std::string newest, earlierRunOf(text, reader, since, request.value("resume", false)));
        candidates = {newest, request.value("earlier", "")};
    }
    std::string run;
    std::int64_t step = 0;
    for (const std::string& candidate : candidates) {
        if (candidate.empty() || !run.empty()) continue;
        DASGD_ASSIGN(const storage::RunRow row, named ? reader.row(candidate) : rowAtItsEnd(reader, candidate));
        if (row.status == "finished" && since.contains(candidate)) {
            return nlohmann::json{{"finished", resultOf(row, paths)}};
        }
        DASGD_TRY(checkResumable(reader, row));
        std::optional<std::int64_t> wanted;
        if (!named && &candidate == &candidates.back()) wanted = request.value("earlier_step", std::int64_t{0});
        const auto point = resumePointOf(paths, reader, row, wanted);
        if (!point && named) return tl::unexpected(point.error());
        if (point) logDoubts(*point);
        // A run that saved nothing resumes from the checkpoint of the run before it, which may have had other workers.
        run = point ? point->point.runId : "";
        step = point ? point->point.step : 0;
    }
    if (!run.empty()) {
        DASGD_ASSIGN(const storage::RunRow row, reader.row(run));
        source = (paths.run(run) / "experiment.toml").string();
        text = row.config;
    }
    DASGD_ASSIGN(const Value document, parseToml(text, source));
    DASGD_ASSIGN(CheckedExperiment experiment, checkExperiment(document));
    DASGD_TRY(suits(experiment, source));
    const int workers = request.value("workers", experiment.workers);
    if (workers != experiment.workers) {
        if (run.empty()) return fail("it left no checkpoint, without which it does not go on with other workers");
        DASGD_ASSIGN(experiment, withWorkers(document, experiment, workers));
    }
    return nlohmann::json{{"experiment", describe(experiment)}, {"from", run}, {"step", step}};
}

}  // namespace

void HostService::serve() {
    channel_.send(FrameType::Hello, kGreeting);
    while (signals_.count() == 0 && !mute_) {
        wait();
        const bool sound = takeFrames();
        attend();
        if (!sound || channel_.closed() || Clock::now() - heard_ > options_.silence) break;
    }
    windUp();
}

void HostService::wait() {
    std::vector<int> watched{signals_.fd()};
    if (ranks_) {
        for (const int fd : ranks_->watched()) watched.push_back(fd);
    }
    channel_.pump(kServiceRest, watched);
}

bool HostService::takeFrames() {
    for (;;) {
        const auto frame = channel_.receive();
        if (!frame || !*frame) return frame.has_value();
        heard_ = Clock::now();
        if ((*frame)->type != FrameType::Document) continue;
        const auto request = nlohmann::json::parse((*frame)->body, nullptr, false);
        if (request.is_object()) take(request);
    }
}

void HostService::take(const nlohmann::json& request) {
    const std::string what = request.value("do", "");
    if (what == kStop || what == kEnd) {
        if (ranks_) what == kStop ? ranks_->stop() : ranks_->end();
        return;
    }
    auto answer = reply(what, request);
    nlohmann::json document = answer ? std::move(*answer) : nlohmann::json{{"error", answer.error().message}};
    document["re"] = what;
    say(document);
    heard_ = Clock::now();  // the time that reply() took is no silence of the launcher
}

Result<nlohmann::json> HostService::reply(const std::string& what, const nlohmann::json& request) {
    if (what == kHello) return hostFacts(request);
    if (what == kCheck) return checkText(request);
    if (what == kPlanResume) return planResume(request, ranks_ ? ranks_->runsSince() : std::set<std::string>());
    if (what == kJournals || what == kCollect || what == kForward || what == kCollected) return journals(what, request);
    if (what == kStart) return start(request);
    if (what == kTime) return nlohmann::json{{"now", calendarNow()}};
    if (what == kPort) {
        DASGD_ASSIGN(const ListeningPort free, listenOn(request.value("address", ""), request.value("port", 0)));
        return nlohmann::json{{"port", free.port}};
    }
    if (what == kListen) {
        DASGD_ASSIGN(listening_, listenOn(request.value("address", "")));
        return nlohmann::json{{"port", listening_->port}};
    }
    if (what == kReach) {
        DASGD_ASSIGN(const double ms, reach(request.value("address", ""), request.value("port", 0)));
        return nlohmann::json{{"ms", ms}};
    }
    if (what == kDoctor) {
        DASGD_ASSIGN(const nlohmann::json checks, ownDoctor(withHome(request.value("workspace", ""))));
        return nlohmann::json{{"checks", checks}};
    }
    return fail("there is no request '" + what + "'; are both ends of one version?");
}

Result<nlohmann::json> HostService::journals(const std::string& what, const nlohmann::json& request) {
    if (what == kCollected) {
        DASGD_ASSIGN(const auto ranks, journals_.collected());
        return ranks ? nlohmann::json{{"ranks", *ranks}} : nlohmann::json::object();
    }
    if (what == kJournals) {
        const storage::WorkspacePaths paths{std::filesystem::absolute(withHome(request.value("workspace", "")))};
        nlohmann::json left = nlohmann::json::object();
        for (const auto& [run, ranks] : journalsLeft(paths)) left[run] = ranks;
        return nlohmann::json{{"left", left}, {"ended", runsEnded(paths)}, {"place", identityOf(paths.root)}};
    }
    DASGD_ASSIGN(const JournalsRequest wanted, JournalsRequest::from(request));
    if (what == kForward) {
        DASGD_TRY(journals_.forward(wanted));
        return nlohmann::json::object();
    }
    DASGD_ASSIGN(const std::string endpoint, journals_.collect(wanted));
    return nlohmann::json{{"endpoint", endpoint}};
}

Result<nlohmann::json> HostService::start(const nlohmann::json& request) {
    if (ranks_ && ranks_->running()) return fail("the ranks of the run before still run here");
    DASGD_ASSIGN(RanksRequest wanted, RanksRequest::from(request));
    // By what the launcher was told of the experiment: to build its model here anew would take its time.
    if (wanted.bytesOfRank >= 0) {
        DASGD_TRY(checkRoomHere(wanted.count, wanted.size, wanted.bytesOfRank, hostRoom()));
    }
    ranks_.reset();
    DASGD_ASSIGN(ranks_, HostRanks::start(std::move(wanted), options_.program));
    return nlohmann::json::object();
}

void HostService::attend() {
    if (ranks_) ranks_->attend([this](const nlohmann::json& event) { say(event); });
    if (channel_.sinceSent() > kAliveEvery && channel_.unsentBytes() == 0) channel_.send(FrameType::Alive);
}

void HostService::say(const nlohmann::json& document) {
    if (mute_) return;
    channel_.send(FrameType::Document, dumpLine(document));
    mute_ = !channel_.flush(kWritePatience);
}

void HostService::windUp() {
    if (!ranks_ || !ranks_->running()) return;
    const auto from = Clock::now();
    ranks_->stop();
    bool ended = false;
    while (ranks_->running() && Clock::now() - from < kGraceToStop + kGraceToEnd) {
        wait();
        attend();
        if (ended || (Clock::now() - from < kGraceToStop && !signals_.mustEndNow())) continue;
        ended = true;
        ranks_->end();
    }
}

}  // namespace dasgd::experiments

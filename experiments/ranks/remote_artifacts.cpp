#include "experiments/ranks/remote_artifacts.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <utility>

#include "core/base/log.h"
#include "core/train/timing/step_profiler.h"
#include "experiments/transport/files/run_file.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPatienceAfterFailure{1000};
constexpr std::int64_t kMostOfLog = std::int64_t{16} << 20, kWhole = std::numeric_limits<std::int64_t>::max();

// Where the words of this process go; "" where that is no file.
fs::path ownLog() {
    struct stat found {};
    if (::fstat(STDERR_FILENO, &found) != 0 || !S_ISREG(found.st_mode)) return {};
    std::error_code code;
    const fs::path file = fs::read_symlink("/proc/self/fd/2", code);
    return code || !fs::is_regular_file(file, code) ? fs::path() : file;
}

}  // namespace

RemoteArtifacts::RemoteArtifacts(const Options& options)
    : paths_(options.paths), runId_(options.assignment.runId), rank_(options.rank) {
    environment_.place = {paths_.checkpoints(runId_), runId_, options.configHash};
}
RemoteArtifacts::RemoteArtifacts(RemoteArtifacts&& other) noexcept = default;
RemoteArtifacts::~RemoteArtifacts() {
    std::error_code ignored;
    if (!mark_.empty()) fs::remove(mark_, ignored);
    if (!fetched_.empty()) fs::remove_all(fetched_, ignored);
    if (!client_) return;
    // Those that are empty: all of it has been taken to rank 0's host.
    for (const auto& entry : fs::directory_iterator(paths_.checkpoints(runId_), ignored)) {
        fs::remove(entry.path(), ignored);
    }
}

Result<RemoteArtifacts> RemoteArtifacts::open(const Options& options) {
    RemoteArtifacts own(options);
    const bool apart = !options.assignment.places.together;
    std::error_code code;
    if (apart && options.rank == 0) {
        if (options.secret) DASGD_TRY(own.startIntake(options));
        DASGD_TRY(own.leaveMark());
    } else if (apart && !options.assignment.places.atHome) {
        // Hosts may share a file system: what is named after a host says nothing of that.
        const fs::path mark = fs::path(options.assignment.mark).filename();
        own.inRunsFolder_ = !mark.empty() && fs::exists(own.paths_.run(own.runId_) / mark, code);
    }
    if (own.inRunsFolder_) own.linkLog();
    own.saves_ = !apart || own.intake_ || !options.assignment.intake.empty();
    if (!own.saves_ || own.inRunsFolder_) return own;
    own.client_ = std::make_shared<FileClient>(options.assignment.intake, *options.secret, own.rank_,
                                               options.experiment.cluster.deadline());
    own.environment_.place.deliver = [client = own.client_, folder = own.paths_.run(own.runId_)](const fs::path& f) {
        const Status sent = client->send(f, f.lexically_relative(folder).generic_string());
        std::error_code ignored;
        fs::remove(f, ignored);
        return sent;
    };
    return own;
}

Status RemoteArtifacts::leaveMark() {
    DASGD_ASSIGN(const RunSecret random, RunSecret::make());
    mark_ = paths_.run(runId_) / (".files-" + random.hex());
    if (!std::ofstream(mark_)) return fail(mark_.string() + ": cannot be made");
    return {};
}

Status RemoteArtifacts::findCheckpoint(const Options& options) {
    if (client_) return fetch(options);
    DASGD_ASSIGN(
        environment_.from,
        CheckpointFolder(paths_.checkpoints(options.assignment.resumedFrom)).at(options.assignment.resumedStep));
    return {};
}

// Ranks wait for each other, because the deadline of the next phase does not allow for transfers.
Status RemoteArtifacts::takeUp(const Seat& seat, const Options& options) {
    if (options.assignment.resumedFrom.empty() || !saves_) return {};
    const Status found = findCheckpoint(options);
    if (options.assignment.places.together) return found;
    Decision ready(seat, "files/ready", {.moved = [this] { return moved(); }});
    DASGD_TRY(ready.reach(found.map([] { return std::string(); }), [&]() -> Result<std::string> {
        for (int rank = 1; rank < seat.size; ++rank) {
            const auto said = ready.saidBy(rank);
            if (said) continue;
            return fail("rank " + std::to_string(rank) + " cannot go on from the checkpoint: " + said.error().message);
        }
        return "";
    }));
    return {};
}

Status RemoteArtifacts::startIntake(const Options& options) {
    FileIntake::Options serving{
        .ranks = options.assignment.places.away, .folder = paths_.run(runId_), .goesFrom = {}, .arrived = {}};
    if (!options.assignment.resumedFrom.empty()) {
        const CheckpointFolder before(paths_.checkpoints(options.assignment.resumedFrom));
        DASGD_ASSIGN(const Checkpoint from, before.at(options.assignment.resumedStep));
        serving.goesFrom = from.folder;
    }
    serving.arrived = [run = completionOf(options.experiment, environment_.place)](const std::string& name) -> Status {
        const auto step = stepOfPart(name);
        if (!step) return {};
        DASGD_ASSIGN(const std::string trouble, completeIfLast(run, *step));
        if (!trouble.empty()) logLine(LogLevel::Warning, trouble);
        return {};
    };
    intake_ = std::make_unique<FileIntake>(std::move(serving));
    return {};
}

// The parts that this rank goes on from: its own, or of another number of ranks what all have in common.
Status RemoteArtifacts::fetch(const Options& options) {
    fetched_ = paths_.run(runId_) / ("from-rank-" + std::to_string(options.rank));
    std::error_code code;
    fs::create_directories(fetched_, code);
    if (code) return fail(fetched_.string() + ": cannot be made: " + code.message());
    const fs::path state = fetched_ / CheckpointFolder::kStateFile;
    DASGD_TRY(client_->fetch(CheckpointFolder::kStateFile, state));
    Checkpoint from{.folder = fetched_, .state = {}};
    DASGD_ASSIGN(from.state, readCheckpointState(state));
    const bool same = from.state.ranks == options.experiment.cluster.workers;
    if (!same) DASGD_TRY(client_->fetch(CheckpointFolder::kModelFile, from.modelFile()));
    for (int rank = 0; rank < from.state.ranks; ++rank) {
        if (same && rank != options.rank) continue;
        DASGD_TRY(client_->fetch(CheckpointFolder::rankFileName(Rank(rank)), from.rankFile(Rank(rank))));
    }
    environment_.from = std::move(from);
    environment_.restored = [folder = fetched_] {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    };
    return {};
}

// A log that grows is seen while it does.
void RemoteArtifacts::linkLog() const {
    const fs::path place = paths_.run(runId_) / logName();
    std::error_code code;
    fs::create_directories(place.parent_path(), code);
    if (const fs::path log = ownLog(); !log.empty() && !fs::exists(place, code)) fs::create_hard_link(log, place, code);
}

void RemoteArtifacts::end() {
    if (intake_) intake_->close();
    if (rank_ == Rank(0)) CheckpointFolder(paths_.checkpoints(runId_)).sweep();
}

std::string RemoteArtifacts::logName() const { return "logs/rank-" + std::to_string(rank_.value()) + ".log"; }

void RemoteArtifacts::bringRecords(bool failed) const {
    std::error_code code;
    const fs::path folder = paths_.run(runId_), log = ownLog();
    const auto bring = [&](const fs::path& file, const std::string& name, std::int64_t most) {
        const auto bytes = static_cast<std::int64_t>(fs::file_size(file, code));
        if (code) return false;
        const FileClient client = failed ? client_->within(kPatienceAfterFailure) : *client_;
        const Status sent = client.send(file, name, std::max<std::int64_t>(0, bytes - most));
        if (!sent) logLine(LogLevel::Warning, file.string() + " stays here: " + sent.error().message, rank_.value());
        return sent.has_value();
    };
    if (!client_) {
        // On another disk than the workspace it could not be linked.
        if (!log.empty() && !fs::exists(folder / logName(), code)) fs::copy_file(log, folder / logName(), code);
        return;
    }
    const fs::path trace = profileTraceIn(folder, rank_);
    if (bring(trace, trace.lexically_relative(folder).generic_string(), kWhole)) fs::remove(trace, code);
    if (!log.empty()) bring(log, logName(), kMostOfLog);
}

}  // namespace dasgd::experiments

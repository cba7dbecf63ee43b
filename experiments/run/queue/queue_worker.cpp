#include "experiments/run/queue/queue_worker.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/make_folders.h"
#include "experiments/run/queue/entry_process.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

// Longest time between two looks at the queue. A signal and the end of a run's process lead to a look at once.
constexpr int kLookMs = 250;
// Time for which the file of the database may be missing, as while a mount is away for a moment.
constexpr auto kFilePatience = std::chrono::seconds(2);
// Time until a run is started again whose process could not take it out of the queue.
constexpr auto kPauseAfterRefusal = std::chrono::seconds(2);

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

bool entryMayStart(const storage::QueueEntry& entry) {
    return entry.status == "queued" && !entry.held && !entry.cancelled;
}

// True where a process owns the run, and where that cannot be known. A run whose folder was removed has no owner: its
// process, if it lives, can record nothing any more.
bool isOwned(const storage::WorkspacePaths& paths, const std::string& run) {
    std::error_code ignored;
    return fs::exists(paths.owner(run), ignored) &&
           !storage::FileLock::isFree(paths.owner(run), storage::isFileSystemAllowed(paths.root));
}

}  // namespace

Result<std::unique_ptr<QueueWorker>> QueueWorker::open(const WorkOptions& options, StopSignals& signals,
                                                       WorkListener listener) {
    DASGD_ASSIGN(Machine machine, ownMachine(options.cores, options.gpus));
    // Opening the store takes in the records of dead processes; entries are settled by what is recorded.
    DASGD_ASSIGN(const auto store, storage::Store::open(options.workspace));
    std::unique_ptr<QueueWorker> worker(new QueueWorker(options, signals, std::move(listener), std::move(machine)));
    DASGD_ASSIGN(auto lock, storage::takeQueueLock(store.paths()));
    if (!lock) return nullptr;
    lock->sign();
    worker->lock_ = std::move(*lock);
    DASGD_ASSIGN(worker->queue_, storage::QueueStore::open(options.workspace));
    DASGD_ASSIGN(worker->reader_, storage::RunReader::open(options.workspace));
    DASGD_TRY(worker->queue_->setAtOnce(options.atOnce));
    return worker;
}

Result<QueueWorker::End> QueueWorker::work() {
    for (;;) {
        // First, because wait() returns at once as long as a signal or an ended process is not attended to.
        attendSignals();
        reap();
        DASGD_ASSIGN(const bool there, isFileThere());
        if (!there) {
            wait();
            continue;
        }
        const Status looked = look();
        const std::string problem = looked ? "" : looked.error().message;
        if (problem != problem_ && !problem.empty()) listener_.said(problem);
        problem_ = problem;
        // A worker that was asked to stop ends once the ended entries are settled; where the database has an error, or
        // after a second signal, it ends without.
        const bool done = ended_.empty() || !looked || signals_.count() > 1;
        if (running_.empty() && stopping() && done) return End::Stopped;
        if (looked && empty_ && leave().value_or(true)) return End::Empty;
        wait();
    }
}

Result<bool> QueueWorker::isFileThere() {
    const Status found = queue_->checkFile();
    if (found) {
        missingSince_.reset();
        return true;
    }
    const auto now = std::chrono::steady_clock::now();
    if (!missingSince_) missingSince_ = now;
    if (now - *missingSince_ < kFilePatience) return false;
    return fail(found.error().message + ": this `dasgd queue work` ends, and the runs that it trained with it; " +
                "put the workspace back, or name another one (--workspace), and start it again");
}

void QueueWorker::attendSignals() {
    if (!stopping()) return;
    if (signals_.mustEndNow()) {
        for (auto& [run, running] : running_) running.process.signal(SIGKILL);
    } else if (!std::exchange(stopSent_, true)) {
        if (!running_.empty()) listener_.said("stopping; what runs goes on with the next `dasgd queue work`");
        // SIGTERM, SIGUSR1 and SIGUSR2 are passed on as SIGTERM, so that a run which a batch system ends is recorded as
        // preempted; SIGINT as SIGINT.
        const int as = signals_.isTerminated() ? SIGTERM : SIGINT;
        for (auto& [run, running] : running_) running.process.signal(as);
    }
}

void QueueWorker::reap() {
    for (auto one = running_.begin(); one != running_.end();) {
        const auto exit = one->second.process.poll();
        if (!exit) {
            ++one;
            continue;
        }
        // A process that could not take the entry is no failure of the run: settle() treats it as if its worker had
        // died.
        const bool notOurs = exit->signal == 0 && exit->code == kNotOurs;
        ended_[one->first] = notOurs ? EndCause::WorkerGone : stopping() ? EndCause::StopOfAll : EndCause::Itself;
        if (notOurs) notBefore_[one->first] = std::chrono::steady_clock::now() + kPauseAfterRefusal;
        slots_.leave(one->first);
        one = running_.erase(one);
    }
}

Status QueueWorker::look() {
    DASGD_ASSIGN(storage::Queue queue, queue_->read());
    DASGD_TRY(settleEnded(queue));
    DASGD_ASSIGN(queue, queue_->read());
    if (!stopping()) DASGD_TRY(start(queue));
    empty_ = options_.untilEmpty && nothingLeft(queue);
    return {};
}

Status QueueWorker::settleEnded(const storage::Queue& queue) {
    const storage::WorkspacePaths paths{options_.workspace};
    std::set<std::string> entries;
    for (const storage::QueueEntry& entry : queue.entries) {
        entries.insert(entry.runId);
        const auto ended = ended_.find(entry.runId);
        const bool waits = entry.status == "queued" && !entry.cancelled && ended == ended_.end();
        if (running_.contains(entry.runId) || waits) continue;
        // The process that a dead worker started may still be ending the run.
        if (entry.status == "running" && isOwned(paths, entry.runId)) continue;
        DASGD_TRY(settleEntry(entry, ended == ended_.end() ? EndCause::WorkerGone : ended->second));
    }
    // Another process removed these entries.
    std::erase_if(ended_, [&](const auto& one) { return !entries.contains(one.first); });
    return {};
}

Status QueueWorker::settleEntry(const storage::QueueEntry& entry, EndCause cause) {
    // Opening the store takes in the records of a run whose process died, and may change its status.
    DASGD_ASSIGN(auto store, storage::Store::open(options_.workspace));
    DASGD_ASSIGN(const storage::Queue queue, queue_->read());
    const auto now = std::ranges::find(queue.entries, entry.runId, &storage::QueueEntry::runId);
    if (now == queue.entries.end()) {
        ended_.erase(entry.runId);
        return {};
    }
    DASGD_ASSIGN(const EntryOutcome outcome, settle(store, *queue_, *now, cause));
    if (outcome.end == EntryOutcome::End::Undecided) return {};
    ended_.erase(entry.runId);
    if (outcome.end == EntryOutcome::End::Waits) return {};
    failed_ = failed_ || outcome.end == EntryOutcome::End::Failed;
    DASGD_ASSIGN(const storage::RunRow row, reader_->row(entry.runId));
    listener_.ended(row, outcome);
    return {};
}

QueueWorker::Entries QueueWorker::leftOver(const storage::Queue& queue) const {
    Entries entries;
    for (const storage::QueueEntry& entry : queue.entries) {
        if (entry.status == "running" && !running_.contains(entry.runId)) entries.push_back(entry);
    }
    return entries;
}

Result<std::vector<Needs>> QueueWorker::foreignNeeds() {
    DASGD_ASSIGN(const auto runs, queue_->foreignRuns());
    const storage::WorkspacePaths paths{options_.workspace};
    std::map<std::string, Needs> known = std::exchange(foreign_, {});
    std::vector<Needs> all;
    for (const storage::ForeignRun& run : runs) {
        const auto found = known.find(run.runId);
        const Needs needs = found == known.end() ? needsOf(run.config) : found->second;
        foreign_[run.runId] = needs;
        if (isOwned(paths, run.runId)) all.push_back(needs);
    }
    return all;
}

Status QueueWorker::start(const storage::Queue& queue) {
    if (queue.paused || slots_.seated() >= static_cast<std::size_t>(options_.atOnce)) return {};
    const storage::WorkspacePaths paths{options_.workspace};
    std::vector<Slots::Waiting> waiting;
    for (const storage::QueueEntry& entry : queue.entries) {
        if (!entryMayStart(entry) || running_.contains(entry.runId) || ended_.contains(entry.runId)) continue;
        const auto pause = notBefore_.find(entry.runId);
        const bool early = pause != notBefore_.end() && std::chrono::steady_clock::now() < pause->second;
        // The process that a dead worker started may still own the run.
        if (early || isOwned(paths, entry.runId)) continue;
        waiting.push_back({entry.runId, {entry.cores, entry.gpus}});
    }
    if (waiting.empty()) return {};
    DASGD_ASSIGN(std::vector<Needs> elsewhere, foreignNeeds());
    for (const storage::QueueEntry& entry : leftOver(queue)) elsewhere.push_back({entry.cores, entry.gpus});
    while (const auto next = slots_.next(waiting, elsewhere)) {
        DASGD_TRY(startRun(waiting[*next]));
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(*next));
    }
    const std::string first = waiting.empty() || !running_.empty() ? "" : waiting.front().run;
    if (first != waitsFor_ && !first.empty()) {
        listener_.said(first + " waits: other runs train in the workspace, and it needs " +
                       inWords(waiting.front().needs));
    }
    waitsFor_ = first;
    return {};
}

Status QueueWorker::startRun(const Slots::Waiting& run) {
    const fs::path folder = storage::WorkspacePaths{options_.workspace}.run(run.run);
    // Where they cannot be made the log cannot be opened, which says why.
    static_cast<void>(makeFoldersBelow(folder.parent_path(), folder.filename() / "logs"));
    Slots::Seats seats = slots_.seat(run);
    // A run that trains alone gets all CPUs that the worker may use, as with `dasgd run`.
    if (!options_.cores && (seats.all || options_.atOnce == 1)) seats.cpus.clear();
    ChildProcess::Options options;
    options.program = "/proc/self/exe";
    options.arguments = {
        "queue", "start", run.run, "--workspace", options_.workspace.string(), "--worker", std::to_string(::getpid())};
    if (!seats.cpus.empty()) {
        options.arguments.insert(options.arguments.end(), {"--cpus", listText(seats.cpus)});
    }
    if (options_.gpus || (!seats.all && !seats.gpus.empty())) {
        options.arguments.insert(options.arguments.end(), {"--gpus", joined(seats.gpus)});
    }
    options.log = folder / "logs" / "launcher.log";
    options.blocked = {SIGINT, SIGTERM};  // until its StopSignals take them in
    auto process = ChildProcess::start(options);
    if (!process) {
        slots_.leave(run.run);
        return tl::unexpected<Error>(process.error());
    }
    running_.emplace(run.run, Running{std::move(*process), run.needs});
    listener_.started(run.run, run.needs, seats);
    return {};
}

bool QueueWorker::nothingLeft(const storage::Queue& queue) const {
    if (!running_.empty() || !ended_.empty() || !leftOver(queue).empty()) return false;
    return queue.paused || std::ranges::none_of(queue.entries, entryMayStart);
}

Result<bool> QueueWorker::leave() {
    lock_ = storage::FileLock();
    // A command that added an entry before the lock was released has seen that the queue is worked, and started no
    // worker.
    DASGD_ASSIGN(const storage::Queue queue, queue_->read());
    if (nothingLeft(queue)) return true;
    const storage::WorkspacePaths paths{options_.workspace};
    DASGD_ASSIGN(auto lock, storage::takeQueueLock(paths));
    if (!lock) return true;
    lock->sign();
    lock_ = std::move(*lock);
    return false;
}

void QueueWorker::wait() {
    std::vector<pollfd> files;
    files.push_back({signals_.fd(), POLLIN, 0});
    for (const auto& [run, running] : running_) files.push_back({running.process.pidFd(), POLLIN, 0});
    ::poll(files.data(), files.size(), kLookMs);
}

}  // namespace dasgd::experiments

#include "experiments/queue/queue_worker.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "experiments/queue/entry_process.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

// Between two looks at the queue: one statement each.
constexpr int kLookMs = 250;
constexpr int kLooksForTheFile = 8;
constexpr auto kPauseAfterRefusal = std::chrono::seconds(2);

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

bool entryMayStart(const storage::QueueEntry& entry) {
    return entry.status == "queued" && !entry.held && !entry.cancelled;
}

bool isFree(const storage::WorkspacePaths& paths, const std::string& run) {
    return storage::FileLock::isFree(paths.owner(run), storage::isFileSystemAllowed(paths.root));
}

// A folder that somebody removed is made again.
bool isOwned(const storage::WorkspacePaths& paths, const std::string& run) {
    std::error_code ignored;
    return fs::exists(paths.owner(run), ignored) && !isFree(paths, run);
}

}  // namespace

Result<std::unique_ptr<QueueWorker>> QueueWorker::open(const WorkOptions& options, StopSignals& signals,
                                                       WorkListener listener) {
    DASGD_ASSIGN(Machine machine, ownMachine(options.cores, options.gpus));
    // Takes in what dead processes left, before anything is settled by what is recorded.
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
        if (const Status there = queue_->checkFile(); there) {
            missed_ = 0;
        } else if (++missed_ < kLooksForTheFile) {
            wait();  // a mount may be away for a moment
            continue;
        } else {
            return fail(there.error().message +
                        ": this `dasgd queue work` ends, and the runs that it trained with it; " +
                        "put the workspace back, or name another one (--workspace), and start it again");
        }
        attendSignals();
        reap();
        const Status looked = look();
        const std::string problem = looked ? "" : looked.error().message;
        if (problem != problem_ && !problem.empty()) listener_.said(problem);
        problem_ = problem;
        // A worker that was asked to stop does not wait for entries that cannot be settled, nor after a second signal.
        const bool done = ended_.empty() || !looked || signals_.count() > 1;
        if (running_.empty() && stopping() && done) return End::Stopped;
        if (looked && empty_ && leave().value_or(true)) return End::Empty;
        wait();
    }
}

void QueueWorker::attendSignals() {
    if (!stopping()) return;
    if (signals_.interrupts() > 1) {
        for (auto& [run, running] : running_) running.process.signal(SIGKILL);
    } else if (!std::exchange(stopSent_, true)) {
        if (!running_.empty()) listener_.said("stopping; what runs goes on with the next `dasgd queue work`");
        // The same signal is passed on, so that a run which a batch system ends is recorded as preempted.
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
    std::set<std::string> entries;
    for (const storage::QueueEntry& entry : queue.entries) {
        entries.insert(entry.runId);
        const auto ended = ended_.find(entry.runId);
        const bool waits = entry.status == "queued" && !entry.cancelled && ended == ended_.end();
        if (running_.contains(entry.runId) || waits) continue;
        // A process of a worker that died may still be about to end it.
        if (entry.status == "running" && !isFree(storage::WorkspacePaths{options_.workspace}, entry.runId)) continue;
        DASGD_TRY(settleEntry(entry, ended == ended_.end() ? EndCause::WorkerGone : ended->second));
    }
    // Taken out by someone else.
    std::erase_if(ended_, [&](const auto& one) { return !entries.contains(one.first); });
    return {};
}

Status QueueWorker::settleEntry(const storage::QueueEntry& entry, EndCause cause) {
    // Takes in the records of a run whose process died.
    DASGD_ASSIGN(auto store, storage::Store::open(options_.workspace));
    DASGD_ASSIGN(const storage::Queue queue, queue_->read());
    const auto now = std::ranges::find(queue.entries, entry.runId, &storage::QueueEntry::runId);
    if (now == queue.entries.end()) {
        ended_.erase(entry.runId);
        return {};
    }
    DASGD_ASSIGN(const Settled settled, settle(store, *queue_, *now, cause));
    if (settled.end == Settled::End::Undecided) return {};
    ended_.erase(entry.runId);
    if (settled.end == Settled::End::Waits) return {};
    failed_ = failed_ || settled.end == Settled::End::Failed;
    DASGD_ASSIGN(const storage::RunRow row, reader_->row(entry.runId));
    listener_.ended(row, settled);
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
        if (!isFree(paths, run.runId)) all.push_back(needs);
    }
    return all;
}

Status QueueWorker::start(const storage::Queue& queue) {
    if (queue.paused || slots_.seated() >= static_cast<std::size_t>(options_.atOnce)) return {};
    const storage::WorkspacePaths paths{options_.workspace};
    std::vector<Slots::Waiting> waiting;
    for (const storage::QueueEntry& entry : queue.entries) {
        if (!entryMayStart(entry) || running_.contains(entry.runId) || ended_.contains(entry.runId)) continue;
        // A process of a worker that died has it for a moment more.
        const auto pause = notBefore_.find(entry.runId);
        const bool early = pause != notBefore_.end() && std::chrono::steady_clock::now() < pause->second;
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
    std::error_code ignored;
    fs::create_directories(folder / "logs", ignored);
    Slots::Seats seats = slots_.seat(run);
    // Alone it has the machine as any other command has it.
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
    // Who came meanwhile, and found the queue worked, relied on us.
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

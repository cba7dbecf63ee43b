#include "experiments/run/launch/rank_processes.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace dasgd::experiments {

namespace {

constexpr Ns kMillisecond = 1'000'000;
// Ranks that lost a peer notice within milliseconds; this leaves them time to report.
constexpr Ns kGraceAfterFailure = 1500 * kMillisecond;
constexpr Ns kGraceAfterTerm = 1000 * kMillisecond;
// A process that outlives SIGKILL hangs in the kernel (a dead disk); it cannot be ended from here.
constexpr Ns kGraceAfterKill = 5000 * kMillisecond;
constexpr std::size_t kMaxErrorBytes = 2000;

constexpr const char* kStateWords[] = {"starting", "running", "finished", "failed", "stopped"};

std::string rankText(const std::vector<int>& ranks) {
    if (ranks.size() == 1) return "rank " + std::to_string(ranks.front());
    return "the process of ranks 0 to " + std::to_string(ranks.back());
}

// Errors of communication name their rank themselves.
std::string failureText(const RankReport& report) {
    const std::string rank = "rank " + std::to_string(report.rank) + ": ";
    return report.error.starts_with(rank) ? report.error : rank + report.error;
}

}  // namespace

std::string toLine(const RankReport& report) {
    const nlohmann::json line = {{"rank", report.rank},
                                 {"state", kStateWords[static_cast<std::size_t>(report.state)]},
                                 {"step", report.step},
                                 {"error", report.error.substr(0, kMaxErrorBytes)},
                                 {"at", report.at}};
    return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::vector<RankReport> reportsFrom(const std::string& lines) {
    std::vector<RankReport> reports;
    std::size_t start = 0;
    for (std::size_t end; (end = lines.find('\n', start)) != std::string::npos; start = end + 1) {
        const auto line = nlohmann::json::parse(lines.begin() + static_cast<std::ptrdiff_t>(start),
                                                lines.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
        if (!line.is_object()) continue;
        const std::string word = line.value("state", "failed");
        const auto state = std::find(std::begin(kStateWords), std::end(kStateWords), word);
        if (state == std::end(kStateWords)) continue;
        reports.push_back({line.value("rank", 0), static_cast<RankState>(state - std::begin(kStateWords)),
                           line.value("step", std::int64_t{0}), line.value("error", ""), line.value("at", Ns{0})});
    }
    return reports;
}

Status RankProcesses::add(std::vector<int> ranks, const ChildProcess::Options& options) {
    DASGD_ASSIGN(ChildProcess process, ChildProcess::start(options));
    processes_.push_back({std::move(ranks), std::move(process), {}, 0, false});
    return {};
}

bool RankProcesses::running() const {
    return !gaveUp_ &&
           std::any_of(processes_.begin(), processes_.end(), [](const WorkerProcess& p) { return !p.exit; });
}

void RankProcesses::wait(Ns timeout, int wakeFd) {
    std::vector<pollfd> watched{{wakeFd, POLLIN, 0}};
    for (const WorkerProcess& process : processes_) {
        if (!process.exit) watched.push_back({process.process.pidFd(), POLLIN, 0});
    }
    ::poll(watched.data(), watched.size(), static_cast<int>(timeout / kMillisecond));
    reap();
    escalate(MonotonicClock::rawNow());
}

void RankProcesses::reap() {
    for (WorkerProcess& process : processes_) {
        if (process.exit) continue;
        process.exit = process.process.poll();
        static_cast<void>(process.process.report());
        if (!process.exit) continue;
        process.endedAt = MonotonicClock::rawNow();
        lost(process);
    }
}

// A rank that ended, however it did, must not hold up a stop of the others.
void RankProcesses::lost(const WorkerProcess& process) {
    for (const int rank : process.ranks) control_.leave(Rank(rank));
    const bool failed = process.exit->signal != 0 || process.exit->code != 0;
    if (!failed || failedAt_) return;
    failedAt_ = process.endedAt;
    control_.requestStop();
}

void RankProcesses::escalate(Ns now) {
    if (control_.stopRequested()) {
        const std::int64_t before = std::exchange(stepsWhenAsked_, stepsOfAll());
        const bool nearer = patience_.fromLastStep && stepsWhenAsked_ > before;
        if (!stopAskedAt_ || nearer) stopAskedAt_ = now;
    }
    if (killedAt_) {
        gaveUp_ = now - *killedAt_ > kGraceAfterKill;
        return;
    }
    std::optional<Ns> due;
    if (stopAskedAt_) due = *stopAskedAt_ + patience_.time;
    if (failedAt_) due = std::min(due.value_or(INT64_MAX), *failedAt_ + kGraceAfterFailure);
    if (!due || now < *due) return;
    if (now >= *due + kGraceAfterTerm) {
        kill();
    } else if (!terminated_) {
        terminated_ = true;
        signalAll(SIGINT);  // ranks ignore SIGTERM, which batch systems send to all processes of a job
    }
}

std::int64_t RankProcesses::stepsOfAll() const {
    std::int64_t sum = 0;
    for (int rank = 0; rank < control_.ranks(); ++rank) sum += control_.completed(Rank(rank));
    return sum;
}

void RankProcesses::signalAll(int number) {
    for (WorkerProcess& process : processes_) {
        if (process.exit) continue;
        process.killedByUs = true;
        process.process.signal(number);
    }
}

void RankProcesses::requestStop() { control_.requestStop(); }

void RankProcesses::kill() {
    if (!killedAt_) killedAt_ = MonotonicClock::rawNow();
    signalAll(SIGKILL);
}

std::int64_t RankProcesses::completedByAll() const {
    std::int64_t least = control_.completed(Rank(0));
    for (int rank = 1; rank < control_.ranks(); ++rank) {
        least = std::min(least, control_.completed(Rank(rank)));
    }
    return least;
}

ProcessesOutcome RankProcesses::outcome() {
    struct Failure {
        Ns at = INT64_MAX;
        std::string text;
    };
    Failure first;   // earliest failure that a rank reported
    Failure killed;  // a rank that could not say anything: it is the cause of what the others say
    std::string left, lost, silent;
    bool stopped = killedAt_.has_value();  // perhaps before there was a rank
    for (WorkerProcess& process : processes_) {
        const std::vector<RankReport> reports = reportsFrom(process.process.report());
        for (const RankReport& report : reports) {
            stopped = stopped || report.state == RankState::Stopped;
            if (report.state != RankState::Failed && lost.empty()) lost = report.error;
            if (report.state != RankState::Failed || report.at >= first.at) continue;
            first = {report.at, failureText(report)};
        }
        if (!process.exit) {
            left += " Process " + std::to_string(process.process.id()) + " cannot be ended and is left behind.";
        } else if (process.killedByUs) {
            stopped = true;
            if (!reports.empty()) continue;
            const std::int64_t step = control_.completed(Rank(process.ranks.front()));
            silent += "; " + rankText(process.ranks) + " did not answer" +
                      (step > 0 ? ", last at step " + std::to_string(step) : "");
        } else if (process.exit->signal != 0 || reports.empty()) {
            if (process.endedAt >= killed.at) continue;
            const std::int64_t step = control_.completed(Rank(process.ranks.front()));
            killed = {process.endedAt, rankText(process.ranks) + " ended by " + describeExit(*process.exit) +
                                           " after completing step " + std::to_string(step)};
        }
    }
    if (!killed.text.empty()) return {RankState::Failed, killed.text + left, true};
    // Others say what they waited for when it did not come; that of whom is not theirs to know.
    if (!first.text.empty()) return {RankState::Failed, first.text + silent + left};
    if (!left.empty()) return {RankState::Failed, "a rank did not end." + left};
    return {stopped ? RankState::Stopped : RankState::Finished, lost};
}

}  // namespace dasgd::experiments

// Experiments one after the other in one workspace, each reported when it ends: what `run` and `scale` share.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/config/checked_experiment.h"
#include "experiments/run/session/run_session.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

// Prints what would run: a line of JSON each, or the resolved TOML.
void showExperiments(const std::vector<CheckedExperiment>& experiments, bool json);

// A run that has ended, on stdout: its id and summary, or a line of JSON.
void reportRun(const storage::RunRow& row, const std::string& title, bool json);

// "dasgd, seed 1", or what the sweep chose.
[[nodiscard]] std::string titleOf(const CheckedExperiment& experiment);
// "2/4 dasgd, seed 1"; the title alone where there is one experiment.
[[nodiscard]] std::string counted(std::size_t index, std::size_t count, const std::string& title);

// Owner: main's thread. `session` outlives it.
class RunSeries {
public:
    using Report = std::function<void(const storage::RunRow& row, const std::string& title)>;

    enum class Order {
        AtOnce,
        BehindOthers,  // the first run waits for those that are ahead: queue_turn.h
    };
    // `restarts`: how often a run that failed starts again, from its newest checkpoint or from its beginning; each time
    // as a run of its own, which is then reported too.
    explicit RunSeries(RunSession& session, Order order = Order::AtOnce, int restarts = 0)
        : session_(session), order_(order), restarts_(restarts) {}

    // Runs them in order; those that wait are in the workspace as `queued`, `dasgd stop` takes one out and `dasgd
    // queue` holds, releases and moves them. Answers their ids, "" of those that were not reached: after Ctrl-C, or
    // after a run whose row could not be written, which is reported on stderr. Runs that were queued then are
    // `stopped`. Whoever takes out all that wait ends the series: those that were to be queued later are not. Whoever
    // holds all that wait holds those too. `from`: for each experiment the checkpoint from which it resumes, nullopt
    // for one that begins at step 0; an empty vector: all begin at step 0.
    std::vector<std::string> run(const std::vector<const CheckedExperiment*>& experiments, const Report& report,
                                 std::vector<std::optional<ResumePoint>> from = {});
    // Runs one experiment from a checkpoint on.
    void resume(const CheckedExperiment& experiment, const ResumePoint& from, const Report& report);
    [[nodiscard]] int exitCode() const;

private:
    struct Waiting {
        std::size_t index = 0;
        QueuedRun run;
        // Copy of the run's control page, which other processes may change at any instant.
        double turn = 0;
        bool held = false;
    };

    [[nodiscard]] bool ended() const { return broken_ || emptied_ || session_.stopped(); }
    [[nodiscard]] bool allHeld() const;
    void fillQueue(const std::vector<const CheckedExperiment*>& experiments);
    // Does what other processes asked for since.
    void attend(std::vector<std::string>& ids);
    void takeOutStopped(std::vector<std::string>& ids);
    void noteOrder();
    void waitForRelease(std::vector<std::string>& ids);
    void waitForTurn(std::vector<std::string>& ids);
    void runNext(const std::vector<const CheckedExperiment*>& experiments, const Report& report,
                 std::vector<std::string>& ids);
    // Runs it, and again where it fails and may start again. Answers the id of the last one.
    [[nodiscard]] std::string runAndRestart(QueuedRun run, const CheckedExperiment& experiment,
                                            const std::string& title, const Report& report,
                                            const std::function<void()>& meanwhile);
    [[nodiscard]] Result<QueuedRun> startAgain(const std::string& failed, const CheckedExperiment& experiment);
    void tell(const std::string& runId, const std::string& title, const Report& report);
    void breakOff(const Error& error);

    RunSession& session_;
    Order order_;
    int restarts_;
    bool begun_ = false;                         // a run of it was started
    std::deque<Waiting> queue_;                  // in the order in which they start
    std::vector<storage::QueuePlace> recorded_;  // places of the queue as the workspace has them
    bool emptied_ = false, warned_ = false;
    std::vector<std::optional<ResumePoint>> from_;
    std::size_t queued_ = 0;  // number of experiments that were queued so far
    std::string series_;
    bool failed_ = false, stopped_ = false, broken_ = false;
};

}  // namespace dasgd::experiments

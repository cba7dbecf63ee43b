#include "experiments/run/session/run_series.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "core/base/log.h"
#include "experiments/base/errors.h"
#include "experiments/base/text.h"
#include "experiments/run/session/queue_turn.h"
#include "experiments/run/session/resume_point.h"

namespace dasgd::experiments {

namespace {

// Each costs this process an open file, of which it may have a thousand.
constexpr std::size_t kQueuedAhead = 200;

constexpr auto kQueuePause = std::chrono::milliseconds(100);

nlohmann::json jsonOf(const CompressedExchange& compressed) {
    const auto& [encode, recode, decode] = compressed.passes;
    nlohmann::json json = {{"passes", {encode, recode, decode}}, {"whole_steps", compressed.wholeSteps}};
    if (!compressed.why.empty()) json["why_not"] = compressed.why;
    for (const CompressedExchange::Stage& stage : compressed.stages) {
        json["stages"].push_back({{"collective", nameOf(stage.collective)}, {"bytes", stage.bytes}});
    }
    return json;
}

}  // namespace

std::string titleOf(const CheckedExperiment& experiment) {
    return experiment.label.empty() ? experiment.algorithm + ", seed " + std::to_string(experiment.seed)
                                    : experiment.label;
}

std::string counted(std::size_t index, std::size_t count, const std::string& title) {
    return count == 1 ? title : std::to_string(index + 1) + "/" + std::to_string(count) + " " + title;
}

void reportRun(const storage::RunRow& row, const std::string& title, bool json) {
    if (json) {
        std::printf("%s\n", dumpLine(toJson(row)).c_str());
    } else {
        std::printf("%s: %s\n    %s\n", printable(title).c_str(), printable(row.runId).c_str(),
                    summaryLine(row).c_str());
    }
}

void showExperiments(const std::vector<CheckedExperiment>& experiments, bool json) {
    for (std::size_t i = 0; i < experiments.size(); ++i) {
        const CheckedExperiment& experiment = experiments[i];
        if (json) {
            nlohmann::json line = {{"experiment", experiment.name},
                                   {"label", experiment.label},
                                   {"algorithm", experiment.algorithm},
                                   {"seed", experiment.seed},
                                   {"workers", experiment.workers},
                                   {"steps", experiment.totalSteps},
                                   {"eval_every", experiment.evalEvery},
                                   {"parameters", experiment.parameters},
                                   {"config", toTomlDocument(experiment.resolved)}};
            if (experiment.compressed) line["compressed"] = jsonOf(*experiment.compressed);
            std::printf("%s\n", dumpLine(line).c_str());
            continue;
        }
        const std::string evaluated =
            experiment.evalEvery > 0 ? ", evaluated every " + std::to_string(experiment.evalEvery) : "";
        std::printf("# %s: %lld steps%s on %d workers (%s%s), %lld parameters\n%s\n",
                    printable(counted(i, experiments.size(), titleOf(experiment))).c_str(),
                    static_cast<long long>(experiment.totalSteps), evaluated.c_str(), experiment.workers,
                    experiment.backend.c_str(),
                    experiment.link.empty() ? "" : (", emulated link " + printable(experiment.link)).c_str(),
                    static_cast<long long>(experiment.parameters), toTomlDocument(experiment.resolved).c_str());
    }
}

std::vector<std::string> RunSeries::run(const std::vector<const CheckedExperiment*>& experiments, const Report& report,
                                        std::vector<std::optional<ResumePoint>> from) {
    std::vector<std::string> ids(experiments.size());
    from_ = std::move(from);
    from_.resize(experiments.size());
    queued_ = 0;
    emptied_ = false;
    series_.clear();
    for (const CheckedExperiment* experiment : experiments) {
        if (const Status suits = session_.checkMachine(*experiment); !suits) {
            if (!session_.stopped()) breakOff(suits.error());
            return ids;
        }
    }
    for (;;) {
        attend(ids);
        fillQueue(experiments);
        attend(ids);
        if (allHeld()) waitForRelease(ids);
        if (!begun_ && order_ == Order::BehindOthers) waitForTurn(ids);
        if (queue_.empty() || ended()) break;
        runNext(experiments, report, ids);
    }
    for (const Waiting& waiting : queue_) {
        if (broken_) break;  // whoever opens the workspace next takes them in
        ids[waiting.index] = waiting.run.info.runId;
        if (const Status cancelled = session_.cancel(waiting.run); !cancelled) breakOff(cancelled.error());
    }
    queue_.clear();
    return ids;
}

void RunSeries::fillQueue(const std::vector<const CheckedExperiment*>& experiments) {
    const bool held = allHeld();
    double last = queue_.empty() ? 0 : queue_.back().turn + 1;
    while (queued_ < experiments.size() && queue_.size() < kQueuedAhead && !ended()) {
        const SeriesPlace place{.series = series_,
                                .place = static_cast<std::int64_t>(queued_),
                                .size = static_cast<std::int64_t>(experiments.size()),
                                .waits = order_ == Order::BehindOthers};
        auto run = session_.queue(*experiments[queued_], place, from_[queued_]);
        if (!run) return breakOff(run.error());
        if (series_.empty()) series_ = run->info.series;
        if (run->control) {
            run->control->setHeld(held);
            run->control->setTurn(last);
        }
        queue_.push_back({queued_++, std::move(*run), last++, held});
    }
}

bool RunSeries::allHeld() const { return !queue_.empty() && std::ranges::all_of(queue_, &Waiting::held); }

void RunSeries::attend(std::vector<std::string>& ids) {
    takeOutStopped(ids);
    for (Waiting& waiting : queue_) {
        waiting.turn = waiting.run.turn();
        waiting.held = waiting.run.isHeld();
    }
    std::ranges::stable_sort(queue_, {}, &Waiting::turn);
    noteOrder();
}

void RunSeries::noteOrder() {
    std::vector<storage::QueuePlace> places;
    // A run of its own has no queue.
    for (const Waiting& waiting : queue_) {
        if (series_.empty()) break;
        places.push_back({waiting.run.info.runId, waiting.turn, waiting.held});
    }
    if (places == recorded_) return;
    std::vector<storage::QueuePlace> changed;
    std::ranges::copy_if(places, std::back_inserter(changed), [this](const storage::QueuePlace& place) {
        return std::ranges::find(recorded_, place) == recorded_.end();
    });
    if (!changed.empty()) {
        if (const Status written = session_.setQueue(changed); !written) {
            // The runs go on in their order all the same; it is written with the next change, or the next attempt.
            if (!std::exchange(warned_, true)) logLine(LogLevel::Warning, printable(written.error().message));
            return;
        }
    }
    recorded_ = std::move(places);
}

void RunSeries::waitForRelease(std::vector<std::string>& ids) {
    logLine(LogLevel::Warning,
            "every run that waits is held; `dasgd queue release --series " + series_ + "` lets them start");
    while (allHeld() && !ended()) {
        std::this_thread::sleep_for(kQueuePause);
        attend(ids);
    }
}

void RunSeries::waitForTurn(std::vector<std::string>& ids) {
    auto records = session_.reader();
    if (!records) return breakOff(records.error());
    QueueTurn turn(records->runs(), series_);
    bool said = false;
    while (!queue_.empty() && !allHeld() && !ended()) {
        const auto ahead = turn.runAhead();
        if (ahead && ahead->empty()) return;
        if (!ahead) {
            // It may be readable again in a moment; what waits is not given up for that.
            if (!std::exchange(warned_, true)) logLine(LogLevel::Warning, printable(ahead.error().message));
        } else if (!std::exchange(said, true)) {
            logLine(LogLevel::Info, "queued; starts when " + *ahead + " and what else is ahead of it has ended");
        }
        std::this_thread::sleep_for(kQueuePause);
        attend(ids);
    }
}

void RunSeries::takeOutStopped(std::vector<std::string>& ids) {
    for (auto waiting = queue_.begin(); waiting != queue_.end() && !broken_;) {
        if (!waiting->run.stopRequested()) {
            ++waiting;
            continue;
        }
        if (const Status cancelled = session_.cancel(waiting->run); !cancelled) return breakOff(cancelled.error());
        stopped_ = true;
        ids[waiting->index] = waiting->run.info.runId;
        waiting = queue_.erase(waiting);
        emptied_ = queue_.empty();
    }
}

void RunSeries::runNext(const std::vector<const CheckedExperiment*>& experiments, const Report& report,
                        std::vector<std::string>& ids) {
    const auto first = std::ranges::find(queue_, false, &Waiting::held);
    if (first == queue_.end()) return;  // held a moment ago
    begun_ = true;
    Waiting next = std::move(*first);
    queue_.erase(first);
    const CheckedExperiment& experiment = *experiments[next.index];
    const std::string title = counted(next.index, experiments.size(), titleOf(experiment));
    ids[next.index] = runAndRestart(std::move(next.run), experiment, title, report, [&] { attend(ids); });
}

void RunSeries::resume(const CheckedExperiment& experiment, const ResumePoint& from, const Report& report) {
    auto queued = session_.queue(experiment, {}, from);
    if (!queued) return breakOff(queued.error());
    static_cast<void>(runAndRestart(std::move(*queued), experiment, titleOf(experiment), report, {}));
}

std::string RunSeries::runAndRestart(QueuedRun run, const CheckedExperiment& experiment, const std::string& title,
                                     const Report& report, const std::function<void()>& meanwhile) {
    for (int restart = 0;; ++restart) {
        const auto launched = session_.run(std::move(run), experiment, title, meanwhile);
        if (!launched) {
            breakOff(launched.error());
            return {};
        }
        tell(launched->runId, title, report);
        if (launched->status != "failed" || restart == restarts_ || session_.stopped()) {
            failed_ = failed_ || launched->status == "failed";
            stopped_ = stopped_ || launched->status == "stopped";
            return launched->runId;
        }
        auto again = startAgain(launched->runId, experiment);
        if (!again) {
            breakOff(again.error());
            return launched->runId;
        }
        const std::string from = again->resume ? "step " + std::to_string(again->resume->step) : "its beginning";
        logLine(LogLevel::Warning,
                printable("run " + launched->runId + " failed; it goes on from " + from + " as " + again->info.runId +
                          ", restart " + std::to_string(restart + 1) + " of " + std::to_string(restarts_)));
        run = std::move(*again);
    }
}

Result<QueuedRun> RunSeries::startAgain(const std::string& failed, const CheckedExperiment& experiment) {
    DASGD_ASSIGN(auto reader, session_.reader());
    DASGD_ASSIGN(const storage::RunRow row, reader.runs().row(failed));
    return session_.queue(experiment, {}, restartPointOf(session_.paths(), reader.runs(), row));
}

void RunSeries::tell(const std::string& runId, const std::string& title, const Report& report) {
    auto records = session_.reader();
    const auto row = records ? records->runs().row(runId) : tl::unexpected(records.error());
    if (row) {
        report(*row, title);
    } else {
        logLine(LogLevel::Error, printable(row.error().message));
    }
    std::fflush(stdout);
}

void RunSeries::breakOff(const Error& error) {
    refuse(error);
    broken_ = true;
}

int RunSeries::exitCode() const {
    if (broken_) return session_.begun() ? kRunFailed : kWrongInput;
    if (session_.stopped()) return kStopped;
    return failed_ ? kRunFailed : stopped_ ? kStopped : kFinished;
}

}  // namespace dasgd::experiments

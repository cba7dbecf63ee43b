// Made-up runs for tests of the window: the shape of a real trace (two lanes, a delayed reduce, a merge that uses it),
// written through Store, JournalWriter and Recorder. Never shown as a result.
#pragma once

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/analysis/spans/overlap.h"
#include "core/base/clock.h"
#include "core/base/event.h"
#include "core/journal/journal.h"
#include "storage/write/recorder.h"

namespace dasgd::test {

// Keys of a DaSGD experiment, as the engine stores them.
inline const std::string kDasgdSchema = R"([{"key":"algorithm.period","symbol":"τ","unit":"steps","default":"4"},)"
                                        R"({"key":"algorithm.delay","symbol":"d","unit":"steps","default":"1"},)"
                                        R"({"key":"algorithm.local_weight","symbol":"ξ","unit":"","default":"0.25"},)"
                                        R"({"key":"algorithm.correction","symbol":"c","unit":"","default":"0.0"},)"
                                        R"({"key":"optimizer.learning_rate","symbol":"η","unit":"","default":"0.05"}])";

struct SyntheticSpec {
    std::string experiment = "delay-sweep", algorithm = "dasgd";
    std::int64_t seed = 1;
    int ranks = 4, period = 4, delay = 3;
    std::int64_t steps = 200, stepsPerEpoch = 100;
    double stepMs = 26, reduceMs = 70;
    double lateS = 0;  // the first step begins so much later
    std::string status = "finished";
    bool realTime = false;  // at the pace of the clock instead of at once
    bool emulated = true;
    bool simulated = false;     // as of a virtual cluster
    bool testLoss = false;      // evaluations have a loss too
    double targetAccuracy = 0;  // train.target_accuracy; 0: none
    std::string graph = {};     // over which it mixes; "": none
};

class SyntheticRun {
public:
    SyntheticRun(storage::Store& store, SyntheticSpec spec) : spec_(std::move(spec)), noise_(spec_.seed) {
        id_ = store.newRunId(spec_.algorithm);
        storage::RunInfo info{.runId = id_,
                              .experiment = spec_.experiment,
                              .algorithm = spec_.algorithm,
                              .backend = spec_.simulated ? "virtual" : "gloo"};
        info.timeSimulated = spec_.simulated;
        info.config = config();
        info.schema = kDasgdSchema;
        info.seed = spec_.seed;
        info.workers = spec_.ranks;
        info.plannedSteps = spec_.steps;
        info.stepsPerEpoch = static_cast<double>(spec_.stepsPerEpoch);
        info.batchSize = 32;
        info.linkEmulated = spec_.emulated;
        info.link = spec_.emulated ? "200Mbps, 1ms" : "";
        info.host = "test";
        info.gitCommit = "0123456789abcdef0123456789abcdef01234567";
        info.versions = "{}";
        info.clockOrigin = MonotonicClock::rawNow();
        clock_ = std::make_unique<MonotonicClock>(info.clockOrigin);
        check(store.addRun(info));
        std::vector<int> all;
        for (int rank = 0; rank < spec_.ranks; ++rank) {
            all.push_back(rank);
            auto journal = JournalWriter::create(store.paths().journal(id_, rank));
            if (!journal) throw std::runtime_error(journal.error().message);
            ranks_.push_back({std::move(*journal)});
            RankTrace& trace = ranks_.back();
            trace.windowStart = trace.begun = trace.now += static_cast<Ns>(spec_.lateS * 1e9);
        }
        auto recorder = storage::Recorder::start(store, id_, all);
        if (!recorder) throw std::runtime_error(recorder.error().message);
        recorder_ = std::move(*recorder);
    }

    [[nodiscard]] const std::string& id() const { return id_; }
    [[nodiscard]] const MonotonicClock& clock() const { return *clock_; }

    // Steps (from, to]; then finish().
    void train(std::int64_t to) {
        for (; done_ < to; ++done_) step(done_ + 1);
    }
    // Time passes in which no rank does anything.
    void stall(double forS) {
        for (RankTrace& trace : ranks_) trace.now += static_cast<Ns>(forS * 1e9);
    }
    void finish() {
        closeWindows(done_);
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            ranks_[rank].journal->state(RankState::Finished, done_, "");
        }
        check(recorder_->finish(spec_.status, ""));
        recorder_.reset();
    }

private:
    struct RankTrace {
        std::unique_ptr<JournalWriter> journal;
        Ns now = 2'000'000;
        Ns windowStart = 2'000'000;
        Ns begun = 2'000'000;  // and by as much later as evaluations took since
        Ns timed = 0;
        Ns launched = 0;
        std::int64_t sent = 0;
    };

    template <class T>
    static void check(const Result<T>& done) {
        if (!done) throw std::runtime_error(done.error().message);
    }
    static double seconds(Ns t) { return static_cast<double>(t) / 1e9; }
    [[nodiscard]] bool averages(std::int64_t step) const {
        return spec_.algorithm == "sync_sgd" || (spec_.algorithm != "independent" && step % spec_.period == 0);
    }
    [[nodiscard]] int lag() const { return spec_.algorithm == "dasgd" ? spec_.delay : 0; }

    [[nodiscard]] std::string config() const {
        std::string toml = "name = \"" + spec_.experiment + "\"\n[algorithm]\nname = \"" + spec_.algorithm + "\"\n";
        if (spec_.algorithm == "dasgd") {
            toml += "period = " + std::to_string(spec_.period) + "\ndelay = " + std::to_string(spec_.delay) +
                    "\nlocal_weight = 0.25\ncorrection = 0.0\n";
        }
        if (spec_.algorithm == "local_sgd") toml += "period = " + std::to_string(spec_.period) + "\n";
        toml.append("[train]\nbatch_size = 32\nseed = ").append(std::to_string(spec_.seed));
        if (spec_.targetAccuracy > 0) toml.append("\ntarget_accuracy = ").append(std::to_string(spec_.targetAccuracy));
        if (!spec_.graph.empty()) toml += "\n[graph]\nname = \"" + spec_.graph + "\"";
        return toml + "\n[cluster]\nworkers = " + std::to_string(spec_.ranks) + "\n";
    }

    void span(std::size_t rank, Lane lane, SpanKind kind, std::int64_t step, Ns start, Ns end,
              std::uint64_t collective = 0) {
        const Span one{.lane = lane,
                       .kind = kind,
                       .step = step,
                       .start = start,
                       .end = end,
                       .bytes = kind == SpanKind::Reduce ? 246'824 : 0,
                       .collective = collective};
        ranks_[rank].journal->span(one);
    }

    void work(std::size_t rank, SpanKind kind, std::int64_t step, double ms, std::uint64_t collective = 0) {
        std::uniform_real_distribution<double> jitter(0.94, 1.06);
        RankTrace& trace = ranks_[rank];
        const Ns end = trace.now + static_cast<Ns>(ms * 1e6 * jitter(noise_) * (rank == 2 ? 1.02 : 1));
        span(rank, Lane::Compute, kind, step, trace.now, end, collective);
        trace.now = end;
    }

    void metric(std::size_t rank, const char* name, double value) {
        RankTrace& trace = ranks_[rank];
        trace.journal->metric({.name = name,
                               .step = present_,
                               .epoch = static_cast<double>(present_) / static_cast<double>(spec_.stepsPerEpoch),
                               .wall = trace.now,
                               .samples = present_ * 32 * spec_.ranks,
                               .bytesSent = trace.sent,
                               .value = value});
    }

    // The collective that is merged after this step, or 0.
    [[nodiscard]] std::uint64_t due(std::int64_t step) const {
        const std::int64_t launched = step - lag();
        return launched > 0 && averages(launched) ? static_cast<std::uint64_t>(launched) : 0;
    }

    void use(std::uint64_t collective, std::int64_t step) {
        Ns last = 0;
        for (const RankTrace& trace : ranks_) last = std::max(last, trace.launched);
        const Ns end = last + static_cast<Ns>(spec_.reduceMs * 1e6);
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            RankTrace& trace = ranks_[rank];
            const Ns until = std::max(trace.now, end);
            if (until > trace.now) span(rank, Lane::Compute, SpanKind::Wait, step, trace.now, until, collective);
            trace.now = until;
            span(rank, Lane::Comm, SpanKind::Reduce, step - lag(), trace.launched, end, collective);
            trace.sent += 246'824 * 3 / 2;
            work(rank, SpanKind::Merge, step, 0.6, collective);
        }
    }

    void step(std::int64_t step) {
        present_ = step;
        // A step is written when it is over, as ranks do.
        if (spec_.realTime) clock_->sleepUntil(ranks_[0].now + static_cast<Ns>(spec_.stepMs * 1e6));
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            work(rank, SpanKind::Forward, step, spec_.stepMs * 0.33);
            work(rank, SpanKind::Backward, step, spec_.stepMs * 0.62);
            work(rank, SpanKind::Update, step, spec_.stepMs * 0.05);
        }
        if (lag() > 0 && due(step) > 0) use(due(step), step);
        if (averages(step)) {
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
                work(rank, SpanKind::Snapshot, step, 0.3);
                ranks_[rank].launched = ranks_[rank].now;
            }
            if (lag() == 0) use(static_cast<std::uint64_t>(step), step);
        }
        std::normal_distribution<double> scatter(0, 0.12);
        const double progress = static_cast<double>(step) / 60;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            metric(rank, "train/loss", (2.25 / (1 + progress * progress) + 0.08) * std::exp(scatter(noise_)));
        }
        if (step % 5 == 0) metric(0, "throughput/samples_per_s", throughput() * (1 + 0.1 * scatter(noise_)));
        if (step % spec_.stepsPerEpoch == 0) evaluate(step, 1 - 0.5 / (1 + progress));
        if (step % kStepsOfWindow == 0) closeWindows(step);
    }

    void evaluate(std::int64_t step, double accuracy) {
        closeWindows(step);
        Ns trained = 0;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            const Ns from = ranks_[rank].now;
            trained = std::max(trained, from - ranks_[rank].begun);
            work(rank, SpanKind::Eval, step, spec_.stepMs);
            ranks_[rank].begun += ranks_[rank].now - from;
            ranks_[rank].windowStart = ranks_[rank].now;
        }
        metric(0, "eval/trained_s", seconds(trained));
        metric(0, "eval/accuracy", accuracy);
        if (spec_.testLoss) metric(0, "eval/loss", 1 - accuracy);
        if (spec_.targetAccuracy <= 0 || accuracy < spec_.targetAccuracy || reached_) return;
        reached_ = true;
        metric(0, "run/target_reached", accuracy);
    }

    // Ends each rank's window over the steps since the last one.
    void closeWindows(std::int64_t step) {
        if (step == windowStep_) return;
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            RankTrace& trace = ranks_[rank];
            trace.journal->span({.lane = Lane::Io,
                                 .kind = SpanKind::Window,
                                 .step = step,
                                 .start = trace.windowStart,
                                 .end = trace.now,
                                 .bytes = step - windowStep_});
            trace.timed += trace.now - trace.windowStart;
            trace.windowStart = trace.now;
            metric(rank, "timing/steps", static_cast<double>(step));
            metric(rank, "timing/seconds", seconds(trace.timed));
        }
        windowStep_ = step;
    }

    double throughput() {
        const RankTrace& trace = ranks_[0];
        const double passed = seconds(trace.now - lastNow_);
        const double rate = static_cast<double>(5 * 32 * spec_.ranks) / std::max(1e-9, passed);
        lastNow_ = trace.now;
        return rate;
    }

    SyntheticSpec spec_;
    std::mt19937_64 noise_;
    std::string id_;
    std::unique_ptr<MonotonicClock> clock_;
    std::vector<RankTrace> ranks_;
    std::unique_ptr<storage::Recorder> recorder_;
    static constexpr std::int64_t kStepsOfWindow = 50;
    std::int64_t windowStep_ = 0;
    bool reached_ = false;  // the target
    std::int64_t done_ = 0;
    std::int64_t present_ = 0;  // the step that metrics carry
    Ns lastNow_ = 0;
};

// A whole run at once; its id.
inline std::string recordRun(storage::Store& store, const SyntheticSpec& spec) {
    SyntheticRun run(store, spec);
    run.train(spec.steps);
    run.finish();
    return run.id();
}

}  // namespace dasgd::test

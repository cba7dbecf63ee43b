#include "experiments/ranks/records_route.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

#include "core/base/log.h"
#include "core/base/named_spans.h"
#include "experiments/config/checked_experiment.h"
#include "storage/runs/run_end.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kArrival{10'000};  // of the next record of another host, once all ranks have ended
constexpr milliseconds kArrivalAfterFailure{2'000};
constexpr milliseconds kGoodbye{3'000};

}  // namespace

// The journal has one producer, the training thread; what others measure waits here for its next record.
class RecordsRoute::AwaySink final : public EventSink, public NamedSpanSink {
public:
    void front(EventSink& journal) {
        journal_ = &journal;
        named_ = dynamic_cast<NamedSpanSink*>(&journal);
    }
    // Any thread.
    void stopAwaitingRankZero() { rankZeroThere_.store(false); }
    [[nodiscard]] bool isRankZeroThere() const { return rankZeroThere_.load(); }
    void measured(const Metric& metric) {
        const std::lock_guard guard(mutex_);
        if (waiting_.size() >= kMost) {
            if (!std::exchange(full_, true)) {
                logLine(LogLevel::Warning, "what this host measures is left out until its rank records again: " +
                                               std::to_string(kMost) + " values wait for it");
            }
            return;
        }
        waiting_.emplace_back(metric.name, metric);
        any_.store(true, std::memory_order_release);
    }
    void span(const Span& span) override {
        takeMeasured();
        journal_->span(span);
    }
    void namedSpan(const Span& span, std::string_view name) override {
        takeMeasured();
        named_ ? named_->namedSpan(span, name) : journal_->span(span);
    }
    void metric(const Metric& metric) override {
        takeMeasured();
        journal_->metric(metric);
    }
    void state(RankState state, std::int64_t step, std::string_view text) override {
        takeMeasured();
        journal_->state(state, step, text);
    }

private:
    static constexpr std::size_t kMost = 4096;

    void takeMeasured() {
        if (!any_.load(std::memory_order_relaxed)) return;
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return;
        any_.store(false, std::memory_order_relaxed);
        for (auto& [name, metric] : waiting_) {
            metric.name = name;
            journal_->metric(metric);
        }
        waiting_.clear();
        full_ = false;
    }

    EventSink* journal_ = nullptr;
    NamedSpanSink* named_ = nullptr;
    std::mutex mutex_;
    std::atomic<bool> any_{false}, rankZeroThere_{true};
    std::vector<std::pair<std::string, Metric>> waiting_;
    bool full_ = false;
};

class RecordsRoute::AwayRecorder final : public storage::Recorder {
public:
    AwayRecorder(AwaySink& sink, std::unique_ptr<ForwarderProcess> forwarder, milliseconds patience)
        : sink_(sink), forwarder_(std::move(forwarder)), patience_(patience) {}

    Result<storage::RanksEnd> finish(const std::string& status, const std::string& error) override {
        const Status delivered = forwarder_->awaitDelivery(sink_.isRankZeroThere() ? patience_ : milliseconds(0));
        if (delivered) return storage::RanksEnd{status, error};
        const std::string all = error.empty() ? delivered.error().message : error + "; " + delivered.error().message;
        return storage::RanksEnd{storage::withDamage(status, delivered.error().message), all};
    }
    // Rank 0's recorder writes that down.
    void endedElsewhere(int /*rank*/, const std::string& /*status*/) override {}
    void measured(int /*rank*/, const Metric& metric) override { sink_.measured(metric); }
    [[nodiscard]] std::int64_t recordsStored() const override { return 0; }
    [[nodiscard]] std::string currentError() const override { return ""; }

private:
    AwaySink& sink_;
    std::unique_ptr<ForwarderProcess> forwarder_;
    const milliseconds patience_;
};

RecordsRoute::RecordsRoute(Options options) : options_(std::move(options)) {}
RecordsRoute::RecordsRoute(RecordsRoute&&) noexcept = default;
RecordsRoute::~RecordsRoute() = default;

RecordsRoute RecordsRoute::open(Options options) {
    RecordsRoute route(std::move(options));
    const Options& own = route.options_;
    if (own.assignment.places.together) return route;
    if (own.rank != 0) {
        if (!own.assignment.places.atHome && !own.assignment.intake.empty()) route.sink_ = std::make_unique<AwaySink>();
        return route;
    }
    if (!own.secret) {
        logLine(LogLevel::Info, std::string("each workspace keeps the records of its own ranks; with the same ") +
                                    RunSecret::kVariable +
                                    " on all ranks (`openssl rand -hex 32`) rank 0's takes in all of them");
        return route;
    }
    for (const int rank : own.assignment.places.away)
        route.streams_.push_back(std::make_shared<storage::RecordStream>(rank));
    route.intake_ = std::make_unique<RecordIntake>(own.assignment.runId, route.streams_);
    return route;
}

Result<std::unique_ptr<storage::Recorder>> RecordsRoute::record(storage::Store& store) {
    if (!sink_) {
        std::vector<int> ranks{options_.rank};
        if (intake_) std::ranges::copy(options_.assignment.places.away, std::back_inserter(ranks));
        return storage::Recorder::start(store, options_.assignment.runId, ranks, {options_.rank}, streams_);
    }
    const std::filesystem::path logs = options_.paths.run(options_.assignment.runId) / "logs";
    std::error_code error;
    std::filesystem::create_directories(logs, error);
    if (error) return fail("cannot make the folder " + logs.string() + ": " + error.message());
    DASGD_ASSIGN(auto forwarder,
                 ForwarderProcess::start({.program = kOwnProgram,
                                          .workspace = options_.paths.root,
                                          .runId = options_.assignment.runId,
                                          .rank = options_.rank,
                                          .endpoint = options_.assignment.intake,
                                          .log = logs / ("forward-" + std::to_string(options_.rank) + ".log")}));
    return std::make_unique<AwayRecorder>(*sink_, std::move(forwarder), options_.timeout + kArrival);
}

EventSink& RecordsRoute::sinkInto(EventSink& journal) {
    if (!sink_) return journal;
    sink_->front(journal);
    return *sink_;
}

void RecordsRoute::stopAwaitingRankZero() {
    if (sink_) sink_->stopAwaitingRankZero();
}

void RecordsRoute::awaitRecords(bool failed) {
    if (intake_) static_cast<void>(intake_->awaitEnds(failed ? kArrivalAfterFailure : kArrival));
}

void RecordsRoute::release() {
    if (intake_) intake_->sayDone(kGoodbye);
}

std::string RecordsRoute::worstStatus(const std::string& own, const std::vector<RankOutcome>& outcomes) const {
    std::vector<std::string> here{own};
    for (const RankOutcome& one : outcomes) {
        if (intake_ && std::ranges::count(options_.assignment.places.away, one.rank) > 0) here.push_back(one.status);
    }
    return storage::worstOf(here);
}

}  // namespace dasgd::experiments

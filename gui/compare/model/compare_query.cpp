#include "gui/compare/model/compare_query.h"

#include <QElapsedTimer>
#include <algorithm>

#include "gui/data/curves/metric_words.h"
#include "gui/data/curves/training_time.h"
#include "gui/kit/words/words.h"
#include "storage/compare/comparison.h"

namespace dasgd::gui {

namespace {

constexpr qint64 kNamesBudgetMs = 10;

}  // namespace

QString namedInWords(std::size_t runs) {
    if (runs <= kMostNamedRuns) return {};
    return QStringLiteral("Of the first %1 of %2 runs")
        .arg(grouped(static_cast<qint64>(kMostNamedRuns)), grouped(static_cast<qint64>(runs)));
}

void CompareQuery::request(CompareRequest request) {
    asked_.change([&](Asked& asked) { asked.request = std::move(request); });
}

void CompareQuery::forget() {
    asked_.change([](Asked& asked) { asked.forget = true; });
}

void CompareQuery::take() {
    Asked asked = asked_.take();
    if (asked.forget) {
        delivered_.clear();
        compared_.clear();
        reported_.clear();
    }
    if (!asked.request) return;
    request_ = std::move(*asked.request);
    compareDue_ = namesDue_ = request_.table;
    std::erase_if(compared_, [](const auto& entry) { return !entry.second.finished; });
    for (const std::string& run : std::exchange(growing_, {})) names_.erase(run);
    job_.reset();
    std::set<std::pair<CompareCurveKey, std::string>> wanted;
    for (const CompareCurveKey& key : request_.curves) {
        for (const CompareGroup& group : request_.groups) wanted.emplace(key, group.key);
    }
    std::erase_if(delivered_, [&](const auto& entry) { return !wanted.contains(entry.first); });
}

std::string CompareQuery::signatureOf(const CompareGroup& group) const {
    std::string signature = std::to_string(static_cast<int>(request_.members));
    for (const RunItemPtr& run : group.runs) {
        signature += " " + run->row.runId + " " + run->row.status;
        if (isLive(run->row)) signature += std::to_string(run->row.steps);
    }
    return signature;
}

std::optional<CompareQuery::Job> CompareQuery::nextJob() const {
    for (const CompareCurveKey& key : request_.curves) {
        for (const CompareGroup& group : request_.groups) {
            const std::string signature = signatureOf(group);
            const auto known = delivered_.find({key, group.key});
            if (known != delivered_.end() && known->second == signature) continue;
            Job job{.key = key, .group = group.key, .signature = signature};
            for (const RunItemPtr& run : group.runs) {
                if (group.takes(*run, request_.members)) job.runs.push_back(run);
            }
            return job;
        }
    }
    return std::nullopt;
}

// Reads the next run of the job; computes the curve once all are read.
Status CompareQuery::work(LiveStore& store, Job& job) {
    if (job.members.size() < job.runs.size()) {
        const RunItemPtr& run = job.runs[job.members.size()];
        DASGD_ASSIGN(storage::MetricAnswer answer,
                     store.reader().metrics().samples({.runId = run->row.runId, .name = job.key.metric}));
        GroupMember member{.run = run, .series = Series(alongOf(job.key.metric))};
        member.series.add(answer.samples);
        job.recorded = job.recorded || !answer.samples.empty();
        if (job.key.axis == XAxis::Training) {
            DASGD_ASSIGN(const auto clock, TrainingClock::read(store.reader().metrics(), run->row));
            job.clocked = job.clocked || (clock && !answer.samples.empty());
            member.series = clock ? onTrainingTime(member.series, *clock) : Series(member.series.along());
        }
        job.members.push_back(std::move(member));
        if (job.members.size() < job.runs.size()) return {};
    }
    const double scale = wordsOf(job.key.metric).scale;
    GroupCurve curve = groupCurve(std::move(job.members), job.key.axis, scale, job.key.smoothing);
    curve.unclocked = job.recorded && !job.clocked && job.key.axis == XAxis::Training;
    auto made = std::make_shared<const GroupCurve>(std::move(curve));
    delivered_[{job.key, job.group}] = job.signature;
    deliver([this, curve = CompareCurve{job.key, job.group, std::move(made)}] { emit curveArrived(curve); });
    job_.reset();
    return {};
}

// Reads as many runs as the time limit allows; the next refresh reads on.
Result<bool> CompareQuery::readCompared(LiveStore& store) {
    if (comparedTarget_ != request_.target) compared_.clear();
    comparedTarget_ = request_.target;
    QElapsedTimer clock;
    clock.start();
    bool any = false;
    for (const CompareGroup& group : request_.groups) {
        for (const RunItemPtr& run : group.runs) {
            if (compared_.contains(run->row.runId)) continue;
            // One run is always read, so that slow reads still come to an end.
            if (std::exchange(any, true) && clock.elapsed() >= budgetMs_) return false;
            DASGD_ASSIGN(ComparedRun read, storage::readComparedRun(store.reader(), run->row, request_.target));
            compared_.emplace(run->row.runId, std::move(read));
        }
    }
    return true;
}

Status CompareQuery::compare(LiveStore& store) {
    DASGD_ASSIGN(const bool all, readCompared(store));
    if (!all) return {};
    auto out = std::make_shared<Compared>();
    std::vector<ComparedRun> runs;
    for (const CompareGroup& group : request_.groups) {
        for (const RunItemPtr& run : group.runs) {
            const ComparedRun& known = compared_.at(run->row.runId);
            runs.push_back(known);
            if (known.secondsToTarget) out->secondsToTarget[run->row.runId] = *known.secondsToTarget;
        }
    }
    out->target = request_.target;
    for (const CompareGroup& group : request_.groups) out->keys.push_back(group.key);
    if (auto comparison = compareRuns(runs, "")) out->comparison = std::move(*comparison);
    const auto chosen = std::find(out->keys.begin(), out->keys.end(), request_.baseline);
    if (chosen != out->keys.end() && out->comparison.groups.size() == out->keys.size()) {
        const auto place = static_cast<std::size_t>(chosen - out->keys.begin());
        auto comparison = compareRuns(runs, out->comparison.groups[place].label);
        if (!comparison) {
            out->error = QString::fromStdString(comparison.error().message);
        } else {
            out->comparison = std::move(*comparison);
        }
    }
    compareDue_ = false;
    deliver([this, result = std::shared_ptr<const Compared>(out)] { emit compared(result); });
    return {};
}

// Reads as many names as the time limit allows; the next refresh reads on.
Status CompareQuery::readNames(LiveStore& store) {
    QElapsedTimer clock;
    clock.start();
    std::vector<RunItemPtr> runs;
    for (const CompareGroup& group : request_.groups) runs.insert(runs.end(), group.runs.begin(), group.runs.end());
    runs.resize(std::min(runs.size(), kMostNamedRuns));
    std::set<std::string> all;
    bool due = false;
    for (const RunItemPtr& run : runs) {
        auto known = names_.find(run->row.runId);
        if (known == names_.end()) {
            if (clock.elapsed() > kNamesBudgetMs) {
                due = true;
                continue;
            }
            DASGD_ASSIGN(std::vector<std::string> read, store.reader().metrics().names(run->row.runId));
            known = names_.emplace(run->row.runId, std::move(read)).first;
            if (isLive(run->row)) growing_.insert(run->row.runId);
        }
        all.insert(known->second.begin(), known->second.end());
    }
    namesDue_ = due;
    // Names already reported are kept until all runs are read.
    if (due) all.insert(reported_.begin(), reported_.end());
    if (all == reported_) return {};
    reported_ = all;
    deliver([this, names = std::vector<std::string>(all.begin(), all.end())] { emit metricsArrived(names); });
    return {};
}

Status CompareQuery::refresh(LiveStore& store) {
    take();
    if (request_.groups.empty()) return {};
    QElapsedTimer clock;
    clock.start();
    if (compareDue_) DASGD_TRY(compare(store));
    if (namesDue_) DASGD_TRY(readNames(store));
    while (clock.elapsed() < budgetMs_) {
        if (!job_) job_ = nextJob();
        if (!job_) break;
        DASGD_TRY(work(store, *job_));
    }
    const std::size_t wanted = request_.groups.size() * request_.curves.size();
    const auto left = static_cast<int>(wanted > delivered_.size() ? wanted - delivered_.size() : 0);
    deliver([this, left] { emit progress(left); });
    if (compareDue_ || namesDue_ || job_ || nextJob()) {
        ask();
    } else {
        request_.curves.clear();
        request_.groups.clear();
    }
    return {};
}

}  // namespace dasgd::gui

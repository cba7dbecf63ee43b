#include "gui/compare/model/compare_query.h"

#include <QElapsedTimer>
#include <algorithm>

#include "storage/compare/comparison.h"

namespace dasgd::gui {

Compared comparedOf(const std::vector<CompareGroup>& groups, const std::map<std::string, ComparedRun>& read,
                    const std::optional<Target>& target, const std::string& baseline) {
    Compared out{.target = target};
    std::vector<ComparedRun> runs;
    std::optional<std::size_t> chosen;
    for (const CompareGroup& group : groups) {
        if (group.key == baseline) chosen = out.keys.size();
        out.keys.push_back(group.key);
        for (const RunItemPtr& run : group.runs) {
            runs.push_back(read.at(run->row.runId));
            if (runs.back().secondsToTarget) out.secondsToTarget[run->row.runId] = *runs.back().secondsToTarget;
        }
    }
    if (auto comparison = compareRuns(runs, "")) out.comparison = std::move(*comparison);
    if (!chosen || *chosen >= out.comparison.groups.size()) return out;
    auto comparison = compareRuns(runs, std::string(out.comparison.groups[*chosen].label));
    if (comparison) {
        out.comparison = std::move(*comparison);
    } else {
        out.error = QString::fromStdString(comparison.error().message);
    }
    return out;
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
    }
    if (!asked.request) return;
    request_ = std::move(*asked.request);
    compareDue_ = request_.table;
    std::erase_if(compared_, [this](const auto& entry) {
        if (!entry.second.finished) names_.erase(entry.first);
        return !entry.second.finished;
    });
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
        DASGD_ASSIGN(GroupMember member, readMember(store.reader(), job.runs[job.members.size()], job.key));
        job.members.push_back(std::move(member));
        if (job.members.size() < job.runs.size()) return {};
    }
    auto made = std::make_shared<const GroupCurve>(groupCurve(std::move(job.members), job.key.axis));
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
            if (!names_.contains(run->row.runId)) {
                DASGD_ASSIGN(names_[run->row.runId], store.reader().metrics().names(run->row.runId));
            }
            compared_.emplace(run->row.runId, std::move(read));
        }
    }
    return true;
}

Status CompareQuery::compare(LiveStore& store) {
    DASGD_ASSIGN(const bool all, readCompared(store));
    if (!all) return {};
    Compared out = comparedOf(request_.groups, compared_, request_.target, request_.baseline);
    std::set<std::string> metrics;
    for (const CompareGroup& group : request_.groups) {
        for (const RunItemPtr& run : group.runs) {
            const std::vector<std::string>& names = names_.at(run->row.runId);
            metrics.insert(names.begin(), names.end());
        }
    }
    out.metrics.assign(metrics.begin(), metrics.end());
    compareDue_ = false;
    deliver([this, out = std::make_shared<const Compared>(std::move(out))] { emit compared(out); });
    return {};
}

Status CompareQuery::refresh(LiveStore& store) {
    take();
    if (request_.groups.empty()) return {};
    QElapsedTimer clock;
    clock.start();
    if (compareDue_) DASGD_TRY(compare(store));
    while (clock.elapsed() < budgetMs_) {
        if (!job_) job_ = nextJob();
        if (!job_) break;
        DASGD_TRY(work(store, *job_));
    }
    const std::size_t wanted = request_.groups.size() * request_.curves.size();
    const auto left = static_cast<int>(wanted > delivered_.size() ? wanted - delivered_.size() : 0);
    deliver([this, left] { emit progress(left); });
    if (compareDue_ || job_ || nextJob()) {
        ask();
    } else {
        request_.curves.clear();
        request_.groups.clear();
    }
    return {};
}

}  // namespace dasgd::gui

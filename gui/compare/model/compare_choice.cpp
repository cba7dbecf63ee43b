#include "gui/compare/model/compare_choice.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr int kRegroupMs = 400;

}  // namespace

CompareChoice::CompareChoice(Session& session) : session_(session) {
    pending_.setSingleShot(true);
    connect(&pending_, &QTimer::timeout, this, &CompareChoice::gather);
    connect(&session_, &Session::runsChanged, this, &CompareChoice::later);
}

void CompareChoice::setWatching(bool watching) {
    watching_ = watching;
    if (watching_ && stale_) gather();
}

void CompareChoice::later() {
    stale_ = true;
    if (watching_ && !pending_.isActive()) pending_.start(kRegroupMs);
}

void CompareChoice::setRuns(const QStringList& ids, const QString& filter) {
    ids_ = ids;
    origin_ = filter;
    experiment_.clear();
    hidden_.clear();
    brushed_.reset();
    highlighted_.reset();
    baselineKey_.clear();
    if (!filterText_.isEmpty() || filterError_) setFilter({});
    emit restarted();
    isReset_ = true;
    stale_ = true;
    if (watching_) gather();
}

void CompareChoice::takeNewestExperiment() {
    const RunItemPtr newest = session_.runs().newest(RunTableModel::Among::TrainingsFirst);
    if (!newest) return;
    setRuns({});
    experiment_ = QString::fromStdString(newest->row.experiment);
    gather();
}

void CompareChoice::gather() {
    stale_ = false;
    std::vector<RunItemPtr> runs;
    if (experiment_.isEmpty()) {
        for (const QString& id : ids_) {
            if (const RunItemPtr run = session_.runs().find(id)) runs.push_back(run);
        }
    } else {
        runs = session_.runs().ofExperiment(experiment_.toStdString());
        const auto training = std::ranges::find_if(runs, [](const RunItemPtr& run) { return !isProbe(run->row); });
        if (!runs.empty()) {
            ExperimentRuns compared = comparedWith(training == runs.end() ? *runs.front() : **training, runs);
            runs = std::move(compared.runs);
            origin_ = std::move(compared.filter);
        }
    }
    // The order of `dasgd compare`, independent of the order in which the runs were chosen.
    std::stable_sort(runs.begin(), runs.end(), [](const RunItemPtr& a, const RunItemPtr& b) {
        return std::pair(a->row.startedAt, a->id) < std::pair(b->row.startedAt, b->id);
    });
    regroup(runs);
}

void CompareChoice::regroup(const std::vector<RunItemPtr>& runs) {
    const std::string highlightedKey = highlighted_ ? groups_[*highlighted_].key : std::string();
    std::vector<RunItemPtr> before;
    for (const CompareGroup& group : groups_) before.insert(before.end(), group.runs.begin(), group.runs.end());
    groups_ = compareGroups(runs, [this](const RunItem& run) { return session_.styleOf(run); });
    std::vector<RunItemPtr> now;
    for (const CompareGroup& group : groups_) now.insert(now.end(), group.runs.begin(), group.runs.end());
    if (now == before && !std::exchange(isReset_, false)) return;
    isReset_ = false;
    for (const RunItemPtr& run : now) fields_.add(*run);
    const auto front = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const CompareGroup& group) { return group.key == highlightedKey; });
    highlighted_.reset();
    if (front != groups_.end()) highlighted_ = static_cast<std::size_t>(front - groups_.begin());
    sift();
    emit groupsChanged();
    emit shownChanged();
}

void CompareChoice::sift() {
    listed_.clear();
    shown_.clear();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const CompareGroup& group = groups_[i];
        if (!passesFilter(i) || (brushed_ && !brushed_->contains(group.key))) continue;
        listed_.push_back(i);
        if (!hidden_.contains(group.key)) shown_.push_back(i);
    }
}

bool CompareChoice::passesFilter(std::size_t group) const {
    const auto& runs = groups_[group].runs;
    return std::any_of(runs.begin(), runs.end(), [this](const RunItemPtr& run) { return filter_.accepts(*run); });
}

std::optional<std::size_t> CompareChoice::highlighted() const {
    const bool isShown = highlighted_ && std::ranges::binary_search(shown_, *highlighted_);
    return isShown ? highlighted_ : std::nullopt;
}

QString CompareChoice::title() const {
    std::set<std::string> experiments;
    for (const CompareGroup& group : groups_) {
        for (const RunItemPtr& run : group.runs) experiments.insert(run->row.experiment);
    }
    if (experiments.size() == 1) return QString::fromStdString(*experiments.begin());
    return QStringLiteral("%1 experiments").arg(experiments.size());
}

void CompareChoice::setHidden(const std::vector<std::size_t>& groups, bool hidden) {
    for (const std::size_t group : groups) {
        if (hidden) {
            hidden_.insert(groups_[group].key);
        } else {
            hidden_.erase(groups_[group].key);
        }
    }
    sift();
    emit shownChanged();
}

void CompareChoice::highlight(std::optional<std::size_t> group) {
    if (group == highlighted_) return;
    highlighted_ = group;
    emit highlightChanged();
}

void CompareChoice::setFilter(const QString& text) {
    auto parsed = FilterExpression::parse(text, fields_);
    filterError_.reset();
    if (!parsed) {
        filterError_ = parsed.error();
    } else {
        filter_ = std::move(*parsed);
        filterText_ = text.trimmed();
    }
    sift();
    emit shownChanged();
}

void CompareChoice::setBrushed(const std::optional<std::set<std::string>>& keys) {
    if (keys == brushed_) return;
    brushed_ = keys;
    sift();
    emit shownChanged();
}

QString CompareChoice::origin() const {
    if (origin_.isEmpty() || filterText_.isEmpty()) return origin_;
    return QStringLiteral("(%1) and (%2)").arg(origin_, filterText_);
}

const CompareGroup* CompareChoice::chosenBaseline() const {
    const auto chosen = std::ranges::find(groups_, baselineKey_, &CompareGroup::key);
    return chosen == groups_.end() ? nullptr : &*chosen;
}

void CompareChoice::setBaseline(std::optional<std::size_t> group) {
    baselineKey_ = group ? groups_[*group].key : std::string();
    emit baselineChanged();
}

}  // namespace dasgd::gui

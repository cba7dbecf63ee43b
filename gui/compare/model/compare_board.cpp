#include "gui/compare/model/compare_board.h"

#include <algorithm>
#include <utility>

#include "gui/data/filter/filter_expression.h"

namespace dasgd::gui {

namespace {

constexpr int kRegroupMs = 400;
constexpr int kShowMs = 60;  // curves that arrive together are drawn together

}  // namespace

CompareBoard::CompareBoard(Session& session, QObject* parent)
    : QObject(parent), session_(session), query_(session.feed().query<CompareQuery>()) {
    pending_.setSingleShot(true);
    connect(&pending_, &QTimer::timeout, this, &CompareBoard::gather);
    arrived_.setSingleShot(true);
    connect(&arrived_, &QTimer::timeout, this, &CompareBoard::curvesChanged);
    connect(&session_, &Session::runsChanged, this, &CompareBoard::later);
    connect(&query_, &CompareQuery::curveArrived, this, [this](const CompareCurve& curve) {
        const bool stands = std::any_of(groups_.begin(), groups_.end(),
                                        [&](const CompareGroup& group) { return group.key == curve.group; });
        if (!stands) return;  // answers an earlier request
        curves_[{curve.key, curve.group}] = curve.curve;
        if (!arrived_.isActive()) arrived_.start(kShowMs);
    });
    connect(&query_, &CompareQuery::compared, this, &CompareBoard::take);
    connect(&query_, &CompareQuery::metricsArrived, this, [this](const std::vector<std::string>& metrics) {
        metrics_ = metrics;
        emit metricsChanged();
    });
    connect(&query_, &CompareQuery::progress, this, [this](int left) {
        // At 0 nothing more will arrive, so the views are drawn once more.
        if (std::exchange(left_, left) != left && left == 0 && !arrived_.isActive()) arrived_.start(kShowMs);
    });
}

// An answer to an earlier request, for other configurations or runs, is dropped; the current one is still computed.
void CompareBoard::take(const std::shared_ptr<const Compared>& compared) {
    if (compared->keys.size() != groups_.size() || compared->comparison.groups.size() != groups_.size()) return;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const auto& ids = compared->comparison.groups[i].runIds;
        const bool isSame =
            std::equal(ids.begin(), ids.end(), groups_[i].runs.begin(), groups_[i].runs.end(),
                       [](const std::string& id, const RunItemPtr& run) { return id == run->row.runId; });
        if (compared->keys[i] != groups_[i].key || !isSame) return;
    }
    compared_ = compared;
    cautions_.reset();
    emit comparedChanged();
}

void CompareBoard::setWatching(bool watching) {
    watching_ = watching;
    if (watching_ && stale_) gather();
}

void CompareBoard::later() {
    stale_ = true;
    if (watching_ && !pending_.isActive()) pending_.start(kRegroupMs);
}

void CompareBoard::setRuns(const QStringList& ids, const QString& filter) {
    ids_ = ids;
    origin_ = filter;
    experiment_.clear();
    hidden_.clear();
    brushed_.reset();
    highlighted_.reset();
    baselineKey_.clear();
    compared_.reset();
    cautions_.reset();
    if (!filterText_.isEmpty() || filterError_) {
        setFilter({});
        emit filterCleared();
    }
    isReset_ = true;
    stale_ = true;
    if (watching_) gather();
}

void CompareBoard::takeNewestExperiment() {
    const RunItemPtr newest = session_.runs().newest(RunTableModel::Among::TrainingsFirst);
    if (!newest) return;
    setRuns({});
    experiment_ = QString::fromStdString(newest->row.experiment);
    gather();
}

void CompareBoard::gather() {
    stale_ = false;
    std::vector<RunItemPtr> runs;
    if (experiment_.isEmpty()) {
        for (const QString& id : ids_) {
            if (const RunItemPtr run = session_.runs().find(id)) runs.push_back(run);
        }
    } else {
        runs = session_.runs().ofExperiment(experiment_.toStdString());
        origin_ = experimentFilter(experiment_);
        const auto trains = [](const RunItemPtr& run) { return !isProbe(run->row); };
        if (std::ranges::any_of(runs, trains) && !std::ranges::all_of(runs, trains)) {
            std::erase_if(runs, [](const RunItemPtr& run) { return isProbe(run->row); });
            origin_ += QStringLiteral(" and algorithm != probe");
        }
    }
    // The order of `dasgd compare`, independent of the order in which the runs were chosen.
    std::stable_sort(runs.begin(), runs.end(), [](const RunItemPtr& a, const RunItemPtr& b) {
        return std::pair(a->row.startedAt, a->id) < std::pair(b->row.startedAt, b->id);
    });
    regroup(runs);
}

void CompareBoard::regroup(const std::vector<RunItemPtr>& runs) {
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
    std::set<std::string> keys;
    for (const CompareGroup& group : groups_) keys.insert(group.key);
    const std::size_t all = curves_.size();
    std::erase_if(curves_, [&](const auto& entry) { return !keys.contains(entry.first.second); });
    // The query delivers nothing twice, so a group that returns later needs its curves forgotten there too.
    if (curves_.size() < all) {
        curves_.clear();
        query_.forget();
    }
    sift();
    request();
    emit groupsChanged();
    emit shownChanged();
}

void CompareBoard::request() {
    CompareRequest asked{.groups = groups_, .members = members_, .baseline = baselineKey_, .target = target_};
    std::set<CompareCurveKey> keys;
    for (const auto& [chart, key] : wanted_) keys.insert(key);
    asked.curves.assign(keys.begin(), keys.end());
    query_.request(std::move(asked));
}

void CompareBoard::sift() {
    listed_.clear();
    shown_.clear();
    cautions_.reset();
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const CompareGroup& group = groups_[i];
        if (!passesFilter(i) || (brushed_ && !brushed_->contains(group.key))) continue;
        listed_.push_back(i);
        if (!hidden_.contains(group.key)) shown_.push_back(i);
    }
}

bool CompareBoard::passesFilter(std::size_t group) const {
    const auto& runs = groups_[group].runs;
    return std::any_of(runs.begin(), runs.end(), [this](const RunItemPtr& run) { return filter_.accepts(*run); });
}

QString CompareBoard::nothingShownInWords() {
    return QStringLiteral(
        "Nothing is shown. Every configuration is hidden (Space in the list), filtered out, or outside what is marked "
        "on an axis (Escape there).");
}

std::optional<std::size_t> CompareBoard::highlighted() const {
    const bool isShown = highlighted_ && std::ranges::binary_search(shown_, *highlighted_);
    return isShown ? highlighted_ : std::nullopt;
}

QString CompareBoard::title() const {
    std::set<std::string> experiments;
    for (const CompareGroup& group : groups_) {
        for (const RunItemPtr& run : group.runs) experiments.insert(run->row.experiment);
    }
    if (experiments.size() == 1) return QString::fromStdString(*experiments.begin());
    return QStringLiteral("%1 experiments").arg(experiments.size());
}

void CompareBoard::setHidden(const std::vector<std::size_t>& groups, bool hidden) {
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

void CompareBoard::highlight(std::optional<std::size_t> group) {
    if (group == highlighted_) return;
    highlighted_ = group;
    emit highlightChanged();
}

void CompareBoard::setFilter(const QString& text) {
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

void CompareBoard::setBrushed(const std::optional<std::set<std::string>>& keys) {
    if (keys == brushed_) return;
    brushed_ = keys;
    sift();
    emit shownChanged();
}

void CompareBoard::want(const void* chart, const CompareCurveKey& key) {
    const auto known = wanted_.find(chart);
    const bool reads = cursorKey_.metric.empty() || (known != wanted_.end() && known->second == cursorKey_);
    const bool changes = reads && cursorKey_ != key;
    if (changes) cursorKey_ = key;
    wanted_[chart] = key;
    if (changes) emit cursorChanged();
    if (!groups_.empty()) request();
}

const GroupCurve* CompareBoard::curve(const CompareCurveKey& key, std::size_t group) const {
    const auto found = curves_.find({key, groups_[group].key});
    return found == curves_.end() ? nullptr : found->second.get();
}

// True if the curve is over training time and none of the shown runs that recorded the metric recorded its training
// time.
bool CompareBoard::isUnclocked(const CompareCurveKey& key) const {
    return key.axis == XAxis::Training && !shown_.empty() && std::ranges::all_of(shown_, [&](std::size_t group) {
               const GroupCurve* made = curve(key, group);
               return made && made->unclocked;
           });
}

XAxis CompareBoard::usualTime() {
    const bool any = std::ranges::any_of(wanted_, [this](const auto& one) { return isUnclocked(one.second); });
    if (!any && !unclocked_) return XAxis::Training;
    std::set<std::string> runs;
    for (const std::size_t group : shown_) {
        for (const RunItemPtr& run : groups_[group].runs) runs.insert(run->row.runId);
    }
    if (any) {
        unclocked_ = std::move(runs);
    } else if (runs != *unclocked_) {
        unclocked_.reset();
    }
    return unclocked_ ? XAxis::Wall : XAxis::Training;
}

std::size_t CompareBoard::runsInCurves() const {
    std::size_t runs = 0;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const GroupCurve* own = curve(cursorKey_, i);
        if (!own || !own->mean.mean.x.empty()) runs += groups_[i].taken(members_);
    }
    return runs;
}

QString CompareBoard::origin() const {
    if (origin_.isEmpty() || filterText_.isEmpty()) return origin_;
    return QStringLiteral("(%1) and (%2)").arg(origin_, filterText_);
}

const CompareGroup* CompareBoard::chosenBaseline() const {
    const auto chosen = std::ranges::find(groups_, baselineKey_, &CompareGroup::key);
    return chosen == groups_.end() ? nullptr : &*chosen;
}

void CompareBoard::setMembers(Members members) {
    if (members == members_) return;
    members_ = members;
    request();
    emit groupsChanged();
    emit shownChanged();
}

void CompareBoard::setSpread(Spread spread) {
    spread_ = spread;
    emit curvesChanged();
    emit comparedChanged();
}

void CompareBoard::setTarget(const std::optional<Target>& target) {
    if (target == target_) return;
    target_ = target;
    if (!groups_.empty()) request();
    emit comparedChanged();  // the times in the table are for the former target
}

void CompareBoard::setBaseline(std::optional<std::size_t> group) {
    baselineKey_ = group ? groups_[*group].key : std::string();
    request();
}

CompareView CompareBoard::view() const {
    CompareView view(groups_, compared_.get());
    view.shown = shown_;
    view.highlighted = highlighted();
    view.spread = spread_;
    view.target = target_;
    return view;
}

const QString& CompareBoard::cautionsInWords() const {
    if (!cautions_) cautions_ = view().cautionsInWords();
    return *cautions_;
}

std::optional<double> CompareBoard::readAt() const {
    if (cursor_ || members_ != Members::AsFarAsAll) return cursor_;
    std::optional<double> end;
    for (const std::size_t group : shown_) {
        const GroupCurve* own = curve(cursorKey_, group);
        if (!own || own->mean.mean.x.empty()) continue;
        end = std::min(end.value_or(own->mean.mean.x.back()), own->mean.mean.x.back());
    }
    return end;
}

void CompareBoard::setCursor(const std::optional<double>& x, const CompareCurveKey& key) {
    cursor_ = x;
    cursorKey_ = key;
    emit cursorChanged();
}

}  // namespace dasgd::gui

#include "gui/compare/model/compare_legend_model.h"

#include <algorithm>
#include <cmath>

#include "gui/data/curves/metric_words.h"
#include "gui/kit/curves/smoothing.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr double kSamePlace = 1e-3;  // ends closer than this have the same digits in words

}  // namespace

CompareLegendModel::CompareLegendModel(CompareBoard& board, QObject* parent)
    : QAbstractListModel(parent), board_(board) {
    connect(&board_.choice, &CompareChoice::shownChanged, this, &CompareLegendModel::relist);
    connect(&board_.choice, &CompareChoice::highlightChanged, this, &CompareLegendModel::refresh);
    connect(&board_.curves, &CompareCurves::curvesChanged, this, &CompareLegendModel::refresh);
    connect(&board_.curves, &CompareCurves::cursorChanged, this, &CompareLegendModel::refresh);
    relist();
}

// If the configurations are the same, the rows and a view's current row are kept although the runs have changed.
void CompareLegendModel::relist() {
    std::vector<std::string> keys;
    for (const std::size_t group : board_.choice.listed()) keys.push_back(board_.choice.groups()[group].key);
    if (keys == keys_) {
        rows_ = board_.choice.listed();
        return refresh();
    }
    beginResetModel();
    apart_ = endsApart();
    rows_ = board_.choice.listed();
    keys_ = std::move(keys);
    endResetModel();
}

void CompareLegendModel::refresh() {
    apart_ = endsApart();
    if (!rows_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
}

int CompareLegendModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CompareLegendModel::rowOf(std::size_t group) const {
    const auto found = std::find(rows_.begin(), rows_.end(), group);
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

const GroupCurve* CompareLegendModel::curveRead(std::size_t group) const {
    const GroupCurve* curve = board_.curves.curve(board_.curves.cursorKey(), group);
    return curve && !curve->mean.mean.x.empty() ? curve : nullptr;
}

bool CompareLegendModel::endsApart() const {
    if (board_.curves.readAt()) return false;
    std::optional<double> first;
    for (const std::size_t group : board_.choice.shown()) {
        const GroupCurve* curve = curveRead(group);
        if (!curve) continue;
        const double end = curve->mean.mean.x.back();
        if (std::abs(end - first.value_or(end)) > kSamePlace * std::abs(end)) return true;
        first = first.value_or(end);
    }
    return false;
}

QString CompareLegendModel::placeOf(std::size_t group) const {
    const GroupCurve* curve = apart_ && !board_.choice.isHidden(group) ? curveRead(group) : nullptr;
    if (!curve) return {};
    return placeInWords(board_.curves.cursorKey().axis, curve->mean.mean.x.back());
}

QString CompareLegendModel::readInWords() const {
    const XAxis axis = board_.curves.cursorKey().axis;
    const QString title =
        wordsOf(board_.curves.cursorKey().metric).title + smoothingInWords(board_.curves.cursorKey().smoothing);
    const auto words = [&title](const QString& place) { return QStringLiteral("at %1: %2").arg(place, title); };
    if (const auto at = board_.curves.readAt()) return words(placeInWords(axis, *at));
    if (endsApart()) return words(QStringLiteral("the end of each curve"));
    // Curves that end together before training does are labelled with that place.
    for (const std::size_t group : board_.choice.shown()) {
        const GroupCurve* curve = curveRead(group);
        if (curve && !curve->whole) return words(placeInWords(axis, curve->mean.mean.x.back()));
    }
    return words(QStringLiteral("the end"));
}

// "0.034 ± 0.002" at readAt(); the last value of the curve if that is nullopt.
QString CompareLegendModel::valueAtCursor(std::size_t group) const {
    const GroupCurve* curve = board_.curves.curve(board_.curves.cursorKey(), group);
    if (curve && curve->mean.nothingShared()) return QStringLiteral("no mean");
    if (!curve || curve->mean.mean.x.empty()) return kAbsent;
    const auto at = board_.curves.readAt();
    const auto point = at ? curve->pointAt(*at) : std::optional(curve->mean.mean.x.size() - 1);
    if (!point) return kAbsent;
    const double spread = curve->spreadAt(*point, board_.curves.spread());
    const double mean = curve->mean.mean.y[*point];
    return std::isnan(spread) ? shortNumber(mean) : withSpread(mean, spread);
}

// Number of runs in the mean at the place that is read; nullopt without a curve, as for a metric that was not recorded.
std::optional<std::size_t> CompareLegendModel::runsAtCursor(std::size_t group) const {
    const GroupCurve* curve = board_.curves.curve(board_.curves.cursorKey(), group);
    if (curve && curve->mean.nothingShared()) return std::size_t{0};
    if (!curve || curve->mean.n.empty()) return std::nullopt;
    const std::vector<int>& n = curve->mean.n;
    const auto at = board_.curves.readAt();
    if (!at) return static_cast<std::size_t>(std::max(0, n.back()));
    const auto point = curve->pointAt(*at);
    return point ? static_cast<std::size_t>(std::max(0, curve->mean.n[*point])) : std::size_t{0};
}

// Number of runs at the place that is read, of all runs of the group; without a curve the group's own count.
QString CompareLegendModel::countOf(std::size_t group) const {
    const CompareGroup& own = board_.choice.groups()[group];
    const auto known = runsAtCursor(group);
    if (!known) return own.count();
    const std::size_t drawn = *known;
    return drawn == own.runs.size() ? QString::number(drawn)
                                    : QStringLiteral("%1 of %2").arg(drawn).arg(own.runs.size());
}

QVariant CompareLegendModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const std::size_t place = rows_[static_cast<std::size_t>(index.row())];
    const CompareGroup& group = board_.choice.groups()[place];
    const auto words = [&] {
        const GroupCurve* curve = board_.curves.curve(board_.curves.cursorKey(), place);
        const QString own = placeOf(place);
        // A curve cut before the end of some seeds does not end where training ends.
        const QString cut = curve && !curve->whole ? QStringLiteral(", cut") : QString();
        const QString read = own.isEmpty() ? readInWords() : QStringLiteral("at %1%2:").arg(own, cut);
        const QString note = curve && !curve->note.isEmpty() ? QLatin1Char('\n') + curve->note : QString();
        return QStringLiteral("%1\n%2, n %3\n%4 %5%6")
            .arg(group.name, group.origin(), countOf(place), read, valueAtCursor(place), note);
    };
    switch (role) {
        case Qt::DisplayRole: return group.name;
        case Qt::ToolTipRole: return asTip(words());
        case Qt::AccessibleTextRole:
            return QString(words()).replace(QLatin1Char('\n'), QStringLiteral(", ")) +
                   (board_.choice.isHidden(place) ? QStringLiteral(", hidden") : QString());
        case Qt::CheckStateRole: return static_cast<int>(board_.choice.isHidden(place) ? Qt::Unchecked : Qt::Checked);
        case StyleRole: return QVariant::fromValue(group.style);
        case HollowRole: return group.simulated();
        case CountRole: return countOf(place);
        case PartialRole:
            return std::min(group.finished(), runsAtCursor(place).value_or(group.finished())) < group.runs.size();
        case ValueRole: return valueAtCursor(place);
        case PlaceRole: return placeOf(place);
        case HighlightRole: return board_.choice.highlighted() == place;
        case GroupRole: return QVariant::fromValue(place);
        default: return {};
    }
}

bool CompareLegendModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::CheckStateRole) return false;
    board_.choice.setHidden({rows_[static_cast<std::size_t>(index.row())]}, value.toInt() == Qt::Unchecked);
    return true;
}

Qt::ItemFlags CompareLegendModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren;
}

}  // namespace dasgd::gui

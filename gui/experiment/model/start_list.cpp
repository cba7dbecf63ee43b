#include "gui/experiment/model/start_list.h"

#include <QFileInfo>
#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "gui/experiment/model/document/experiment_document.h"
#include "gui/kit/words/age.h"

namespace dasgd::gui {

namespace {

bool sameStart(const Start& left, const Start& right) {
    return left.kind == right.kind && left.title == right.title && left.words == right.words &&
           left.text == right.text && left.folder == right.folder;
}

QString remarkInShort(const QString& remark) {
    const qsizetype end = remark.indexOf(QLatin1String(", "));
    QString words = end > 0 ? remark.left(end) : remark;
    if (words.endsWith(u'.') || words.endsWith(u':')) words.chop(1);
    return words;
}

Start startOf(const SeriesDocument& series, const std::filesystem::path& workspace) {
    Start start = startFrom(*series.base, workspace);
    start.text = series.text;
    return start;
}

}  // namespace

Start startFrom(const RunItem& run, const std::filesystem::path& workspace) {
    const QString text = QString::fromStdString(run.row.config);
    const bool namesArtefact = namedFiles(text).contains(QStringLiteral("artefacts"));
    const auto folder = std::filesystem::absolute(workspace) / "runs" / run.row.runId;
    return {.kind = Start::Kind::Recent,
            .title = QString::fromStdString(run.row.experiment),
            .text = text,
            .folder = namesArtefact ? QString::fromStdString(folder.string()) : QString()};
}

std::optional<Start> startFromSeries(std::span<const RunItemPtr> runs, const std::filesystem::path& workspace) {
    const auto series = seriesDocument(runs);
    return series ? std::optional(startOf(*series, workspace)) : std::nullopt;
}

std::optional<Start> startFromRuns(std::span<const RunItemPtr> runs, const std::filesystem::path& workspace) {
    const auto imported = [](const RunItemPtr& run) { return run->row.imported(); };
    if (runs.empty() || std::ranges::any_of(runs, imported)) return std::nullopt;
    if (runs.size() == 1) return startFrom(*runs.front(), workspace);
    const std::string& series = runs.front()->row.series;
    const auto together = [&](const RunItemPtr& run) { return run->row.series == series; };
    if (series.empty() || !std::ranges::all_of(runs, together)) return std::nullopt;
    return startFromSeries(runs, workspace);
}

StartList::StartList(std::vector<Preset> presets, QObject* parent) : QAbstractListModel(parent) {
    for (Preset& preset : presets) {
        presets_.push_back({Start::Kind::Preset, preset.title, remarkInShort(preset.remark), preset.remark,
                            std::move(preset.text), QFileInfo(preset.file).path()});
    }
    refresh();
}

int StartList::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant StartList::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Start& start = at(index.row());
    switch (role) {
        case Qt::DisplayRole: return start.title;
        case Qt::ToolTipRole: return start.tip.isEmpty() ? QVariant() : asTip(start.tip);
        case WordsRole: return start.words;
        case HeadRole: return start.kind == Start::Kind::Head;
        case ShownRole: return !shownText_.isEmpty() && start.text == shownText_;
        default: return {};
    }
}

Qt::ItemFlags StartList::flags(const QModelIndex& index) const {
    if (!index.isValid() || at(index.row()).kind == Start::Kind::Head) return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

void StartList::setRuns(const std::vector<RunItemPtr>& runs, const std::filesystem::path& workspace,
                        const QDateTime& now) {
    struct Experiment {
        RunItemPtr newest;
        std::vector<RunItemPtr> runs;
    };
    std::map<std::string, Experiment> experiments;
    for (const RunItemPtr& run : runs) {
        // Imported runs cannot be run again.
        if (run->row.imported() || isOfJob(run->row)) continue;
        Experiment& experiment = experiments[run->row.experiment];
        experiment.runs.push_back(run);
        if (!experiment.newest || run->row.startedAt > experiment.newest->row.startedAt) experiment.newest = run;
    }
    std::vector<Experiment> newest;
    for (auto& [name, experiment] : experiments) newest.push_back(std::move(experiment));
    std::ranges::sort(newest, std::greater<>(), [](const Experiment& one) { return one.newest->row.startedAt; });
    std::vector<Start> recent;
    std::map<std::string, Remade> remadeNow;
    for (const Experiment& one : newest) {
        if (recent.size() == kRecent) break;
        const storage::RunRow& row = one.newest->row;
        if (row.config.empty()) continue;
        Remade& own = remadeNow[row.experiment] = remade(*one.newest, one.runs);
        const auto count = static_cast<qint64>(one.runs.size());
        const QDateTime then = QDateTime::fromMSecsSinceEpoch(one.newest->startedMs, Qt::UTC);
        recent.push_back(own.document ? startOf(*own.document, workspace) : startFrom(*one.newest, workspace));
        const QString what = own.document ? tr("sweep of %1 runs").arg(grouped(own.document->runs))
                             : count == 1 ? tr("1 run")
                                          : tr("newest run of %1").arg(grouped(count));
        recent.back().words = what + QStringLiteral(" · ") + ageInWords(then, now);
        recent.back().tip = own.document ? tr("The sweep of its newest runs, from the settings of each of them")
                                         : tr("The settings of its newest run, %1").arg(one.newest->id);
    }
    remade_ = std::move(remadeNow);
    if (std::ranges::equal(recent, recent_, sameStart)) return;
    recent_ = std::move(recent);
    refresh();
}

StartList::Remade StartList::remade(const RunItem& newest, const std::vector<RunItemPtr>& runs) const {
    std::vector<RunItemPtr> series;
    std::ranges::copy_if(runs, std::back_inserter(series), [&](const RunItemPtr& run) {
        return !newest.row.series.empty() && run->row.series == newest.row.series;
    });
    QStringList ids;
    for (const RunItemPtr& run : series) ids << run->id;
    const auto known = remade_.find(newest.row.experiment);
    if (known != remade_.end() && known->second.ids == ids) return known->second;
    return {ids, seriesDocument(series)};
}

void StartList::setKept(const std::vector<Start>& kept) {
    if (std::ranges::equal(kept, kept_, sameStart)) return;
    kept_ = kept;
    refresh();
}

void StartList::setFilter(const QString& filter) {
    filter_ = filter.trimmed();
    refresh();
}

void StartList::setShown(const QString& text) {
    if (std::exchange(shownText_, text) != text && !shown_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
}

void StartList::refresh() {
    std::vector<Start> next;
    const auto add = [&](const QString& head, const std::vector<Start>& starts) {
        const auto hit = [this](const Start& start) {
            return (start.title + u' ' + start.tip).contains(filter_, Qt::CaseInsensitive);
        };
        if (std::ranges::none_of(starts, hit)) return;
        next.push_back({.title = head});
        std::ranges::copy_if(starts, std::back_inserter(next), hit);
    };
    add(tr("Not saved"), kept_);
    add(tr("Same again"), recent_);
    add(tr("Presets"), presets_);
    // If only ages have changed, the rows are updated in place and the view keeps its current row.
    const bool sameRows = std::ranges::equal(next, shown_, [](const Start& left, const Start& right) {
        return left.kind == right.kind && left.title == right.title;
    });
    if (sameRows) {
        shown_ = std::move(next);
        if (!shown_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
        return;
    }
    beginResetModel();
    shown_ = std::move(next);
    endResetModel();
}

}  // namespace dasgd::gui

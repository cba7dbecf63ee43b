#include "gui/models/experiment/start_list.h"

#include <QFileInfo>
#include <algorithm>
#include <map>

namespace dasgd::gui {

namespace {

bool sameStart(const Start& left, const Start& right) {
    return left.kind == right.kind && left.title == right.title && left.words == right.words && left.text == right.text;
}

QString remarkInShort(const QString& remark) {
    const qsizetype end = remark.indexOf(QLatin1String(", "));
    QString words = end > 0 ? remark.left(end) : remark;
    if (words.endsWith(u'.') || words.endsWith(u':')) words.chop(1);
    return words;
}

}  // namespace

Start startFrom(const RunItem& run) {
    return {Start::Kind::Recent, QString::fromStdString(run.row.experiment), QString(),
            QString(),           QString::fromStdString(run.row.config),     QString()};
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
        default: return {};
    }
}

Qt::ItemFlags StartList::flags(const QModelIndex& index) const {
    if (!index.isValid() || at(index.row()).kind == Start::Kind::Head) return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

void StartList::setRuns(const std::vector<RunItemPtr>& runs) {
    struct Experiment {
        RunItemPtr newest;
        int runs = 0;
    };
    std::map<std::string, Experiment> experiments;
    for (const RunItemPtr& run : runs) {
        Experiment& experiment = experiments[run->row.experiment];
        ++experiment.runs;
        if (!experiment.newest || run->row.startedAt > experiment.newest->row.startedAt) experiment.newest = run;
    }
    std::vector<Experiment> newest;
    for (const auto& [name, experiment] : experiments) newest.push_back(experiment);
    std::ranges::sort(newest, std::greater<>(), [](const Experiment& one) { return one.newest->row.startedAt; });
    std::vector<Start> recent;
    for (const Experiment& one : newest) {
        if (recent.size() == kRecent) break;
        const storage::RunRow& row = one.newest->row;
        if (row.config.empty()) continue;
        const QString count = one.runs == 1 ? tr("1 run") : tr("%1 runs").arg(grouped(one.runs));
        recent.push_back(startFrom(*one.newest));
        recent.back().words = count + QStringLiteral(" · ") + QString::fromStdString(row.algorithm);
        recent.back().tip = tr("The settings of its newest run, %1").arg(one.newest->id);
    }
    if (std::ranges::equal(recent, recent_, sameStart)) return;
    recent_ = std::move(recent);
    refresh();
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

void StartList::refresh() {
    beginResetModel();
    shown_.clear();
    const auto add = [this](const QString& head, const std::vector<Start>& starts) {
        const auto hit = [this](const Start& start) {
            return (start.title + u' ' + start.tip).contains(filter_, Qt::CaseInsensitive);
        };
        if (std::ranges::none_of(starts, hit)) return;
        shown_.push_back({.title = head});
        std::ranges::copy_if(starts, std::back_inserter(shown_), hit);
    };
    add(tr("Not saved"), kept_);
    add(tr("Same again"), recent_);
    add(tr("Presets"), presets_);
    endResetModel();
}

}  // namespace dasgd::gui

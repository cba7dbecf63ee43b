#include "gui/data/runs/run_table_model.h"

#include <QDateTime>
#include <QSet>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "core/analysis/inflation.h"
#include "core/analysis/runs/configuration.h"
#include "gui/data/runs/run_config.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr std::array<const char*, RunTableModel::kColumns> kHeaders{
    "★",       "status", "experiment", "algorithm",  "settings",  "seed",    "ranks",           "backend",
    "started", "wall",   "steps",      "final loss", "best acc.", "hidden",  "blocked ms/step", "samples/s",
    "tags",    "run",    "note",       "commit",     "error",     "ms/step", "skew ms",         "inflation",
    "samples", "sent"};

constexpr std::array<const char*, RunTableModel::kColumns> kHelp{
    "starred; a click or Ctrl+D changes it",
    "queued, held (Ctrl+H), running, finished, failed, stopped, interrupted, or taken out of the queue before it "
    "started; filters count that as stopped",
    "name in the experiment file",
    "how the ranks average",
    "the algorithm's own settings",
    "of initial weights, shuffles and partitions; with those of jitter, failures and traffic where they are set",
    "number of workers",
    "what carries the messages",
    "when the first rank started, local time; of a run that waits: its turn in the queue, or which run of its sweep it "
    "is "
    "to be",
    "from the start to the newest record; sim: on a virtual cluster, nothing was measured",
    "completed local steps of the rank that is furthest",
    "test loss of the last evaluation; of a run without one, or that diverged since, the last training loss",
    "best test accuracy: chosen on the validation set; without one on the test set itself, which is optimistic",
    "part of the time of transfers in which the rank computed",
    "milliseconds a rank stood waiting for the network, per step; sim: of simulated time",
    "training samples of all ranks per second, evaluations left out; sim: of simulated time",
    "words that people gave the run",
    "its id, as commands name it",
    "what people wrote of the run",
    "of the code that it ran",
    "why it ended before its time",
    "milliseconds of a step, evaluations left out; sim: of simulated time",
    "milliseconds from a rank's arrival at a transfer to that of the last one, mean; sim: of simulated time",
    "forward and backward per step while bytes move ÷ while none do, mean of the ranks; a few per cent may be noise; "
    "none below 1, which is not measurable: steps without transfers were slower, for another reason",
    "training samples of all ranks",
    "bytes that all ranks sent"};

constexpr int kShortCommit = 10;

QString startedText(const std::string& iso) {
    const QDateTime when = QDateTime::fromString(QString::fromStdString(iso), Qt::ISODateWithMs).toLocalTime();
    if (!when.isValid()) return kAbsent;
    const QDate today = QDate::currentDate();
    if (when.date() == today) return when.toString(QStringLiteral("HH:mm:ss"));
    return when.toString(when.date().year() == today.year() ? QStringLiteral("MM-dd HH:mm")
                                                            : QStringLiteral("yyyy-MM-dd"));
}

// Default of seeds in runs whose record does not name it: a record lists only fields with a symbol or a unit.
constexpr const char* kDefaultSeed = "1";

// "1"; "1, compute 3" if another seed differs from its default, as such repetitions differ in nothing else.
QString seedsText(const RunItem& item) {
    QString text = QString::number(item.row.seed);
    for (const std::string& key : seedKeys()) {
        const std::string* value = item.config.find(key);
        if (key == "train.seed" || !value) continue;
        const Setting* setting = findSetting(item.schema, key);
        const QString usual = setting ? setting->defaultText : QString::fromLatin1(kDefaultSeed);
        if (settingValue(*value) == usual) continue;
        text += QStringLiteral(", %1 %2").arg(QString::fromStdString(key.substr(0, key.rfind('.'))),
                                              QString::fromStdString(*value));
    }
    return text;
}

// The run is queued, was taken out of the queue, or ended before its first record.
bool neverBegan(const storage::RunRow& row) { return row.status != "running" && row.steps == 0 && !(row.wallS > 0); }

// A long name or note may be cut in its cell, so the tool tip repeats it.
bool mayBeCut(RunTableModel::Column column) {
    using Table = RunTableModel;
    return column == Table::Experiment || column == Table::Algorithm || column == Table::Settings ||
           column == Table::Tags || column == Table::Started || column == Table::Seed;
}

QString tipOf(const RunItem& item, RunTableModel::Column column) {
    QStringList lines{item.id};
    if (column == RunTableModel::Status && item.row.takenOut()) lines << kTakenOut;
    if (mayBeCut(column)) lines << RunTableModel::textOf(item, column);
    if (column == RunTableModel::Started && item.row.queueTurn)
        lines.back() += item.row.inQueue ? QStringLiteral(" in the queue") : QStringLiteral(" of its sweep");
    if (item.row.timeSimulated) lines << QStringLiteral("simulated time");
    for (const std::string& text : {item.row.error, item.notes.note}) {
        if (!text.empty()) lines << QString::fromStdString(text);
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

QString RunTableModel::nameOf(int column) { return QString::fromUtf8(kHeaders.at(static_cast<std::size_t>(column))); }

bool RunTableModel::isNumeric(int column) {
    return column == Seed || column == Workers || (column >= Wall && column < Tags) || column >= StepMs;
}

QString RunTableModel::textOf(const RunItem& item, Column column) {
    const storage::RunRow& row = item.row;
    const auto number = RunTableModel::numberOf(item, column);
    switch (column) {
        case RunTableModel::Star: return item.notes.starred ? QStringLiteral("★") : QString();
        case RunTableModel::Tags: return tagsInWords(item.notes);
        case RunTableModel::Status: return stateInWords(row);
        case RunTableModel::Experiment: return QString::fromStdString(row.experiment);
        case RunTableModel::Algorithm: return QString::fromStdString(row.algorithm);
        case RunTableModel::Settings: return row.imported() ? QStringLiteral("imported") : item.settings;
        case RunTableModel::Seed: return row.imported() ? kAbsent : seedsText(item);
        case RunTableModel::Workers: return QString::number(row.workers);
        case RunTableModel::Backend: return QString::fromStdString(row.backend);
        case RunTableModel::Started:
            if (neverBegan(row) && !isLive(row) && row.status != "failed") return kAbsent;
            if (!row.queueTurn) return startedText(row.startedAt);
            // A turn counts all runs waiting in the queue; runs of a launcher that works on its own sweep are not in
            // it.
            if (row.inQueue) return QStringLiteral("turn %1").arg(std::llround(*row.queueTurn) + 1);
            return QStringLiteral("run %1 of %2").arg(std::llround(*row.queueTurn) + 1).arg(row.seriesSize);
        case RunTableModel::Run: return item.id;
        case RunTableModel::Note: return QString::fromStdString(item.notes.note).simplified();
        case RunTableModel::Commit: return QString::fromStdString(row.gitCommit).left(kShortCommit);
        case RunTableModel::Error: return QString::fromStdString(row.error).simplified();
        default: return textOf(column, number, row.timeSimulated);
    }
}

QString RunTableModel::textOf(Column column, std::optional<double> number, bool simulated) {
    constexpr double kLeastLoss = 1e-3;  // smaller ones would have no digits
    if (!number) return kAbsent;
    // Simulated times are marked, so that they do not look measured.
    const auto timed = [simulated](const QString& text) { return simulated ? text + QStringLiteral(" sim") : text; };
    switch (column) {
        case Wall: return timed(timeText(*number));
        case FinalLoss: return std::abs(*number) < kLeastLoss ? shortNumber(*number) : fixedNumber(*number, 4);
        case BestAccuracy:
        case Hidden:
            return std::isfinite(*number) ? fixedNumber(*number, 1) + QStringLiteral(" %") : shortNumber(*number);
        case Blocked:
        case StepMs:
        case Skew: return timed(fixedNumber(*number, 2));
        case SamplesPerS: return timed(shortNumber(std::round(*number), 0));
        case Inflation: return fixedNumber(*number, 2);
        case Sent: return bytesInWords(*number).text();
        default: return grouped(std::llround(*number));
    }
}

int RunTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(items_.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

std::optional<double> RunTableModel::numberOf(const RunItem& item, Column column) {
    const storage::RunRow& row = item.row;
    const auto scaled = [](std::optional<double> value, double by) -> std::optional<double> {
        if (value) return *value * by;
        return std::nullopt;
    };
    switch (column) {
        case Seed: return static_cast<double>(row.seed);
        case Workers: return row.workers;
        case Wall: return neverBegan(row) ? std::nullopt : std::optional(row.wallS);
        case Steps: return static_cast<double>(row.steps);
        case FinalLoss: return finalLossOf(row);
        case BestAccuracy: return scaled(row.bestAccuracy, 100);
        case Hidden: return scaled(row.hidden, 100);
        case Blocked: return blockedMsPerStep(row);
        case SamplesPerS: return row.samplesPerS;
        case StepMs: return row.stepMs;
        case Skew: return scaled(row.skewS, 1e3);
        case Inflation: return measurable(row.inflation);
        case Samples: return static_cast<double>(row.samples);
        case Sent: return static_cast<double>(row.bytesSent);
        default: return std::nullopt;
    }
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    return dataOf(*items_[static_cast<std::size_t>(index.row())], static_cast<Column>(index.column()), role);
}

QVariant RunTableModel::dataOf(const RunItem& item, Column column, int role) {
    switch (role) {
        case Qt::DisplayRole: return textOf(item, column);
        case IdRole: return item.id;
        case LiveRole: return isLive(item.row);
        case Qt::ToolTipRole: return asTip(tipOf(item, column));
        case Qt::AccessibleTextRole:
            if (column != Star) return {};
            return item.notes.starred ? QStringLiteral("starred") : QStringLiteral("not starred");
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignVCenter | (isNumeric(column) ? Qt::AlignRight : Qt::AlignLeft));
        default: return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    return orientation == Qt::Horizontal ? headerOf(section, role) : QVariant();
}

QVariant RunTableModel::headerOf(int column, int role) {
    if (column < 0 || column >= kColumns) return {};
    if (role == Qt::DisplayRole) return nameOf(column);
    if (role == Qt::ToolTipRole) return QString::fromUtf8(kHelp[static_cast<std::size_t>(column)]);
    if (role != Qt::TextAlignmentRole) return {};
    return QVariant(Qt::AlignVCenter | (isNumeric(column) ? Qt::AlignRight : Qt::AlignLeft));
}

void RunTableModel::take(const std::vector<RunItemPtr>& changed, const QStringList& removed) {
    remove(removed);
    std::vector<RunItemPtr> fresh;
    for (const RunItemPtr& item : changed) {
        const int row = rowOf(item->id);
        if (row < 0) {
            fresh.push_back(item);
            continue;
        }
        items_[static_cast<std::size_t>(row)] = item;
        emit dataChanged(index(row, 0), index(row, kColumns - 1));
    }
    if (!fresh.empty()) add(fresh);
    emit taken();
}

void RunTableModel::add(const std::vector<RunItemPtr>& fresh) {
    const int first = rowCount();
    beginInsertRows({}, first, first + static_cast<int>(fresh.size()) - 1);
    for (const RunItemPtr& item : fresh) {
        rows_.insert(item->id, static_cast<int>(items_.size()));
        items_.push_back(item);
    }
    endInsertRows();
}

// Resets the model: removing thousands of scattered runs row by row would take minutes.
void RunTableModel::remove(const QStringList& ids) {
    const bool known = std::any_of(ids.begin(), ids.end(), [this](const QString& id) { return rows_.contains(id); });
    if (!known) return;
    const QSet<QString> leaving(ids.begin(), ids.end());
    beginResetModel();
    std::erase_if(items_, [&leaving](const RunItemPtr& item) { return leaving.contains(item->id); });
    rows_.clear();
    for (std::size_t i = 0; i < items_.size(); ++i) rows_.insert(items_[i]->id, static_cast<int>(i));
    endResetModel();
}

RunItemPtr RunTableModel::find(const QString& id) const {
    const int row = rowOf(id);
    return row < 0 ? nullptr : items_[static_cast<std::size_t>(row)];
}

RunItemPtr RunTableModel::newest(Among among) const {
    const auto kind = [among](const storage::RunRow& row) {
        if (among == Among::All) return 0;
        return isOfJob(row) || row.imported() ? 0 : row.status == "queued" || row.takenOut() ? 1 : 2;
    };
    const auto rank = [&kind](const RunItemPtr& item) {
        const std::string& status = item->row.status;
        return std::tuple(kind(item->row),
                          status == "running"  ? 2
                          : status == "queued" ? 0
                                               : 1,
                          item->row.startedAt, item->id);
    };
    const auto best = std::max_element(items_.begin(), items_.end(),
                                       [&](const RunItemPtr& a, const RunItemPtr& b) { return rank(a) < rank(b); });
    return best == items_.end() ? nullptr : *best;
}

QStringList RunTableModel::experiments() const {
    std::set<std::string> names;
    for (const RunItemPtr& item : items_) names.insert(item->row.experiment);
    QStringList out;
    for (const std::string& name : names) out << QString::fromStdString(name);
    return out;
}

std::vector<RunItemPtr> RunTableModel::ofExperiment(const std::string& experiment) const {
    std::vector<RunItemPtr> out;
    std::copy_if(items_.begin(), items_.end(), std::back_inserter(out),
                 [&](const RunItemPtr& item) { return item->row.experiment == experiment; });
    return out;
}

}  // namespace dasgd::gui

#include "gui/compare/model/compare_table_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "gui/kit/words/csv.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// A column: its title, what it means, and the mean and probability that it shows.
struct ColumnWords {
    const char *title, *help = "";
    Sample ComparedGroup::*sample = nullptr;
    double scale = 1;
    std::optional<double> ComparedGroup::*p = nullptr;
};
using Group = ComparedGroup;
constexpr std::array<ColumnWords, CompareTableModel::kColumns> kCompareColumns{
    {{"configuration"},
     {"n"},
     {"samples", "", &Group::samples},
     {"final loss",
      "test loss of the last evaluation; of a run without one the last training loss, which is another number",
      &Group::finalLoss, 1, &Group::lossP},
     {"best accuracy, %",
      "best test accuracy: chosen on the validation set; without one on the test set itself, which is optimistic",
      &Group::bestAccuracy, 100, &Group::accuracyP},
     {"perplexity",
      "best test perplexity: chosen on the validation set; without one on the test set itself, which is optimistic",
      &Group::bestPerplexity, 1, &Group::perplexityP},
     {"ms/step", "", &Group::stepMs, 1, &Group::stepP},
     {"ms/step ÷ baseline's", "mean time per step ÷ that of ", &Group::stepRatio},
     {"ms/step ÷ independent's", "time per step ÷ that of independent, whose workers only compute",
      &Group::computeRatio},
     {"s to target", "seconds to ", &Group::secondsToTarget, 1, &Group::targetP},
     {"hidden, %", "", &Group::hidden, 100},
     {"blocked, %", "", &Group::blocked, 100},
     {"skew, ms", "from a rank's arrival at a collective to that of the last one, mean", &Group::skewMs},
     {"inflation",
      "time of the passes beside communication ÷ that of those alone; where 1 lies within its spread it is noise",
      &Group::inflation},
     {"sent, MB", "", &Group::bytesSent, 1e-6},
     {"loss at ",
      "at the largest number of samples that all runs reached, on the straight line between the evaluations before and "
      "after",
      &Group::equalLoss},
     {"best accuracy, % at ",
      "at the largest number of samples that all runs reached, on the straight line between the evaluations before and "
      "after",
      &Group::equalBestAccuracy, 100}}};

const ColumnWords& wordsOfColumn(int column) { return kCompareColumns[static_cast<std::size_t>(column)]; }

// The mean of the column as shown; n = 0 for columns that hold none.
Sample sampleOfColumn(const ComparedGroup& row, int column) {
    // The accuracy of text models is per token; their perplexity says more.
    if (column == CompareTableModel::BestAccuracy && row.isOfTexts()) return {};
    const ColumnWords& words = wordsOfColumn(column);
    return words.sample ? scaled(row.*words.sample, words.scale) : Sample{};
}

std::optional<double> probabilityIn(const ComparedGroup& row, int column) {
    const auto p = wordsOfColumn(column).p;
    return p ? row.*p : std::nullopt;
}

std::optional<double> meanOf(const Sample& sample) { return sample.n > 0 ? std::optional(sample.mean) : std::nullopt; }

bool isRatio(int column) { return column == CompareTableModel::Ratio || column == CompareTableModel::ComputeRatio; }

bool isSignificant(const std::optional<double>& p) { return p && *p < kSignificance; }

// Steps, samples and bytes until the target, on a line of its own; "" where no run reached it.
QString wayInWords(const ComparedGroup& row) {
    if (row.stepsToTarget.n == 0) return {};
    const auto mean = [](const Sample& sample) { return grouped(std::llround(sample.mean)); };
    const QString words =
        QStringLiteral("\nreached after %1 steps, %2 samples, %3 MB sent by a rank")
            .arg(mean(row.stepsToTarget), mean(row.samplesToTarget), shortNumber(row.bytesToTarget.mean * 1e-6, 3));
    if (row.stepsToTarget.n == row.finished()) return words;
    return words + QStringLiteral(" (%1 of %2)").arg(row.stepsToTarget.n).arg(row.finished());
}

QStringList csvHeads(const QString& name) {
    QStringList heads;
    for (const char* part : {" mean", " std", " ci95", " n"}) heads << csvField(name + QLatin1String(part));
    return heads;
}

QStringList csvSampleCells(const Sample& sample) {
    return {csvNumber(meanOf(sample)), csvNumber(sample.std), csvNumber(sample.confidence), QString::number(sample.n)};
}

QString setupsOf(const ComparedGroup& row) {
    QStringList setups;
    for (const RunSetup& setup : row.setups) setups << QString::fromStdString(setupInWords(setup));
    return setups.join(QStringLiteral("; "));
}

}  // namespace

CompareTableModel::CompareTableModel(CompareBoard& board, QObject* parent)
    : QAbstractTableModel(parent), board_(board) {
    connect(&board_.choice, &CompareChoice::shownChanged, this, &CompareTableModel::relist);
    connect(&board_.results, &CompareResults::comparedChanged, this, &CompareTableModel::relist);
    connect(&board_.choice, &CompareChoice::highlightChanged, this, [this] {
        if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
    relist();
}

void CompareTableModel::relist() {
    beginResetModel();
    rows_ = board_.choice.shown();
    equalSamples_ = board_.results.compared() ? board_.results.compared()->comparison.equalSamples : std::nullopt;
    if (sorted_ >= 0) {
        const auto before = [this](std::size_t a, std::size_t b) {
            if (sorted_ == Name) {
                const int order = board_.choice.groups()[a].name.localeAwareCompare(board_.choice.groups()[b].name);
                return order_ == Qt::AscendingOrder ? order < 0 : order > 0;
            }
            const auto x = numberIn(a, sorted_), y = numberIn(b, sorted_);
            if (!x || !y) return x.has_value() && !y;
            return order_ == Qt::AscendingOrder ? *x < *y : *x > *y;
        };
        std::stable_sort(rows_.begin(), rows_.end(), before);
    }
    endResetModel();
}

void CompareTableModel::sort(int column, Qt::SortOrder order) {
    sorted_ = column;
    order_ = order;
    relist();
}

int CompareTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CompareTableModel::columnCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return equalSamples_ ? kColumns : EqualLoss;
}

int CompareTableModel::rowOf(std::size_t group) const {
    const auto found = std::find(rows_.begin(), rows_.end(), group);
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

bool CompareTableModel::isLacking(int column) const {
    if (column == ToTarget) return targetInWords().isEmpty();
    const std::set<int> optional{BestAccuracy, Perplexity, Skew, Inflation, ComputeRatio};
    if (!optional.contains(column)) return false;
    // Before the numbers are read, the accuracy is assumed to be there.
    if (!board_.results.compared() && column == BestAccuracy) return false;
    return std::ranges::none_of(rows_, [&](std::size_t group) { return numberIn(group, column).has_value(); });
}

std::optional<double> CompareTableModel::numberIn(std::size_t group, int column) const {
    const ComparedGroup* row = board_.results.row(group);
    if (!row) return std::nullopt;
    if (column == Count) return static_cast<double>(row->finished());
    return meanOf(column == ToTarget ? drawnSampleOf(*row, CompareNumber::SecondsToTarget)
                                     : sampleOfColumn(*row, column));
}

QString CompareTableModel::textOf(std::size_t group, int column) const {
    const CompareGroup& own = board_.choice.groups()[group];
    const ComparedGroup* row = board_.results.row(group);
    if (column == Name) return own.name;
    if (!row) return column == Count ? own.count() : QStringLiteral("…");
    // The table counts finished runs, as `dasgd compare` does, whatever the curves include.
    if (column == Count) return own.count();
    if (isRatio(column)) {
        const bool ofItself = column == Ratio ? row->isBaseline : row->isComputeBase;
        return ratioInWords(sampleOfColumn(*row, column), board_.curves.spread(), ofItself);
    }
    const Sample sample = sampleOfColumn(*row, column);
    if (column == Samples) return sample.n > 0 ? grouped(std::llround(sample.mean)) : kAbsent;
    if (column == ToTarget && !board_.results.isTargetRead()) return QStringLiteral("…");
    if (column == ToTarget && board_.results.target() && sample.n == 0 && row->finished() > 0)
        return row->stepsToTarget.n > 0 ? QStringLiteral("not timed") : QStringLiteral("not reached");
    if (column == FinalLoss && sample.n == 0 && own.diverged()) return QStringLiteral("NaN");
    if (column == Inflation && sample.n == 0 && row->hidden.n > 0) return QStringLiteral("not known");
    QString text = spreadInWords(sample, board_.curves.spread());
    if (sample.n > 0 && sample.n < row->finished()) {
        text += QStringLiteral(" (%1 of %2)").arg(sample.n).arg(row->finished());
    }
    return isSignificant(probabilityIn(*row, column)) && sample.n > 0 ? text + QChar(0x2020) : text;
}

QVariant CompareTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const std::size_t group = rows_[static_cast<std::size_t>(index.row())];
    const CompareGroup& own = board_.choice.groups()[group];
    switch (role) {
        case Qt::DisplayRole: return textOf(group, index.column());
        case Qt::TextAlignmentRole:
            return static_cast<int>((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::ToolTipRole: {
            const ComparedGroup* row = board_.results.row(group);
            const auto p = row ? probabilityIn(*row, index.column()) : std::nullopt;
            QString head = QStringLiteral("%1\n%2, %3").arg(own.name, own.origin(), textOf(group, index.column()));
            if (row && index.column() == ToTarget && board_.results.isTargetRead()) head += wayInWords(*row);
            return asTip(p ? head + QStringLiteral("\np = %1 against %2 (%3)")
                                        .arg(shortNumber(*p, 2),
                                             QString::fromStdString(board_.results.compared()->comparison.baseline),
                                             QLatin1String(kTestInWords))
                           : head);
        }
        case GroupRole: return QVariant::fromValue(group);
        case RunIdsRole: {
            QStringList all;
            for (const RunItemPtr& run : own.runs) all << run->id;
            const auto number =
                std::ranges::find(compareNumbers(), wordsOfColumn(index.column()).sample, &NumberWords::sample);
            const bool isKnown = number != compareNumbers().end();
            const QStringList behind =
                runsBehind(board_.results.view(), group, isKnown ? std::optional(number->number) : std::nullopt);
            return index.column() <= Count || behind.isEmpty() ? all : behind;
        }
        case StyleRole: return index.column() == Name ? QVariant::fromValue(own.style) : QVariant();
        case HollowRole: return own.simulated();
        case HighlightRole: return board_.choice.highlighted() == group;
        default: return {};
    }
}

QVariant CompareTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return static_cast<int>((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    const ColumnWords& words = wordsOfColumn(section);
    if (role == Qt::ToolTipRole) {
        const auto baseline = board_.results.baseline();
        const QString of = section == ToTarget            ? targetInWords()
                           : section == Ratio && baseline ? board_.choice.groups()[*baseline].name
                                                          : QString();
        const bool lacks = of.isEmpty() && (section == ToTarget || section == Ratio);
        return lacks || words.help[0] == '\0' ? QVariant() : asTip(QString::fromUtf8(words.help) + of);
    }
    if (role != Qt::DisplayRole) return {};
    const QString title = QString::fromUtf8(words.title);
    return section < EqualLoss ? title : title + grouped(equalSamples_.value_or(0));
}

QString CompareTableModel::targetInWords() const {
    if (board_.results.target()) return QString::fromStdString(board_.results.target()->inWords());
    const bool reached = std::ranges::any_of(rows_, [this](std::size_t group) {
        const ComparedGroup* row = board_.results.row(group);
        return row && row->secondsToTarget.n > 0;
    });
    return reached ? QStringLiteral("each run's own (train.target_accuracy, train.target_loss)") : QString();
}

QString CompareTableModel::timesInWords() const {
    if (!board_.results.compared()) return {};
    const auto times = board_.results.compared()->comparison.times();
    if (times.size() > 1) {
        return QStringLiteral(
            "times of different kinds stand beside each other: ratios compare a model with a machine");
    }
    if (times.empty() || *times.begin() == TimeSource::Measured) return {};
    return QStringLiteral("time ") + QString::fromUtf8(timeInWords(*times.begin()));
}

QString CompareTableModel::bestInWords() const {
    bool onTest = false, onValidation = false;
    for (const std::size_t group : rows_) {
        const ComparedGroup* row = board_.results.row(group);
        if (row && row->bestAccuracy.n > 0) (row->chosenOnValidation ? onValidation : onTest) = true;
    }
    if (!onTest) return onValidation ? QStringLiteral("best: of all evaluations, chosen on validation") : QString();
    return QStringLiteral("best: of all evaluations, %1chosen on the test set itself, which is optimistic")
        .arg(QLatin1String(onValidation ? "some " : ""));
}

QString CompareTableModel::finalLossInWords() const {
    bool tested = false, trained = false;
    for (const std::size_t group : rows_) {
        const ComparedGroup* row = board_.results.row(group);
        if (row && row->finalLoss.n > 0) (row->bestLoss.n > 0 ? tested : trained) = true;
    }
    if (!tested) return trained ? QStringLiteral("final loss: last training loss, as none was tested") : QString();
    return trained ? QStringLiteral("final loss: last test loss, or training loss of what was not tested")
                   : QStringLiteral("final loss: last test loss");
}

QString CompareTableModel::footnote() const {
    QStringList notes;
    const auto baseline = board_.results.baseline();
    bool differs = false, single = false, repeated = false, oneDraw = false;
    for (const std::size_t group : rows_) {
        const ComparedGroup* row = board_.results.row(group);
        if (!row) continue;
        single = single || row->finished() == 1;
        repeated = repeated || row->finished() > 1;
        oneDraw = oneDraw || row->hasOneDraw();
        for (const NumberWords& number : compareNumbers()) {
            differs = differs || isSignificant(probabilityOf(*row, number.number));
        }
        differs = differs || isSignificant(row->perplexityP);
    }
    if (repeated) notes << QStringLiteral("mean ± ") + spreadOverSeeds(board_.curves.spread());
    if (oneDraw && board_.curves.spread() != Spread::None) notes << QString::fromUtf8(kOneDrawInWords);
    if (baseline) notes << QStringLiteral("baseline: ") + board_.choice.groups()[*baseline].name;
    if (const QString loss = finalLossInWords(); !loss.isEmpty()) notes << loss;
    if (const QString best = bestInWords(); !best.isEmpty()) notes << best;
    if (const QString target = targetInWords(); !target.isEmpty()) notes << QStringLiteral("target: ") + target;
    if (const QString times = timesInWords(); !times.isEmpty()) notes << times;
    if (const QString& cautions = board_.results.cautionsInWords(); !cautions.isEmpty()) notes << cautions;
    if (single) notes << (repeated ? QStringLiteral("n = 1 has no spread") : QStringLiteral("each of one run, n = 1"));
    if (differs && baseline) {
        notes << QStringLiteral("† differs from %1 at 5 % (%2)")
                     .arg(board_.choice.groups()[*baseline].name, QLatin1String(kTestInWords));
    }
    if (board_.results.compared() && board_.results.compared()->comparison.samplesDiffer) {
        notes << (equalSamples_
                      ? QStringLiteral("trained on different numbers of samples: final loss and accuracy are not "
                                       "comparable, those at %1 samples are")
                            .arg(grouped(*equalSamples_))
                      : QStringLiteral("trained on different numbers of samples, and not all were evaluated: loss and "
                                       "accuracy are not comparable"));
    }
    return notes.join(QStringLiteral("  ·  "));
}

QString CompareTableModel::asText() const {
    QStringList lines;
    QStringList head;
    std::vector<int> columns;
    for (int column = 0; column < columnCount(); ++column) {
        if (!isLacking(column)) columns.push_back(column);
    }
    for (const int column : columns) head << headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    lines << head.join(QLatin1Char('\t'));
    for (const std::size_t group : rows_) {
        QStringList cells;
        for (const int column : columns) cells << textOf(group, column);
        lines << cells.join(QLatin1Char('\t'));
    }
    lines << footnote();
    lines.append(board_.results.leftOutInWords());
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString CompareTableModel::asCsv() const {
    QStringList head{QStringLiteral("configuration"), QStringLiteral("runs"), QStringLiteral("finished")};
    for (const NumberWords& number : compareNumbers()) {
        head << csvHeads(number.text()) << csvField(number.text() + QStringLiteral(" p"));
    }
    QStringList others{QStringLiteral("independent ratio"), QStringLiteral("step ratio"),
                       QStringLiteral("best perplexity")};
    if (equalSamples_) {
        others << QStringLiteral("loss at %1 samples").arg(*equalSamples_)
               << QStringLiteral("best accuracy at %1 samples [%]").arg(*equalSamples_);
    }
    for (const QString& name : others) head << csvHeads(name);
    head << QStringLiteral("disturbed") << QStringLiteral("partly read") << QStringLiteral("set-ups")
         << QStringLiteral("baseline") << QStringLiteral("target");
    // The baseline and the target are repeated in each line, so that a line can be pasted alone.
    const auto baseline = board_.results.baseline();
    const QString against = baseline ? csvField(board_.choice.groups()[*baseline].name) : QString();
    const QString target = targetInWords().isEmpty() ? QString() : csvField(targetInWords());
    QStringList lines{head.join(QLatin1Char(','))};
    for (const std::size_t group : rows_) {
        const ComparedGroup* row = board_.results.row(group);
        if (!row) continue;
        QStringList cells{csvField(board_.choice.groups()[group].name), QString::number(row->runIds.size()),
                          QString::number(row->finished())};
        for (const NumberWords& number : compareNumbers()) {
            const bool isStale = number.number == CompareNumber::SecondsToTarget && !board_.results.isTargetRead();
            const Sample sample = isStale ? Sample{} : sampleOf(*row, number.number);
            cells << csvSampleCells(sample) << csvNumber(probabilityOf(*row, number.number));
        }
        cells << csvSampleCells(row->computeRatio) << csvSampleCells(row->stepRatio)
              << csvSampleCells(row->bestPerplexity);
        if (equalSamples_)
            cells << csvSampleCells(row->equalLoss) << csvSampleCells(scaled(row->equalBestAccuracy, 100));
        cells << QString::number(row->disturbed) << QString::number(row->partlyRead) << csvField(setupsOf(*row))
              << against << target;
        lines << cells.join(QLatin1Char(','));
    }
    return lines.join(QStringLiteral("\r\n")) + QStringLiteral("\r\n");
}

}  // namespace dasgd::gui

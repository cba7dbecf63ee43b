#include "gui/compare/model/compare_table_model.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

std::optional<CompareNumber> numberOfColumn(int column) {
    switch (column) {
        case CompareTableModel::FinalLoss: return CompareNumber::FinalLoss;
        case CompareTableModel::BestAccuracy: return CompareNumber::BestAccuracy;
        case CompareTableModel::StepMs: return CompareNumber::StepMs;
        case CompareTableModel::ToTarget: return CompareNumber::SecondsToTarget;
        case CompareTableModel::Hidden: return CompareNumber::Hidden;
        case CompareTableModel::Blocked: return CompareNumber::Blocked;
        case CompareTableModel::Sent: return CompareNumber::MegabytesSent;
        default: return std::nullopt;
    }
}

// The mean of the column as shown; nullopt for columns that hold none.
std::optional<Sample> sampleOfColumn(const ComparedGroup& row, int column) {
    switch (column) {
        case CompareTableModel::Samples: return row.samples;
        case CompareTableModel::Perplexity: return row.bestPerplexity;
        case CompareTableModel::Skew: return row.skewMs;
        case CompareTableModel::Inflation: return row.inflation;
        case CompareTableModel::EqualLoss: return row.equalLoss;
        case CompareTableModel::EqualAccuracy: return inPercent(row.equalBestAccuracy);
        default: break;
    }
    // The accuracy of text models is per token; their perplexity says more.
    if (column == CompareTableModel::BestAccuracy && row.isOfTexts()) return Sample{};
    const auto number = numberOfColumn(column);
    return number ? std::optional(sampleOf(row, *number)) : std::nullopt;
}

const Sample& ratioOfColumn(const ComparedGroup& row, int column) {
    return column == CompareTableModel::Ratio ? row.stepRatio : row.computeRatio;
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

QString csvCell(QString text) {
    if (!text.isEmpty() && QStringLiteral("=+-@").contains(text.front())) text.prepend(QLatin1Char('\''));
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QString csvNumberText(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? QString::number(*value, 'g', 10) : QString();
}

QStringList csvHeads(const QString& name) {
    QStringList heads;
    for (const char* part : {" mean", " std", " ci95", " n"}) heads << csvCell(name + QLatin1String(part));
    return heads;
}

QStringList csvSampleCells(const Sample& sample) {
    return {csvNumberText(meanOf(sample)), csvNumberText(sample.std), csvNumberText(sample.confidence),
            QString::number(sample.n)};
}

QString setupsOf(const ComparedGroup& row) {
    QStringList setups;
    for (const RunSetup& setup : row.setups) setups << QString::fromStdString(setupInWords(setup));
    return setups.join(QStringLiteral("; "));
}

}  // namespace

CompareTableModel::CompareTableModel(CompareBoard& board, QObject* parent)
    : QAbstractTableModel(parent), board_(board) {
    connect(&board_, &CompareBoard::groupsChanged, this, &CompareTableModel::relist);
    connect(&board_, &CompareBoard::shownChanged, this, &CompareTableModel::relist);
    connect(&board_, &CompareBoard::comparedChanged, this, &CompareTableModel::relist);
    connect(&board_, &CompareBoard::highlightChanged, this, [this] {
        if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
    relist();
}

void CompareTableModel::relist() {
    beginResetModel();
    rows_ = board_.shown();
    equalSamples_ = board_.compared() ? board_.compared()->comparison.equalSamples : std::nullopt;
    if (sorted_ >= 0) {
        const auto before = [this](std::size_t a, std::size_t b) {
            if (sorted_ == Name) {
                const int order = board_.groups()[a].name.localeAwareCompare(board_.groups()[b].name);
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
    if (!board_.compared() && column == BestAccuracy) return false;
    return std::ranges::none_of(rows_, [&](std::size_t group) { return numberIn(group, column).has_value(); });
}

std::optional<double> CompareTableModel::numberIn(std::size_t group, int column) const {
    const ComparedGroup* row = board_.row(group);
    if (!row) return std::nullopt;
    if (column == Count) return static_cast<double>(row->finished());
    if (isRatio(column)) return meanOf(ratioOfColumn(*row, column));
    const auto number = numberOfColumn(column);
    const bool timed = number && *number == CompareNumber::SecondsToTarget;
    const auto sample = timed ? drawnSampleOf(*row, *number) : sampleOfColumn(*row, column);
    return sample ? meanOf(*sample) : std::nullopt;
}

QString CompareTableModel::textOf(std::size_t group, int column) const {
    const CompareGroup& own = board_.groups()[group];
    const ComparedGroup* row = board_.row(group);
    if (column == Name) return own.name;
    if (!row) return column == Count ? own.count() : QStringLiteral("…");
    // The table counts finished runs, as `dasgd compare` does, whatever the curves include.
    if (column == Count) return own.count();
    if (isRatio(column)) {
        const bool ofItself = column == Ratio ? row->isBaseline : row->isComputeBase;
        return ratioInWords(ratioOfColumn(*row, column), board_.spread(), ofItself);
    }
    const Sample sample = *sampleOfColumn(*row, column);
    if (column == Samples) return sample.n > 0 ? grouped(std::llround(sample.mean)) : kAbsent;
    const auto number = numberOfColumn(column);
    if (column == ToTarget && !board_.isTargetRead()) return QStringLiteral("…");
    if (column == ToTarget && board_.target() && sample.n == 0 && row->finished() > 0)
        return row->stepsToTarget.n > 0 ? QStringLiteral("not timed") : QStringLiteral("not reached");
    if (column == FinalLoss && sample.n == 0 && own.diverged()) return QStringLiteral("NaN");
    if (column == Inflation && sample.n == 0 && row->hidden.n > 0) return QStringLiteral("not known");
    QString text = spreadInWords(sample, board_.spread());
    if (sample.n > 0 && sample.n < row->finished()) {
        text += QStringLiteral(" (%1 of %2)").arg(sample.n).arg(row->finished());
    }
    const auto p = column == Perplexity ? row->perplexityP : number ? probabilityOf(*row, *number) : std::nullopt;
    return isSignificant(p) && sample.n > 0 ? text + QChar(0x2020) : text;
}

QVariant CompareTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const std::size_t group = rows_[static_cast<std::size_t>(index.row())];
    const CompareGroup& own = board_.groups()[group];
    switch (role) {
        case Qt::DisplayRole: return textOf(group, index.column());
        case Qt::TextAlignmentRole:
            return static_cast<int>((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::ToolTipRole: {
            const auto number = numberOfColumn(index.column());
            const ComparedGroup* row = board_.row(group);
            const auto p = row && number ? probabilityOf(*row, *number) : std::nullopt;
            QString head = QStringLiteral("%1\n%2, %3").arg(own.name, own.origin(), textOf(group, index.column()));
            if (row && index.column() == ToTarget && board_.isTargetRead()) head += wayInWords(*row);
            return asTip(
                p ? head + QStringLiteral("\np = %1 against %2 (Welch)")
                               .arg(shortNumber(*p, 2), QString::fromStdString(board_.compared()->comparison.baseline))
                  : head);
        }
        case GroupRole: return QVariant::fromValue(group);
        case StyleRole: return index.column() == Name ? QVariant::fromValue(own.style) : QVariant();
        case HollowRole: return own.simulated();
        case HighlightRole: return board_.highlighted() == group;
        default: return {};
    }
}

QVariant CompareTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        return static_cast<int>((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && section == ToTarget && !targetInWords().isEmpty()) {
        return asTip(QStringLiteral("seconds to ") + targetInWords());
    }
    if (role == Qt::ToolTipRole && section == FinalLoss) {
        return asTip(
            QStringLiteral("test loss of the last evaluation; of a run without one the last training loss, which is "
                           "another number"));
    }
    if (role == Qt::ToolTipRole && (section == BestAccuracy || section == Perplexity)) {
        const QString tip = QStringLiteral(
            "best test %1: chosen on the validation set; without one on the test set itself, which is optimistic");
        return asTip(tip.arg(QLatin1String(section == Perplexity ? "perplexity" : "accuracy")));
    }
    if (role == Qt::ToolTipRole && section == Skew) {
        return asTip(QStringLiteral("from a rank's arrival at a collective to that of the last one, mean"));
    }
    if (role == Qt::ToolTipRole && section == Inflation) {
        return asTip(
            QStringLiteral("time of the passes beside communication ÷ that of those alone; where 1 lies within its "
                           "spread it is noise"));
    }
    if (const auto baseline = board_.baseline(); role == Qt::ToolTipRole && section == Ratio && baseline) {
        return asTip(QStringLiteral("mean time per step ÷ that of ") + board_.groups()[*baseline].name);
    }
    if (role == Qt::ToolTipRole && section == ComputeRatio) {
        return asTip(QStringLiteral("time per step ÷ that of independent, whose workers only compute"));
    }
    if (role == Qt::ToolTipRole && (section == EqualLoss || section == EqualAccuracy)) {
        return asTip(
            QStringLiteral("at the largest number of samples that all runs reached, on the straight line between the "
                           "evaluations before and after"));
    }
    if (role != Qt::DisplayRole) return {};
    const QString at = QStringLiteral(" at ") + grouped(equalSamples_.value_or(0));
    switch (section) {
        case Name: return QStringLiteral("configuration");
        case Count: return QStringLiteral("n");
        case Samples: return QStringLiteral("samples");
        case FinalLoss: return QStringLiteral("final loss");
        case BestAccuracy: return QStringLiteral("best accuracy, %");
        case Perplexity: return QStringLiteral("perplexity");
        case StepMs: return QStringLiteral("ms/step");
        case Ratio: return QStringLiteral("ms/step ÷ baseline's");
        case ComputeRatio: return QStringLiteral("ms/step ÷ independent's");
        case ToTarget: return QStringLiteral("s to target");
        case Hidden: return QStringLiteral("hidden, %");
        case Blocked: return QStringLiteral("blocked, %");
        case Skew: return QStringLiteral("skew, ms");
        case Inflation: return QStringLiteral("inflation");
        case Sent: return QStringLiteral("sent, MB");
        case EqualLoss: return QStringLiteral("loss") + at;
        case EqualAccuracy: return QStringLiteral("best accuracy, %") + at;
        default: return {};
    }
}

QString CompareTableModel::targetInWords() const {
    if (board_.target()) return QString::fromStdString(board_.target()->inWords());
    const bool reached = std::ranges::any_of(rows_, [this](std::size_t group) {
        const ComparedGroup* row = board_.row(group);
        return row && row->secondsToTarget.n > 0;
    });
    return reached ? QStringLiteral("each run's own (train.target_accuracy, train.target_loss)") : QString();
}

QString CompareTableModel::timesInWords() const {
    if (!board_.compared()) return {};
    const auto times = board_.compared()->comparison.times();
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
        const ComparedGroup* row = board_.row(group);
        if (row && row->bestAccuracy.n > 0) (row->chosenOnValidation ? onValidation : onTest) = true;
    }
    if (!onTest) return onValidation ? QStringLiteral("best: of all evaluations, chosen on validation") : QString();
    return QStringLiteral("best: of all evaluations, %1chosen on the test set itself, which is optimistic")
        .arg(QLatin1String(onValidation ? "some " : ""));
}

QString CompareTableModel::footnote() const {
    QStringList notes;
    const auto baseline = board_.baseline();
    bool differs = false, single = false, repeated = false, oneDraw = false;
    for (const std::size_t group : rows_) {
        const ComparedGroup* row = board_.row(group);
        if (!row) continue;
        single = single || row->finished() == 1;
        repeated = repeated || row->finished() > 1;
        oneDraw = oneDraw || row->hasOneDraw();
        for (const NumberWords& number : compareNumbers()) {
            differs = differs || isSignificant(probabilityOf(*row, number.number));
        }
        differs = differs || isSignificant(row->perplexityP);
    }
    if (repeated) notes << QStringLiteral("mean ± %1 over finished seeds").arg(spreadName(board_.spread()));
    if (oneDraw && board_.spread() != Spread::None) notes << QString::fromUtf8(kOneDrawInWords);
    if (baseline) notes << QStringLiteral("baseline: ") + board_.groups()[*baseline].name;
    if (const QString best = bestInWords(); !best.isEmpty()) notes << best;
    if (const QString target = targetInWords(); !target.isEmpty()) notes << QStringLiteral("target: ") + target;
    if (const QString times = timesInWords(); !times.isEmpty()) notes << times;
    if (const QString& cautions = board_.cautionsInWords(); !cautions.isEmpty()) notes << cautions;
    if (single) notes << (repeated ? QStringLiteral("n = 1 has no spread") : QStringLiteral("each of one run, n = 1"));
    if (differs && baseline) {
        notes << QStringLiteral("† differs from %1 at 5 % (Welch, not corrected for several comparisons)")
                     .arg(board_.groups()[*baseline].name);
    }
    if (board_.compared() && board_.compared()->comparison.samplesDiffer) {
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
    lines.append(board_.leftOutInWords());
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString CompareTableModel::asCsv() const {
    QStringList head{QStringLiteral("configuration"), QStringLiteral("runs"), QStringLiteral("finished")};
    for (const NumberWords& number : compareNumbers()) {
        head << csvHeads(number.text()) << csvCell(number.text() + QStringLiteral(" p"));
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
    const auto baseline = board_.baseline();
    const QString against = baseline ? csvCell(board_.groups()[*baseline].name) : QString();
    const QString target = targetInWords().isEmpty() ? QString() : csvCell(targetInWords());
    QStringList lines{head.join(QLatin1Char(','))};
    for (const std::size_t group : rows_) {
        const ComparedGroup* row = board_.row(group);
        if (!row) continue;
        QStringList cells{csvCell(board_.groups()[group].name), QString::number(row->runIds.size()),
                          QString::number(row->finished())};
        for (const NumberWords& number : compareNumbers()) {
            const bool isStale = number.number == CompareNumber::SecondsToTarget && !board_.isTargetRead();
            const Sample sample = isStale ? Sample{} : sampleOf(*row, number.number);
            cells << csvSampleCells(sample) << csvNumberText(probabilityOf(*row, number.number));
        }
        cells << csvSampleCells(row->computeRatio) << csvSampleCells(row->stepRatio)
              << csvSampleCells(row->bestPerplexity);
        if (equalSamples_) cells << csvSampleCells(row->equalLoss) << csvSampleCells(inPercent(row->equalBestAccuracy));
        cells << QString::number(row->disturbed) << QString::number(row->partlyRead) << csvCell(setupsOf(*row))
              << against << target;
        lines << cells.join(QLatin1Char(','));
    }
    return lines.join(QStringLiteral("\r\n")) + QStringLiteral("\r\n");
}

}  // namespace dasgd::gui

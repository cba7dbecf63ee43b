#include "gui/timeline/model/beside/beside_table.h"

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

using What = PartDifference::What;

bool isShare(What what) { return what == What::Hidden || what == What::Blocked; }

QString valueText(const PartDifference& line, const std::optional<double>& value) {
    if (!value) return kAbsent;
    return isShare(line.what) ? percent(value) + QStringLiteral(" %")
                              : shortNumber(*value / 1e6, 4) + QStringLiteral(" ms");
}

QString differenceText(const PartDifference& line) {
    const auto difference = line.difference();
    if (!difference) return kAbsent;
    const double shown = isShare(line.what) ? *difference * 100 : *difference / 1e6;
    const QString sign = shown > 0 ? QStringLiteral("+") : shown < 0 ? QStringLiteral("−") : QString();
    return sign + shortNumber(std::abs(shown), 3) +
           (isShare(line.what) ? QStringLiteral(" points") : QStringLiteral(" ms"));
}

QString nameOfLine(const PartDifference& line) {
    switch (line.what) {
        case What::Step: return QStringLiteral("time of a step");
        case What::Hidden: return QStringLiteral("hidden");
        case What::Blocked: return QStringLiteral("blocked");
        default: return QString::fromLatin1(nameOf(line.kind).data());
    }
}

// For an imported trace without any wait, the blocked time is not known rather than 0.
KnownTimes knownTimesOf(const RunItem& run) { return {.waits = !run.row.imported() || run.row.blockedS.has_value()}; }

QString seconds(TimeRange range) {
    return QStringLiteral("%1 – %2 s")
        .arg(static_cast<double>(range.start) / 1e9, 0, 'f', 4)
        .arg(static_cast<double>(range.end) / 1e9, 0, 'f', 4);
}

QString sentenceOf(const QString& name, const RunItem& run, const StepParts& parts, TimeRange stretch) {
    const QString of = QStringLiteral("%1, %2: ").arg(name, originInWords(run));
    if (parts.ranks == 0) {
        return of + QStringLiteral("no whole round of a clean window lies in %1, so nothing is told of it")
                        .arg(seconds(stretch));
    }
    return of + QStringLiteral("mean of %1 of %2, together %3, in whole rounds of clean windows in %4")
                    .arg(parts.ranks)
                    .arg(counted(run.row.workers, "rank"), counted(parts.steps, "step"))
                    .arg(seconds(stretch));
}

// Differences in settings that make step times incomparable.
QStringList workDifferences(const RunItem& a, const RunItem& b) {
    QStringList all;
    if (a.row.workers != b.row.workers) {
        all << QStringLiteral("%1 and %2 ranks").arg(a.row.workers).arg(b.row.workers);
    }
    for (const auto& [key, name] : {std::pair("model.name", "model"), std::pair("train.batch_size", "batch size")}) {
        const std::string* one = a.config.find(key);
        const std::string* other = b.config.find(key);
        if (!one && !other) {
            if (a.row.imported() || b.row.imported()) all << QStringLiteral("%1 not known").arg(QLatin1String(name));
            continue;
        }
        if (one && other && *one == *other) continue;
        const auto text = [](const std::string* value) {
            return value ? QString::fromStdString(*value) : QStringLiteral("not known");
        };
        all << QStringLiteral("%1 %2 and %3").arg(QLatin1String(name), text(one), text(other));
    }
    return all;
}

}  // namespace

BesideTable tableOf(const BesideNumbers& numbers, const RunItem& a, const RunItem& b,
                    const std::optional<TimeRange>& elsewhere) {
    BesideTable table;
    if (elsewhere) {
        table.remarks << QStringLiteral("B does not reach over the time of A's window: its axis shows %1")
                             .arg(seconds(*elsewhere));
    }
    if (numbers.tooMany) {
        table.remarks << QStringLiteral("More than %1 spans are in sight: zoom in for the numbers")
                             .arg(grouped(static_cast<qint64>(BesideQuery::kMostSpans)));
        return table;
    }
    for (const PartDifference& line :
         differencesOf(numbers.partsOfA, knownTimesOf(a), numbers.partsOfB, knownTimesOf(b))) {
        const auto ratio = line.ratio();
        table.lines.push_back({.what = nameOfLine(line),
                               .a = valueText(line, line.a),
                               .b = valueText(line, line.b),
                               .difference = differenceText(line),
                               .ratio = ratio ? QStringLiteral("×") + shortNumber(*ratio, 3) : kAbsent,
                               .kind = line.what == What::Kind ? std::optional(line.kind) : std::nullopt});
    }
    table.remarks << sentenceOf(QStringLiteral("A"), a, numbers.partsOfA, numbers.ofA)
                  << sentenceOf(QStringLiteral("B"), b, numbers.partsOfB, numbers.ofB);
    const QStringList differ = workDifferences(a, b);
    if (!differ.isEmpty()) table.remarks << QStringLiteral("Not the same work: ") + differ.join(QStringLiteral("; "));
    if (originInWords(a) != originInWords(b)) table.remarks << QStringLiteral("Their times are not of one kind");
    return table;
}

QString textOf(const BesideTable& table) {
    QString text = QStringLiteral("of a step\tA\tB\tB − A\tB ÷ A\n");
    for (const BesideLine& line : table.lines) {
        text += QStringList{line.what, line.a, line.b, line.difference, line.ratio}.join(QLatin1Char('\t')) + u'\n';
    }
    return text + table.remarks.join(QLatin1Char('\n')) + u'\n';
}

}  // namespace dasgd::gui

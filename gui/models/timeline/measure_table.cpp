#include "gui/models/timeline/measure_table.h"

#include <array>

#include "gui/models/words.h"

namespace dasgd::gui {

namespace {

// What lies in the compute lane.
constexpr std::array<SpanKind, 12> kInLane{SpanKind::Forward, SpanKind::Backward,   SpanKind::Passes,
                                           SpanKind::Compute, SpanKind::Update,     SpanKind::Snapshot,
                                           SpanKind::Merge,   SpanKind::Wait,       SpanKind::Data,
                                           SpanKind::Eval,    SpanKind::Checkpoint, SpanKind::Other};
constexpr std::array<SpanKind, 3> kBeside{SpanKind::Transfer, SpanKind::Skew, SpanKind::Reduce};

double inMs(Ns t) { return static_cast<double>(t) / 1e6; }

}  // namespace

MeasureTable tableOf(const Measure& measure) {
    MeasureTable table{.lengthMs = inMs(measure.range.end - measure.range.start), .ranks = measure.ranks};
    const auto add = [&](const QString& what, std::optional<SpanKind> kind, Ns mean, const QString& most) {
        const double ms = inMs(mean);
        table.lines.push_back({what, kind, ms, most, table.lengthMs > 0 ? ms / table.lengthMs : 0});
    };
    const auto addKind = [&](SpanKind kind) {
        const auto place = static_cast<std::size_t>(kind);
        if (measure.mostByKind[place] == 0) return;
        add(QString::fromLatin1(nameOf(kind).data()), kind, measure.byKind[place],
            QStringLiteral("%1 (rank %2)")
                .arg(shortNumber(inMs(measure.mostByKind[place]), 3))
                .arg(measure.mostRank[place]));
    };
    for (const SpanKind kind : kInLane) addKind(kind);
    add(QStringLiteral("idle"), std::nullopt, measure.mean.idle, {});
    table.beside = table.lines.size();
    for (const SpanKind kind : kBeside) addKind(kind);
    if (measure.mean.transfer > 0) add(QStringLiteral("both at once"), std::nullopt, measure.mean.hidden, {});
    return table;
}

QString textOf(const MeasureTable& table) {
    QString text = QStringLiteral("what\tmean of %1 ranks, ms\tmost, ms\tshare\n").arg(table.ranks);
    for (const MeasureLine& line : table.lines) {
        text +=
            QStringLiteral("%1\t%2\t%3\t%4\n")
                .arg(line.what, QString::number(line.meanMs, 'f', 6), line.most, QString::number(line.share, 'f', 6));
    }
    return text;
}

}  // namespace dasgd::gui

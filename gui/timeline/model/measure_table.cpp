#include "gui/timeline/model/measure_table.h"

#include <array>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// Kinds of spans in the compute lane.
constexpr std::array<SpanKind, 12> kInLane{SpanKind::Forward, SpanKind::Backward,   SpanKind::Passes,
                                           SpanKind::Compute, SpanKind::Update,     SpanKind::Snapshot,
                                           SpanKind::Merge,   SpanKind::Wait,       SpanKind::Data,
                                           SpanKind::Eval,    SpanKind::Checkpoint, SpanKind::Other};
constexpr std::array<SpanKind, 3> kBeside{SpanKind::Transfer, SpanKind::Skew, SpanKind::Reduce};

constexpr std::array kIdleNames{"for an average", "for late ranks",   "for a message",
                                "reading data",   "eval, checkpoint", "unexplained"};
static_assert(kIdleNames.size() == kIdleParts.size());

double inMs(Ns t) { return static_cast<double>(t) / 1e6; }

}  // namespace

MeasureTable tableOf(const Measure& measure) {
    MeasureTable table{.lengthMs = inMs(measure.length()), .ranks = measure.ranks, .workers = measure.workers};
    const auto lineOf = [&](const QString& what, std::optional<SpanKind> kind, Ns mean, const QString& most) {
        const double ms = inMs(mean);
        return MeasureLine{what, kind, ms, most, table.lengthMs > 0 ? ms / table.lengthMs : 0};
    };
    const auto add = [&](const QString& what, std::optional<SpanKind> kind, Ns mean, const QString& most) {
        table.lines.push_back(lineOf(what, kind, mean, most));
    };
    const auto mostOf = [](Ns most, int rank) {
        return QStringLiteral("%1 (rank %2)").arg(shortNumber(inMs(most), 3)).arg(rank);
    };
    const auto addKind = [&](SpanKind kind) {
        const auto place = static_cast<std::size_t>(kind);
        if (measure.mostByKind[place] == 0) return;
        add(QString::fromLatin1(nameOf(kind).data()), kind, measure.byKind[place],
            mostOf(measure.mostByKind[place], measure.mostRank[place]));
    };
    for (const SpanKind kind : kInLane) addKind(kind);
    // Without any recorded span there is no idle time either.
    if (measure.ranks > 0) add(QStringLiteral("idle"), std::nullopt, measure.mean.idle, {});
    table.beside = table.lines.size();
    for (const SpanKind kind : kBeside) addKind(kind);
    if (measure.mean.transfer > 0) add(QStringLiteral("both at once"), std::nullopt, measure.mean.hidden, {});
    for (std::size_t part = 0; measure.ranks > 0 && part < kIdleParts.size(); ++part) {
        const Ns most = measure.mostIdle.*kIdleParts[part];
        if (most == 0) continue;
        table.idle.push_back(lineOf(QString::fromLatin1(kIdleNames[part]), std::nullopt, measure.idle.*kIdleParts[part],
                                    mostOf(most, measure.mostIdleRank[part])));
    }
    return table;
}

QString ranksOf(const MeasureTable& table) {
    if (table.ranks == 0) return QStringLiteral("no rank: none recorded anything here");
    if (table.workers <= table.ranks) {
        return table.ranks == 1 ? QStringLiteral("1 rank") : QStringLiteral("%1 ranks").arg(table.ranks);
    }
    return QStringLiteral("%1 of %2 ranks, the others recorded nothing here").arg(table.ranks).arg(table.workers);
}

QString freeTransfersInWords(const Measure& measure) {
    if (measure.hasLongPath) {
        return QStringLiteral("if transfers were free: over %1 spans, select fewer")
            .arg(grouped(SpanMeasure::kMostOfPath));
    }
    if (!measure.path || measure.path->length() <= 0) return {};
    if (measure.path->messages > 0) return QStringLiteral("if transfers were free: not known, ranks wait for messages");
    return QStringLiteral("if transfers were free: %1 % less").arg(measure.path->saved() * 100, 0, 'f', 1);
}

QString pathInWords(const Measure& measure) {
    if (!measure.path || measure.path->length() <= 0) return {};
    const CriticalPath& path = *measure.path;
    QStringList parts;
    const auto add = [&](Ns time, const char* name) {
        const double share = static_cast<double>(time) / static_cast<double>(path.length());
        if (time > 0) parts << QStringLiteral("%1 % ").arg(share * 100, 0, 'f', 1) + QLatin1String(name);
    };
    add(path.compute, "computing");
    add(path.transfer, "transfers");
    add(path.messages, "waiting for messages");
    add(path.other, "data and evaluations");
    add(path.idle, "idle");
    return QStringLiteral("critical path: ") + parts.join(QStringLiteral(", "));
}

QString textOf(const MeasureTable& table) {
    QString text = QStringLiteral("what\tmean of %1, ms\tmost, ms\tshare\n").arg(ranksOf(table));
    const auto add = [&](const MeasureLine& line, const QString& before) {
        text += QStringLiteral("%1\t%2\t%3\t%4\n")
                    .arg(before + line.what, QString::number(line.meanMs, 'f', 6), line.most,
                         QString::number(line.share, 'f', 6));
    };
    for (const MeasureLine& line : table.lines) add(line, {});
    for (const MeasureLine& line : table.idle) add(line, QStringLiteral("idle or waiting: "));
    return text;
}

}  // namespace dasgd::gui

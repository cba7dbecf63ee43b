#include "gui/models/figures/figure_runs.h"

#include <algorithm>

#include "core/base/fnv1a.h"
#include "gui/models/filter/filter_expression.h"

namespace dasgd::gui {

namespace {

Result<FigureRuns> namedRuns(const FigureSpec& spec, std::span<const RunItemPtr> all) {
    FigureRuns found;
    for (const QString& id : spec.runs) {
        RunItemPtr match;
        for (const RunItemPtr& run : all) {
            if (!run->id.startsWith(id)) continue;
            const bool whole = run->id == id;
            if (match && !whole && match->id != id)
                return fail("\"runs\": several runs begin with " + id.toStdString() + "; give more of the id");
            if (!match || whole) match = run;
        }
        if (!match) {
            found.missing << id;
        } else if (std::find(found.runs.begin(), found.runs.end(), match) == found.runs.end()) {
            found.runs.push_back(match);
        }
    }
    return found;
}

// Each run once, whatever panels it is in.
Result<FigureRuns> runsOfPanels(const FigureSpec& spec, std::span<const RunItemPtr> all) {
    FigureRuns found;
    for (const FigureSpec& panel : spec.panels) {
        DASGD_ASSIGN(const FigureRuns own, runsOf(panel, all));
        for (const RunItemPtr& run : own.runs) {
            if (std::ranges::find(found.runs, run) == found.runs.end()) found.runs.push_back(run);
        }
        found.missing += own.missing;
    }
    found.missing.removeDuplicates();
    return found;
}

}  // namespace

Result<FigureRuns> runsOf(const FigureSpec& spec, std::span<const RunItemPtr> all) {
    if (spec.kind == FigureKind::Panels) return runsOfPanels(spec, all);
    if (!spec.runs.isEmpty()) return namedRuns(spec, all);
    FieldCatalog fields;
    for (const RunItemPtr& run : all) fields.add(*run);
    const auto filter = FilterExpression::parse(spec.filter, fields);
    if (!filter) {
        return fail(QStringLiteral("\"filter\": at character %1: %2")
                        .arg(filter.error().at + 1)
                        .arg(filter.error().message)
                        .toStdString());
    }
    FigureRuns found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found.runs),
                 [&](const RunItemPtr& run) { return run->row.status != "queued" && filter->accepts(*run); });
    std::sort(found.runs.begin(), found.runs.end(), [](const RunItemPtr& a, const RunItemPtr& b) {
        return std::pair(a->row.startedAt, a->id) < std::pair(b->row.startedAt, b->id);
    });
    return found;
}

FigureSpec figureOfExperiment(const RunItemPtr& run) {
    FigureSpec spec;
    spec.smoothing = 0.9;
    if (!run) return spec;
    QString name = QString::fromStdString(run->row.experiment);
    spec.filter = QStringLiteral("experiment = \"%1\"").arg(name.remove(QLatin1Char('"')));
    return spec;
}

QString curveKey(const RunItem& run) {
    return QStringLiteral("%1/%2")
        .arg(QString::fromStdString(run.row.experiment))
        .arg(fnv1a(run.group), 8, 16, QLatin1Char('0'));
}

}  // namespace dasgd::gui

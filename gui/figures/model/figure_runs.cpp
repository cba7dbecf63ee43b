#include "gui/figures/model/figure_runs.h"

#include <algorithm>
#include <set>

#include "core/base/digest/fnv1a.h"
#include "gui/compare/model/compare_choice.h"
#include "gui/data/filter/filter_expression.h"

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

// Each run once, even if it is in several panels.
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

// Default names join a symbol and its value by a no-break space, which users do not type.
QString withPlainSpaces(QString text) { return text.replace(QChar(0x00a0), QLatin1Char(' ')); }

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
    spec.filter = experimentFilter(QString::fromStdString(run->row.experiment));
    return spec;
}

void takeRuns(FigureSpec& spec, const QStringList& ids, const QString& filter, std::span<const RunItemPtr> all) {
    spec.runs.clear();
    spec.filter = filter;
    Result<FigureRuns> chosen = FigureRuns{};
    if (!filter.isEmpty()) chosen = runsOf(spec, all);
    std::set<QString> wanted(ids.begin(), ids.end()), found;
    for (const RunItemPtr& run : all) {
        if (run->row.status == "queued") wanted.erase(run->id);
    }
    for (const RunItemPtr& run : chosen ? chosen->runs : std::vector<RunItemPtr>()) found.insert(run->id);
    if (!found.empty() && found == wanted) return;
    spec.filter.clear();
    spec.runs = ids;
}

Result<FigureSpec> pinnedFigure(const FigureSpec& spec, std::span<const RunItemPtr> all) {
    DASGD_ASSIGN(const FigureRuns chosen, runsOf(spec, all));
    if (chosen.runs.empty()) return fail("there is no run to keep: the filter chooses none");
    FigureSpec pinned = spec;
    pinned.filter.clear();
    pinned.runs.clear();
    for (const RunItemPtr& run : chosen.runs) pinned.runs << run->id;
    return pinned;
}

Result<FigureSpec> followingFigure(const FigureSpec& spec, std::span<const RunItemPtr> all) {
    DASGD_ASSIGN(const FigureRuns chosen, runsOf(spec, all));
    if (chosen.runs.empty()) return fail("none of these runs is in this workspace: give a filter");
    QStringList experiments;
    for (const RunItemPtr& run : chosen.runs) {
        experiments << experimentFilter(QString::fromStdString(run->row.experiment));
    }
    experiments.removeDuplicates();
    FigureSpec following = spec;
    following.runs.clear();
    following.filter = experiments.join(QStringLiteral(" or "));
    return following;
}

void takeRuns(FigureSpec& spec, const CompareChoice& choice, const std::vector<std::size_t>& groups) {
    QStringList ids;
    for (const std::size_t group : groups) {
        for (const RunItemPtr& run : choice.groups()[group].runs) ids << run->id;
    }
    takeRuns(spec, ids, choice.origin(), choice.allRuns());
}

QString baselineOf(const CompareChoice& choice) {
    const CompareGroup* chosen = choice.chosenBaseline();
    return chosen ? curveKey(*chosen->runs.front()) : QString();
}

bool meansCurve(const QString& written, const QString& key, const QString& usual) {
    return written == key || withPlainSpaces(written) == withPlainSpaces(usual);
}

QString nameOfCurve(const std::map<QString, QString>& names, const QString& key, const QString& usual) {
    QString name = usual;
    for (const auto& [written, chosen] : names) {
        if (chosen.isEmpty() || !meansCurve(written, key, usual)) continue;
        if (written == key) return chosen;
        name = chosen;
    }
    return name;
}

QString nameOfCurves(const std::map<QString, QString>& names, std::span<const RunItemPtr> runs, const QString& usual) {
    QString name = nameOfCurve(names, curveKey(*runs.front()), usual);
    for (const RunItemPtr& run : runs) {
        if (name == usual) name = nameOfCurve(names, curveKey(*run), usual);
    }
    return name;
}

QString curveKey(const RunItem& run) {
    return QStringLiteral("%1/%2")
        .arg(QString::fromStdString(run.row.experiment))
        .arg(fnv1a(run.group), 8, 16, QLatin1Char('0'));
}

}  // namespace dasgd::gui

// Figure of what the timeline shows.
#pragma once

#include <QObject>
#include <optional>

#include "gui/data/session/session.h"
#include "gui/data/spans/timeline_rows.h"
#include "gui/figures/model/figure_spec.h"
#include "gui/figures/model/rank_rows.h"

namespace dasgd::gui {

// Timeline figure of the current run: the selected range, else the visible one; nullopt without a run.
[[nodiscard]] inline std::optional<FigureSpec> figureOfTimeline(Session& session) {
    const RunItemPtr run = session.current();
    const TimeRange range = session.selection().marked().value_or(session.selection().window());
    if (!run || range.end <= range.start) return std::nullopt;
    FigureSpec spec{.kind = FigureKind::Timeline, .runs = {run->id}};
    spec.windowS = FigureRange{static_cast<double>(range.start) / 1e9, static_cast<double>(range.end) / 1e9};
    spec.rankRows = rankRowsText(*session.timelineRows().plan());
    const KindSet& hidden = session.timelineRows().hiddenKinds();
    for (std::size_t kind = 0; kind < hidden.size(); ++kind) {
        if (hidden.test(kind)) spec.hiddenKinds << QString::fromLatin1(kSpanKindNames[kind].data());
    }
    spec.title = QObject::tr("Timeline of %1").arg(QString::fromStdString(run->row.algorithm));
    return spec;
}

}  // namespace dasgd::gui

// The drawn metrics as a CSV file.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gui/data/curves/metric_words.h"
#include "gui/figures/export/csv_action.h"
#include "gui/run/chart/chart_card.h"

namespace dasgd::gui {

// CSV of the charts' metrics, for the runs or ranks that they draw.
[[nodiscard]] inline std::optional<CsvTask> csvOfCharts(const Session& session, const std::vector<ChartCard*>& charts) {
    std::vector<RecordedSeries> all;
    const RunItemPtr current = session.current();
    std::set<std::pair<std::string, QString>> seen;  // several charts may draw one metric
    for (ChartCard* chart : charts) {
        const std::string metric = chart->picker().metric();
        if (current && chart->picker().byRank()) {
            for (const auto& [rank, series] : chart->rankSeries()) {
                const QString name = whose(metric, rank);
                if (!seen.insert({metric, name}).second) continue;
                all.push_back({metric, current->id, name, current->row.timeSimulated, series});
            }
            continue;
        }
        const QStringList drawn = chart->drawnRuns();
        for (std::size_t i = 0; i < session.shown().size(); ++i) {
            const RunItem& run = *session.shown()[i];
            if (!drawn.contains(run.id) || !seen.insert({metric, run.id}).second) continue;
            all.push_back({metric, run.id, session.shownNames()[static_cast<qsizetype>(i)], run.row.timeSimulated,
                           chart->drawsSpans() ? chart->seriesOf(run) : session.series(run.id, metric)});
        }
    }
    std::erase_if(all, [](const RecordedSeries& one) { return one.series.empty(); });
    if (all.empty()) return std::nullopt;
    return CsvTask{session.currentId() + QStringLiteral("-metrics"), [all] { return seriesCsv(all); }};
}

}  // namespace dasgd::gui

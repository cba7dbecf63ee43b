// What tables and charts of the window show, as CSV: every run and every point, not what fits the screen. Text is data:
// figure_files' csvField(). Any thread.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "gui/models/live/series.h"
#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

// A column of the table of runs: one of RunTableModel's, or where `key` is not empty a setting.
struct CsvColumn {
    int column = 0;
    std::string key;
    bool operator==(const CsvColumn&) const = default;
};

// A row a run, in this order, the columns as given; numbers whole, in the units of the table. Then what the table marks
// on its times, "measured" or "simulated", and the run's id.
[[nodiscard]] QString runsTableCsv(const std::vector<RunItemPtr>& runs, const std::vector<CsvColumn>& columns);

// A metric of a run or of one of its ranks, as it was recorded.
struct RecordedSeries {
    std::string metric;
    QString run, name;  // id, and as the window calls it
    bool simulated = false;
    Series series;
};
// A row a point, in recorded units.
[[nodiscard]] QString seriesCsv(const std::vector<RecordedSeries>& all);

// Writes `folder`/NAME.csv, or NAME-2.csv and so on where it is taken; answers the file. A file that is there is never
// replaced.
[[nodiscard]] Result<QString> writeNewCsv(const QString& text, const QString& folder, const QString& name);

}  // namespace dasgd::gui

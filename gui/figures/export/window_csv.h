// Tables and charts of the window as CSV: every run and every point, not only those on the screen. Text is escaped by
// csvField() (figure_files.h). Any thread.
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "gui/data/runs/run_item.h"
#include "gui/kit/curves/series.h"

namespace dasgd::gui {

// A column of the table of runs: a column of RunTableModel or, if `key` is not empty, a setting.
struct CsvColumn {
    int column = 0;
    std::string key;
    bool operator==(const CsvColumn&) const = default;
};

// A row for each run, in the given order of runs and columns; numbers in full, in the units of the table. Two columns
// follow: the clock, "measured" or "simulated", and the run's id.
[[nodiscard]] QString runsTableCsv(const std::vector<RunItemPtr>& runs, const std::vector<CsvColumn>& columns);

// A metric of a run or of one of its ranks, as it was recorded.
struct RecordedSeries {
    std::string metric;
    QString run, name;  // the run's id, and its name in the window
    bool simulated = false;
    Series series;
};
// A row for each point, in recorded units.
[[nodiscard]] QString seriesCsv(const std::vector<RecordedSeries>& all);

// Writes `folder`/NAME.csv, or NAME-2.csv and so on where it is taken; answers the file. A file that is there is never
// replaced.
[[nodiscard]] Result<QString> writeNewCsv(const QString& text, const QString& folder, const QString& name);

}  // namespace dasgd::gui

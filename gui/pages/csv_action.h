// The "CSV" button of a page: writes the page's table or curves to a new file in the workspace's folder `tables`, on a
// thread of its own.
#pragma once

#include <QDir>
#include <QHeaderView>
#include <QThreadPool>
#include <QToolButton>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "gui/figures/window_csv.h"
#include "gui/models/curves/metric_words.h"
#include "gui/models/experiment/experiment_files.h"
#include "gui/models/run_list/run_list_model.h"
#include "gui/pages/page.h"
#include "gui/widgets/button_key.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/run/chart_card.h"

namespace dasgd::gui {

// Name and text of a CSV file; `text` is called on another thread.
struct CsvTask {
    QString name;
    std::function<QString()> text;
};

class CsvButton : public QToolButton {
public:
    // `what` gives the task, or nullopt where the page shows nothing. `page`: the widget in which Ctrl+Alt+E presses
    // the button. `say` shows the result.
    CsvButton(PageContext& context, QWidget* page, std::function<std::optional<CsvTask>()> what,
              std::function<void(const QString&, MessageBar::Kind)> say)
        : what_(std::move(what)), say_(std::move(say)) {
        setObjectName(QStringLiteral("choice"));
        setText(tr("CSV"));
        setToolTip(tr("Write what is shown here to a new CSV file, every row and point  Ctrl+Alt+E"));
        addButtonKey(QStringLiteral("Ctrl+Alt+E"), *this, page);
        writer_.setMaxThreadCount(1);
        const QString workspace = QString::fromStdString(context.session.feed().workspace().string());
        folder_ = QDir(workspace).absoluteFilePath(QStringLiteral("tables"));
        connect(this, &QToolButton::clicked, this, [this] { write(); });
    }
    ~CsvButton() override { writer_.waitForDone(); }

private:
    void write() {
        auto task = what_();
        if (!task) return say_(tr("No CSV: nothing is shown."), MessageBar::Kind::Error);
        setEnabled(false);
        writer_.start([this, task = std::move(*task), folder = folder_] {
            const auto written = writeNewCsv(task.text(), folder, fileStem(task.name));
            const QString words =
                written ? tr("Written: %1").arg(*written) : QString::fromStdString(written.error().message);
            const auto kind = written ? MessageBar::Kind::Note : MessageBar::Kind::Error;
            QMetaObject::invokeMethod(
                this,
                [this, words, kind] {
                    setEnabled(true);
                    say_(words, kind);
                },
                Qt::QueuedConnection);
        });
    }

    std::function<std::optional<CsvTask>()> what_;
    std::function<void(const QString&, MessageBar::Kind)> say_;
    QString folder_;
    QThreadPool writer_;
};

// CSV of the listed runs, including those of closed groups, with the visible columns in their order.
[[nodiscard]] inline std::optional<CsvTask> csvOfRuns(const RunListModel& list, const QHeaderView& header) {
    std::vector<RunItemPtr> runs;
    for (int row = 0; row < list.rowCount(); ++row) {
        const ListRow& one = list.rowAt(row);
        if (!one.isGroup()) {
            runs.push_back(one.run);
        } else if (!one.group->open) {
            runs.insert(runs.end(), one.group->runs.begin(), one.group->runs.end());
        }
    }
    if (runs.empty()) return std::nullopt;
    std::vector<CsvColumn> columns;
    for (int place = 0; place < header.count(); ++place) {
        const int column = header.logicalIndex(place), key = column - RunTableModel::kColumns;
        if (header.isSectionHidden(column)) continue;
        columns.push_back({column, key < 0 ? std::string() : list.keyColumns().value(key).toStdString()});
    }
    return CsvTask{QStringLiteral("runs"), [runs, columns] { return runsTableCsv(runs, columns); }};
}

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

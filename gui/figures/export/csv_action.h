// The entry "CSV" of a page's Export menu: writes the page's table or curves to a new file in the workspace's folder
// `tables`, on a thread of its own.
#pragma once

#include <QAction>
#include <QDir>
#include <QThreadPool>
#include <functional>
#include <optional>
#include <utility>

#include "gui/data/session/session.h"
#include "gui/figures/export/window_csv.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

// Name and text of a CSV file; `text` is called on another thread.
struct CsvTask {
    QString name;
    std::function<QString()> text;
};

class CsvAction : public QAction {
public:
    // `what` gives the task, or nullopt where the page shows nothing. `page` owns the action, and Ctrl+Alt+E triggers
    // it there. `say` shows the result.
    CsvAction(PageContext& context, QWidget* page, std::function<std::optional<CsvTask>()> what,
              std::function<void(const QString&, MessageBar::Kind)> say)
        : QAction(tr("CSV of what is shown, every row and point"), page), what_(std::move(what)), say_(std::move(say)) {
        setShortcut(QKeySequence(QStringLiteral("Ctrl+Alt+E")));
        setShortcutContext(Qt::WidgetWithChildrenShortcut);
        page->addAction(this);
        writer_.setMaxThreadCount(1);
        const QString workspace = QString::fromStdString(context.session.feed().workspace().string());
        folder_ = QDir(workspace).absoluteFilePath(QStringLiteral("tables"));
        connect(this, &QAction::triggered, this, [this] { write(); });
    }
    ~CsvAction() override { writer_.waitForDone(); }

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

}  // namespace dasgd::gui

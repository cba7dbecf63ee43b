// The "CSV" button of a page: writes the page's table or curves to a new file in the workspace's folder `tables`, on a
// thread of its own.
#pragma once

#include <QDir>
#include <QThreadPool>
#include <QToolButton>
#include <functional>
#include <optional>
#include <utility>

#include "gui/data/session/session.h"
#include "gui/figures/export/window_csv.h"
#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/words/words.h"

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

}  // namespace dasgd::gui

// One report: its progress or the text that `dasgd` printed, and the request and program behind it.
#pragma once

#include <QElapsedTimer>

#include "gui/kit/parts/parts.h"
#include "gui/scaling/model/reports/report.h"

class QProgressBar;
class QTextBrowser;

namespace dasgd::gui {

class ReportView : public QWidget {
    Q_OBJECT

public:
    explicit ReportView(const Look& look);

    using QWidget::show;
    // `preferred`: true if the forecast prefers this calibration.
    void show(const Report& report, bool preferred);
    [[nodiscard]] QTextBrowser& text() const { return *text_; }

signals:
    void stopWanted(const QString& name);
    void preferWanted(const QString& name, bool on);
    void settingsWanted(const QString& toml);  // the advised setting, for the experiment
    void againWanted(const QString& name);
    void scalingWanted();
    void runWanted(const QString& run);

private:
    void makeActions(QHBoxLayout& row);
    void showState(const Report& report);
    void showText();
    void showOrigin(const Report& report);

    const Look& look_;
    QString name_, markdown_;  // name of the report on show and its text
    QLabel *title_, *state_, *origin_;
    QPushButton *stop_, *prefer_, *take_, *again_, *scaling_;
    MessageBar* message_;
    QProgressBar* progress_;
    Card* card_;
    QTextBrowser* text_;
    QElapsedTimer stopped_;  // time since Cancel was pressed
};

}  // namespace dasgd::gui

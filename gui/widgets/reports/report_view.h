// One report: how far it is or what came of it, as cards; what was asked, by which program, from which runs.
#pragma once

#include <QElapsedTimer>

#include "gui/models/reports/report_content.h"
#include "gui/widgets/parts.h"

class QProgressBar;
class QTableWidget;

namespace dasgd::gui {

class PlotView;

class ReportView : public QWidget {
    Q_OBJECT

public:
    explicit ReportView(const Look& look);

    using QWidget::show;
    // `configOf`: see contentOf(). `preferred`: whether the forecast takes this calibration first.
    void show(const Report& report, const ConfigOf& configOf, bool preferred);
    [[nodiscard]] QTableWidget& table() const { return *table_; }
    [[nodiscard]] QTableWidget& formulas() const { return *formulas_; }

signals:
    void stopWanted(const QString& name);
    void preferWanted(const QString& name, bool on);
    void settingsWanted(const QString& toml);  // of a row, to be taken over into the experiment
    void againWanted(const QString& name);
    void scalingWanted();
    void runWanted(const QString& run);

protected:
    // Only what is shown has the window's font, which columns are measured with.
    void showEvent(QShowEvent* event) override;

private:
    void makeActions(QHBoxLayout& row);
    void showState(const Report& report);
    void showFigures(const std::vector<ReportFigure>& figures);
    void showTable(const ReportTable& table);
    void showFormulas(const ReportTable& table);
    void showFit(const std::vector<FitPoint>& fit);
    void showOrigin(const Report& report);
    void showLinks();
    [[nodiscard]] QString chosenSettings() const;

    const Look& look_;
    QString name_, shown_;  // which report, and of what its cards were made
    ReportContent content_;
    QStringList linked_;  // the runs that it names
    QLabel *title_, *basis_, *warning_, *state_, *notes_, *origin_;
    QPushButton *stop_, *prefer_, *take_, *again_, *scaling_;
    MessageBar* message_;
    QProgressBar* progress_;
    QWidget* figures_;
    Card *tableCard_, *formulaCard_, *fitCard_, *notesCard_;
    QTableWidget *table_, *formulas_;
    PlotView* fit_;
    QLabel* runs_;           // as links
    QElapsedTimer stopped_;  // since Cancel was pressed
};

}  // namespace dasgd::gui

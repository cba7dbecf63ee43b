// One report: its progress or its results as cards, and the request, program and runs behind it.
#pragma once

#include <QElapsedTimer>

#include "gui/kit/parts/parts.h"
#include "gui/scaling/model/reports/report_content.h"

class QProgressBar;
class QTableWidget;

namespace dasgd::gui {

class PlotView;

class ReportView : public QWidget {
    Q_OBJECT

public:
    explicit ReportView(const Look& look);

    using QWidget::show;
    // `configOf`: see contentOf(). `preferred`: true if the forecast prefers this calibration.
    void show(const Report& report, const ConfigOf& configOf, bool preferred);
    [[nodiscard]] QTableWidget& table() const { return *table_; }
    [[nodiscard]] QTableWidget& formulas() const { return *formulas_; }

signals:
    void stopWanted(const QString& name);
    void preferWanted(const QString& name, bool on);
    void settingsWanted(const QString& toml);  // settings of a row, for the experiment
    void againWanted(const QString& name);
    void scalingWanted();
    void runWanted(const QString& run);

protected:
    // Measures the columns: only a shown widget has the window's font.
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
    QString name_, shown_;  // name of the report; state from which the cards were made
    ReportContent content_;
    QStringList linked_;  // runs that the report names
    QLabel *title_, *basis_, *warning_, *state_, *notes_, *origin_;
    QPushButton *stop_, *prefer_, *take_, *again_, *scaling_;
    MessageBar* message_;
    QProgressBar* progress_;
    QWidget* figures_;
    Card *tableCard_, *formulaCard_, *fitCard_, *notesCard_;
    QTableWidget *table_, *formulas_;
    PlotView* fit_;
    QLabel* runs_;           // runs as links
    QElapsedTimer stopped_;  // time since Cancel was pressed
};

}  // namespace dasgd::gui

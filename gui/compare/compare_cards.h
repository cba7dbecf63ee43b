// Cards of a comparison: CompareBars, and CompareMap with a heat map, a scatter plot or parallel coordinates.
#pragma once

#include <QLineEdit>
#include <QStackedLayout>

#include "gui/compare/model/compare_board.h"
#include "gui/compare/pictures/compare_pictures.h"
#include "gui/figures/model/figure_spec.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/wrapped_label.h"

namespace dasgd::gui {

class CompareBars : public Card {
    Q_OBJECT

public:
    CompareBars(CompareBoard& board, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] BarView& view() { return *view_; }
    [[nodiscard]] Choice& number() { return *number_; }
    [[nodiscard]] QLineEdit& target() { return *target_; }
    // Label that says what a time to a target includes; empty for other numbers.
    [[nodiscard]] const QLabel& clock() const { return *clock_; }
    // The bars as a figure. Errors: a time to a target without a target.
    [[nodiscard]] Result<FigureSpec> figure() const;

signals:
    void opened(const QStringList& runs);  // a double click on a bar: the runs behind its number

private:
    void takeTarget();
    void redraw();

    CompareBoard& board_;
    BarView* view_;
    Choice* number_;
    QLineEdit* target_;
    QLabel* error_;
    WrappedLabel* clock_;
    std::vector<std::size_t> groups_;
};

class CompareMap : public Card {
    Q_OBJECT

public:
    enum Kind { Heat, Scatter, Parallel };

    CompareMap(CompareBoard& board, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] Choice& kind() { return *kind_; }
    [[nodiscard]] HeatMapView& heat() { return *heat_; }
    [[nodiscard]] PlotView& scatter() { return *scatter_; }
    [[nodiscard]] ParallelView& parallel() { return *parallel_; }
    // The shown picture as a figure. Errors: a missing target or second axis, parallel coordinates.
    [[nodiscard]] Result<FigureSpec> figure() const;

signals:
    void opened(const QStringList& runs);  // a double click on a cell or a point

private:
    QLayout* makeHead();
    void fillKeys(QToolButton& button, std::string& key);
    void chooseKeys();
    void takeBrush();
    void redraw();
    void drawHeat();
    void drawScatter();
    void drawParallel();

    CompareBoard& board_;
    Choice *kind_, *number_, *against_;
    QToolButton *rowButton_, *columnButton_;
    QStackedLayout* stack_;
    HeatMapView* heat_;
    PlotView* scatter_;
    ParallelView* parallel_;
    WrappedLabel* note_;
    std::string rowKey_, columnKey_;
    GroupMap map_;
    RunPoints points_;
    std::vector<std::size_t> lines_;  // groups of the parallel lines
};

}  // namespace dasgd::gui

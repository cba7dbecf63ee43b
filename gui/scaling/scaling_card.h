// One plot of the Scaling view: the drawn lines over the number of workers.
#pragma once

#include <optional>
#include <utility>

#include "gui/figures/model/figure_spec.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/plots/plot_view.h"
#include "gui/scaling/model/scaling_board.h"

namespace dasgd::gui {

class ScalingCard : public Card {
    Q_OBJECT

public:
    ScalingCard(const QString& title, ScalingPlot plot, ScalingBoard& board, const Look& look,
                QWidget* parent = nullptr);
    [[nodiscard]] PlotView& plot() { return *plot_; }
    // The drawn lines as a figure, with their y axis and zoom.
    [[nodiscard]] FigureSpec figure(const QString& target) const;
    // Draws a ring around the point of a drawn line at that number of workers, if the plot has it.
    void mark(std::size_t line, int workers);
    void unmark();

signals:
    void pointClicked(std::size_t line, int workers);
    void pointOpened(std::size_t line, int workers);

private:
    void refresh();
    void placeMark();
    [[nodiscard]] int workersOf(PointPlace place) const;
    [[nodiscard]] QString wordsOf(PointPlace place) const;

    ScalingPlot kind_;
    ScalingBoard& board_;
    PlotView* plot_;
    QLabel* spread_ = nullptr;  // meaning of the error bars
    Choice* scale_ = nullptr;   // scale of the y axis; null where it is always linear
    std::optional<std::pair<std::size_t, int>> marked_;
};

}  // namespace dasgd::gui

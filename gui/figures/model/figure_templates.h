// Figures that papers of the field have, with everything set but the runs.
#pragma once

#include <span>

#include "gui/data/runs/run_item.h"
#include "gui/figures/model/figure_spec.h"

namespace dasgd::gui {

struct FigureTemplate {
    const char* word;   // name on the command line and of the files
    const char* title;  // in menus, and of the figure
    const char* help;
};
[[nodiscard]] std::span<const FigureTemplate> figureTemplates();
// The words of all templates.
[[nodiscard]] QStringList templateWords();
// The figure of the template called `word`, of every run. Precondition: it is one of templateWords().
[[nodiscard]] FigureSpec figureOfTemplate(const QString& word);
// Stores the choice of runs in the figure and in each of its panels, as takeRuns() does.
void takeRunsOfAll(FigureSpec& spec, const QStringList& ids, const QString& filter, std::span<const RunItemPtr> all);

}  // namespace dasgd::gui

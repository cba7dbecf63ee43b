#include "gui/figures/model/figure_news.h"

namespace dasgd::gui {

void FigureNews::setStates(const std::vector<FigureState>& states) {
    states_.clear();
    for (const FigureState& state : states) {
        states_[state.name] = state;
        // Runs from before the window was opened count as seen.
        seen_.try_emplace(state.name, state.runs);
    }
    emit changed();
}

void FigureNews::look(const QString& name) {
    const FigureState* state = stateOf(name);
    if (!state || seen_[name] == state->runs) return;
    seen_[name] = state->runs;
    emit changed();
}

const FigureState* FigureNews::stateOf(const QString& name) const {
    const auto state = states_.find(name);
    return state == states_.end() ? nullptr : &state->second;
}

QString FigureNews::newsOf(const QString& name) const {
    const FigureState* state = stateOf(name);
    const auto seen = seen_.find(name);
    if (!state || seen == seen_.end()) return {};
    const int more = state->runs - seen->second;
    if (more <= 0) return {};
    return more == 1 ? tr("1 new run") : tr("%1 new runs").arg(more);
}

}  // namespace dasgd::gui

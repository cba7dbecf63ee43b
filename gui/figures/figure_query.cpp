#include "gui/figures/figure_query.h"

#include <utility>

#include "gui/figures/model/figure_runs.h"

namespace dasgd::gui {

void FigureQuery::show(const std::optional<FigureSpec>& spec) { spec_.set(spec); }

void FigureQuery::watch(const std::vector<SavedFigure>& figures) { figures_.set(figures); }

Status FigureQuery::refresh(LiveStore& store) {
    const auto [spec, isAsked] = spec_.look();
    const auto [figures, areNew] = figures_.look();
    // After an error a later refresh tries again, so that the figure is drawn as soon as the store can be read.
    isUnanswered_ = isUnanswered_ || isAsked;
    const bool grown = fresh_.due(store);
    if (!isUnanswered_ && !areNew && !grown) return {};
    if (grown) fresh_.begin(store);
    std::vector<RunItemPtr> all;
    all.reserve(store.runs().size());
    for (const auto& [id, run] : store.runs()) all.push_back(run);
    if (grown || areNew) refreshStates(all, figures);
    if (spec && (grown || isUnanswered_)) DASGD_TRY(refreshShown(store, all, *spec, isUnanswered_));
    isUnanswered_ = false;
    if (grown) fresh_.end();
    return {};
}

void FigureQuery::refreshStates(const std::vector<RunItemPtr>& all, const std::vector<SavedFigure>& figures) {
    std::vector<FigureState> states;
    for (const SavedFigure& figure : figures) {
        if (!figure.error.isEmpty()) continue;
        FigureState state{.name = figure.name};
        if (const auto runs = runsOf(figure.spec, all)) {
            state.runs = static_cast<int>(runs->runs.size());
            state.missing = runs->missing;
        } else {
            state.error = QString::fromStdString(runs.error().message);
        }
        states.push_back(std::move(state));
    }
    if (states == states_) return;
    states_ = states;
    deliver([this, states] { emit statesArrived(states); });
}

Status FigureQuery::refreshShown(LiveStore& store, const std::vector<RunItemPtr>& all, const FigureSpec& spec,
                                 bool asked) {
    Fingerprint now;
    const auto runs = runsOf(spec, all);
    if (runs) {
        for (const RunItemPtr& run : runs->runs) now.push_back({run->id, {run->row.status, run->row.steps}});
    }
    if (!asked && now == drawn_) return {};
    auto shown = std::make_shared<ShownFigure>(ShownFigure{.spec = spec});
    if (runs) {
        DASGD_ASSIGN(shown->content, readFigure(store.reader(), spec, all));
    } else {
        shown->error = QString::fromStdString(runs.error().message);
    }
    drawn_ = std::move(now);
    deliver([this, shown] { emit arrived(shown); });
    return {};
}

}  // namespace dasgd::gui

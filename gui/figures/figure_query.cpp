#include "gui/figures/figure_query.h"

#include <utility>

#include "gui/figures/model/figure_runs.h"

namespace dasgd::gui {

void FigureQuery::show(const std::optional<FigureSpec>& spec) {
    {
        const std::scoped_lock lock(mutex_);
        spec_ = spec;
        specAsked_ = true;
    }
    ask();
}

void FigureQuery::watch(const std::vector<SavedFigure>& figures) {
    {
        const std::scoped_lock lock(mutex_);
        figures_ = figures;
        figuresAsked_ = true;
    }
    ask();
}

Status FigureQuery::refresh(LiveStore& store) {
    std::unique_lock lock(mutex_);
    const bool specAsked = std::exchange(specAsked_, false), figuresAsked = std::exchange(figuresAsked_, false);
    const std::optional<FigureSpec> spec = spec_;
    const std::vector<SavedFigure> figures = figures_;
    lock.unlock();
    const bool grown = revision_ != store.revision() && interval_.due();
    if (!specAsked && !figuresAsked && !grown) return {};
    const qint64 begun = interval_.now();
    std::vector<RunItemPtr> all;
    all.reserve(store.runs().size());
    for (const auto& [id, run] : store.runs()) all.push_back(run);
    if (grown || figuresAsked) refreshStates(all, figures);
    if (spec && (grown || specAsked)) {
        if (Status read = refreshShown(store, all, *spec, specAsked); !read) {
            // A later refresh tries again, so that the figure is drawn as soon as the store can be read.
            lock.lock();
            specAsked_ = true;
            return read;
        }
    }
    if (grown) revision_ = store.revision();
    interval_.spent(interval_.now() - begun);
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

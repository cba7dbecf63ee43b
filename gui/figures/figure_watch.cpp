#include "gui/figures/figure_watch.h"

namespace dasgd::gui {

FigureWatch::FigureWatch(Feed& feed, FigureLibrary& library) : feed_(feed), library_(library) {
    connect(&library_, &FigureLibrary::changed, this, &FigureWatch::watch);
    watch();
}

void FigureWatch::watch() {
    if (!query_) {
        // Without a saved figure no query runs.
        if (library_.figures().empty()) return;
        query_ = &feed_.query<FigureQuery>();
        connect(query_, &FigureQuery::statesArrived, &library_.news(), &FigureNews::setStates);
    }
    query_->watch(library_.figures());
}

}  // namespace dasgd::gui

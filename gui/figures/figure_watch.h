// Watches the runs of the saved figures from the start of the window on, whichever page is open, and passes changes to
// the library (FigureLibrary::news()). UI thread.
#pragma once

#include <QObject>

#include "gui/data/feed/feed.h"
#include "gui/figures/figure_query.h"
#include "gui/figures/model/figure_library.h"

namespace dasgd::gui {

class FigureWatch : public QObject {
    Q_OBJECT

public:
    // Feed and library outlive the watch.
    FigureWatch(Feed& feed, FigureLibrary& library);

private:
    void watch();

    Feed& feed_;
    FigureLibrary& library_;
    FigureQuery* query_ = nullptr;  // owned by the feed; null until there is a saved figure
};

}  // namespace dasgd::gui

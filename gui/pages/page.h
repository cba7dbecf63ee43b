// A page of the window, and the list of them. A page is made when it is first opened: what happens before it takes from
// the models, and what must not wait for that is done by a model. A page is one .cpp of this folder:
//
//   const PageRegistry::Add<RunsPage> kAdd{{.order = 10, .title = "Runs", .icon = "M5 2.5h10M5 7.5h10"}};
#pragma once

#include <QWidget>
#include <algorithm>
#include <functional>
#include <vector>

#include "gui/models/experiment/experiment_draft.h"
#include "gui/models/figures/figure_library.h"
#include "gui/models/live/engine.h"
#include "gui/models/live/session.h"
#include "gui/models/reports/report_library.h"
#include "gui/theme/theme.h"

namespace dasgd::gui {

// What pages see of the program. Outlives them.
struct PageContext {
    Session& session;
    Engine& engine;
    ExperimentDraft& draft;  // what the Experiment page shows
    FigureLibrary& figures;  // the saved ones
    ReportLibrary& reports;  // of calibrate, advise, scale, replay
    const Look& look;
    std::function<void(const char* title)> open;  // goes to the page of that title, and makes it
};

struct PageInfo {
    int order = 0;  // on the rail, from the top
    const char* title = "";
    // Path data of SVG, from 0 to 15 in x and y; the rail strokes it in the colour of the theme.
    const char* icon = "";
};

class PageRegistry {
public:
    struct Entry {
        PageInfo info;
        std::function<QWidget*(PageContext&)> create;
    };

    // By their order.
    [[nodiscard]] static const std::vector<Entry>& entries() { return mutableEntries(); }

    template <class Page>
    struct Add {
        explicit Add(const PageInfo& info) {
            std::vector<Entry>& all = mutableEntries();
            const auto after =
                std::find_if(all.begin(), all.end(), [&](const Entry& entry) { return entry.info.order > info.order; });
            all.insert(after, {info, [](PageContext& context) -> QWidget* { return new Page(context); }});
        }
    };

private:
    static std::vector<Entry>& mutableEntries() {
        static std::vector<Entry> all;
        return all;
    }
};

}  // namespace dasgd::gui

// Registry of the window's pages. A page is made when it is first opened and then takes its state from the models; work
// that must not wait for that belongs in a model. A page is one NAME_page.cpp in the folder of its feature:
//
//   const PageRegistry::Add<RunsPage> kAdd{{.order = 10, .title = "Runs", .icon = "M5 2.5h10M5 7.5h10"}};
#pragma once

#include <QWidget>
#include <algorithm>
#include <functional>
#include <vector>

namespace dasgd::gui {

class Engine;
class ExperimentDraft;
class FigureLibrary;
class Look;
class ReportLibrary;
class Session;

// The parts of the program that pages use. They outlive the pages.
struct PageContext {
    Session& session;
    Engine& engine;
    ExperimentDraft& draft;  // the experiment on the Experiment page
    FigureLibrary& figures;  // saved figures
    ReportLibrary& reports;  // reports of calibrate, advise, scale and replay
    const Look& look;
    std::function<void(const char* title)> open;  // shows the page of that title; makes it if necessary
};

struct PageInfo {
    int order = 0;  // position on the rail, ascending from the top
    const char* title = "";
    // SVG path data, 0 to 15 in x and y; the rail strokes it in the theme's colour.
    const char* icon = "";
};

class PageRegistry {
public:
    struct Entry {
        PageInfo info;
        std::function<QWidget*(PageContext&)> create;
    };

    // All pages by their order.
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

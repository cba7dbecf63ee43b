// Helpers of the Figures page: the curves that can be renamed, and pictures drawn on another thread.
#pragma once

#include <QThreadPool>
#include <functional>
#include <utility>
#include <vector>

#include "gui/figures/content/figure_setup.h"
#include "gui/figures/figure_form.h"
#include "gui/figures/figure_query.h"

namespace dasgd::gui {

// The curves that can be renamed, by panel; a single list for a figure without panels.
[[nodiscard]] inline std::vector<std::vector<NamedCurve>> namedCurves(const FigureContent& content) {
    if (!content.panels.empty()) {
        std::vector<std::vector<NamedCurve>> panels;
        for (const FigureContent& panel : content.panels) panels.push_back(namedCurves(panel).front());
        return panels;
    }
    std::vector<NamedCurve> curves;
    for (const FigureSource& source : content.sources) {
        curves.push_back({source.key, source.usualName, QObject::tr("n %1").arg(source.countInWords())});
    }
    return {curves};
}

// The caption that the bundle gets.
[[nodiscard]] inline QString captionOf(const ShownFigure& figure) { return captionOf(figure.content, figure.spec); }

// Draws `page` on a thread of `pool` and calls `done` on the thread of `receiver`, which outlives the pool.
inline void drawLater(QThreadPool& pool, QObject& receiver, const PaperPage& page, double scale,
                      std::function<void(const QImage&)> done) {
    pool.start([&receiver, scale, done = std::move(done), record = recorded(page)] {
        const QImage image = imageOf(record, scale);
        QMetaObject::invokeMethod(&receiver, [done, image] { done(image); });
    });
}

}  // namespace dasgd::gui

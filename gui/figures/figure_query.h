// Query of the Figures page: the content of the figure on show, and the state of the runs of all saved figures.
#pragma once

#include <memory>
#include <vector>

#include "gui/data/feed/live_query.h"
#include "gui/figures/content/figure_content.h"
#include "gui/figures/model/figure_library.h"

namespace dasgd::gui {

// An answer to FigureQuery::show().
struct ShownFigure {
    FigureSpec spec;
    FigureContent content;
    QString error;  // error in the filter; `content` is then empty
};
using ShownFigurePtr = std::shared_ptr<const ShownFigure>;

class FigureQuery final : public LiveQuery {
    Q_OBJECT

public:
    FigureQuery() : LiveQuery(Priority::Drawing) {}
    // Delivers the content of this figure by arrived(), and again whenever its runs have recorded more. nullopt stops.
    void show(const std::optional<FigureSpec>& spec);
    void watch(const std::vector<SavedFigure>& figures);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::ShownFigurePtr& figure);
    void statesArrived(const std::vector<dasgd::gui::FigureState>& states);

private:
    // The state of the runs on which a picture depends; a change means that it is drawn again.
    using Fingerprint = std::vector<std::pair<QString, std::pair<std::string, std::int64_t>>>;

    void refreshStates(const std::vector<RunItemPtr>& all, const std::vector<SavedFigure>& figures);
    // Errors: a store that cannot be read.
    Status refreshShown(LiveStore& store, const std::vector<RunItemPtr>& all, const FigureSpec& spec, bool asked);

    Wishes<std::optional<FigureSpec>> spec_{this};
    Wishes<std::vector<SavedFigure>> figures_{this};
    bool isUnanswered_ = false;  // the figure on show has not been read since it was asked for

    Freshness fresh_{500, 10};
    Fingerprint drawn_;
    std::vector<FigureState> states_;
};

}  // namespace dasgd::gui

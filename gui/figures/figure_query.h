// What the Figures page needs of the store: what the figure that is looked at shows, and how the runs of all saved ones
// are.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "gui/figures/figure_content.h"
#include "gui/models/figures/figure_library.h"
#include "gui/models/live/live_query.h"

namespace dasgd::gui {

// An answer to FigureQuery::show().
struct ShownFigure {
    FigureSpec spec;
    FigureContent content;
    QString error;  // of the filter; then there is no content
};
using ShownFigurePtr = std::shared_ptr<const ShownFigure>;

class FigureQuery final : public LiveQuery {
    Q_OBJECT

public:
    FigureQuery() : LiveQuery(Priority::Drawing) {}
    // From now on the content of this figure is delivered, again whenever its runs have recorded more; nullopt: of
    // none.
    void show(const std::optional<FigureSpec>& spec);
    void watch(const std::vector<SavedFigure>& figures);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::ShownFigurePtr& figure);
    void statesArrived(const std::vector<dasgd::gui::FigureState>& states);

private:
    // What a picture depends on of its runs.
    using Fingerprint = std::vector<std::pair<QString, std::pair<std::string, std::int64_t>>>;

    void refreshStates(const std::vector<RunItemPtr>& all, const std::vector<SavedFigure>& figures);
    // Errors: of the store.
    Status refreshShown(LiveStore& store, const std::vector<RunItemPtr>& all, const FigureSpec& spec, bool asked);

    std::mutex mutex_;  // guards the requests
    std::optional<FigureSpec> spec_;
    std::vector<SavedFigure> figures_;
    bool specAsked_ = false, figuresAsked_ = false;

    RefreshInterval interval_{500, 10};
    std::int64_t revision_ = -1;
    Fingerprint drawn_;
    std::vector<FigureState> states_;
};

}  // namespace dasgd::gui

// List of presets, kept experiments and runs to start an experiment from, and a button that opens a file.
#pragma once

#include "gui/experiment/model/start_list.h"
#include "gui/kit/parts/parts.h"

class QLineEdit;
class QListView;

namespace dasgd::gui {

class StartCard : public Card {
    Q_OBJECT

public:
    explicit StartCard(const Look& look);

    void setKept(const std::vector<Start>& kept) { starts_->setKept(kept); }
    void setRuns(const std::vector<RunItemPtr>& runs, const std::filesystem::path& workspace) {
        starts_->setRuns(runs, workspace, QDateTime::currentDateTimeUtc());
    }
    void setShown(const QString& text) { starts_->setShown(text); }
    [[nodiscard]] const Start* firstPreset() const { return starts_->firstPreset(); }
    [[nodiscard]] QListView& list() const { return *list_; }
    [[nodiscard]] QLineEdit& filter() const { return *filter_; }

signals:
    void chosen(const dasgd::gui::Start& start);
    void fileWanted();

private:
    StartList* starts_;
    QLineEdit* filter_;
    QListView* list_;
};

}  // namespace dasgd::gui

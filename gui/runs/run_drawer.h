// Drawer beside the list of runs, about the chosen ones: tags and note, facts of one run, differences of several.
#pragma once

#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSet>
#include <QTimer>
#include <vector>

#include "gui/data/feed/notes_query.h"
#include "gui/data/session/session.h"
#include "gui/kit/parts/parts.h"
#include "gui/runs/facts_view.h"
#include "gui/runs/run_log.h"

namespace dasgd::gui {

class RunDrawer : public Card {
    Q_OBJECT

public:
    // `program`: path of `dasgd`, which lists the differences of two commits.
    RunDrawer(Session& session, const Look& look, const QString& program = {}, QWidget* parent = nullptr);
    // Stores text that is being typed.
    ~RunDrawer() override;

    // Shows other runs; text typed for the previous ones is stored.
    void setRuns(std::vector<RunItemPtr> runs);
    [[nodiscard]] const std::vector<RunItemPtr>& runs() const { return runs_; }
    void editTags() { tags_->setFocus(Qt::ShortcutFocusReason); }

signals:
    // The user wants the log of this run on the Run page.
    void logOpened(const QString& run);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeNotes();
    QWidget* makeFacts();
    void connectAll();
    void showNotes();
    void showDifferences();
    void sayTitle();
    void keepTags();
    void keepNote();
    void takeAnswer(int request, bool kept);
    void wantFacts();

    Session& session_;
    const Look& look_;
    NotesQuery& notes_;
    FactsView* facts_;
    std::vector<RunItemPtr> runs_;
    QLabel* title_;
    QLabel* state_;
    QPushButton* star_;
    QLineEdit* tags_;
    QPlainTextEdit* note_;
    QLabel* noteState_;
    QLabel* differencesHead_ = nullptr;
    QLabel* differences_ = nullptr;
    RunLog* log_ = nullptr;
    QTimer typing_;
    QString shownTags_, shownNote_;              // texts last put into the fields or sent
    std::vector<storage::RunNotes> shownNotes_;  // notes of the runs when the fields were filled
    QSet<int> underWay_;                         // requests of changes that are not answered yet
    bool refused_ = false;                       // true if the content of the fields could not be stored
};

}  // namespace dasgd::gui

// The chosen runs at the side of their list: what people say of them, where one comes from, in what several differ.
#pragma once

#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSet>
#include <QStandardItemModel>
#include <QTimer>
#include <vector>

#include "gui/models/live/session.h"
#include "gui/models/notes/notes_query.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/runs/differences_table.h"
#include "gui/widgets/runs/facts_view.h"
#include "gui/widgets/runs/run_log.h"

namespace dasgd::gui {

class RunDrawer : public Card {
    Q_OBJECT

public:
    // `program`: path of `dasgd`, which tells what lies between two commits.
    RunDrawer(Session& session, const Look& look, const QString& program = {}, QWidget* parent = nullptr);
    // Writes what is being typed.
    ~RunDrawer() override;

    // What has been typed of the runs before is kept.
    void setRuns(std::vector<RunItemPtr> runs);
    [[nodiscard]] const std::vector<RunItemPtr>& runs() const { return runs_; }
    void editTags() { tags_->setFocus(Qt::ShortcutFocusReason); }
    void editNote() { note_->setFocus(Qt::ShortcutFocusReason); }

signals:
    // To the log of this run on the Run page.
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
    DifferencesTable* differences_ = nullptr;
    QStandardItemModel* differing_ = nullptr;
    RunLog* log_ = nullptr;
    QTimer typing_;
    QString shownTags_, shownNote_;              // as they were when they were put into the fields, or sent
    std::vector<storage::RunNotes> shownNotes_;  // of the runs, when they were put into the fields
    QSet<int> underWay_;                         // changes of these fields that are not answered yet
    bool refused_ = false;                       // what stands in the fields could not be kept
};

}  // namespace dasgd::gui

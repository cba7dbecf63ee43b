// Stars, tags and notes of runs: read when anyone changes them, and written here, with undo.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "gui/data/feed/live_query.h"
#include "storage/notes/run_notes.h"

namespace dasgd::gui {

// Runs before RunsQuery in each round, which attaches the notes to the runs.
class NotesQuery final : public LiveQuery {
    Q_OBJECT

public:
    NotesQuery() : LiveQuery(Priority::LiveEdge) {}
    // Carries out pending requests.
    ~NotesQuery() override;
    Status refresh(LiveStore& store) override;

    // Writes the change soon, on the reader's thread. `words` describe it: "3 runs archived". Returns the number that
    // answered() will carry.
    int change(const QStringList& runs, const storage::NotesChange& change, const QString& words);
    // Reverts the last change of this window; does nothing if there is none.
    void undo();
    static constexpr std::size_t kMostUndone = 100;

signals:
    // The change is on the disk and will be in the next runs delivered. `undone`: by undo().
    void changed(const QString& words, bool undone);
    // Emitted once for each change(), after the other signals.
    void answered(int request, bool kept);
    // Nothing was written; `message` gives the reason.
    void failed(const QString& message);

private:
    struct Request {
        int number = 0;
        bool isUndo = false;
        std::vector<std::string> runs;
        storage::NotesChange change;
        QString words;
    };
    struct Done {
        storage::NotesEdit edit;
        QString words;
    };
    void carryOut(const Request& request);
    Result<QString> write(const Request& request);

    Wishes<std::vector<Request>> requests_{this};
    int lastNumber_ = 0;  // used on the thread of this object

    std::filesystem::path workspace_;  // "" until the first refresh
    std::optional<storage::NotesReader> reader_;
    std::vector<Done> done_;
    QString complaint_;
};

}  // namespace dasgd::gui

// Stars, tags and notes of runs: read as they change, by whomever, and written here. What was written can be undone.
#pragma once

#include <QString>
#include <QStringList>
#include <mutex>
#include <vector>

#include "gui/models/live/live_query.h"
#include "storage/notes/run_notes.h"

namespace dasgd::gui {

// Before RunsQuery in each round, which gives every run its notes.
class NotesQuery final : public LiveQuery {
    Q_OBJECT

public:
    NotesQuery() : LiveQuery(Priority::LiveEdge) {}
    // Carries out what is still asked for.
    ~NotesQuery() override;
    Status refresh(LiveStore& store) override;

    // Soon, on the reader's thread. `words` say what it does: "3 runs put away". Answers the number that answered()
    // will have.
    int change(const QStringList& runs, const storage::NotesChange& change, const QString& words);
    // Takes the last change of this window back. Nothing where there is none.
    void undo();
    static constexpr std::size_t kMostUndone = 100;

signals:
    // It is on the disk, and in the runs from the next change of them on. `undone`: by undo().
    void changed(const QString& words, bool undone);
    // Once for each change(), after the others.
    void answered(int request, bool kept);
    // Nothing was written, and why.
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

    std::mutex mutex_;
    std::vector<Request> requests_;  // guarded by mutex_
    int lastNumber_ = 0;             // guarded by mutex_

    std::filesystem::path workspace_;  // "" until the first refresh
    std::optional<storage::NotesReader> reader_;
    std::vector<Done> done_;
    QString complaint_;
};

}  // namespace dasgd::gui

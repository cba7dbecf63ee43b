// User annotations of runs: stars, tags, notes and the archive flag. They are in a database of their own, notes.db
// beside lab.db, because a recording run holds the lock of lab.db again and again, and because notes must outlive the
// records.
//
// notes.db has a rollback journal, so that any process may write it in short transactions, one at a time under
// notes.db.lock; every change is on the disk when the call returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd::storage {

struct RunNotes {
    bool starred = false;
    bool archived = false;       // lists leave it out unless they are asked for it
    std::set<std::string> tags;  // isTag() of each
    std::string note;            // plain text, UTF-8
    [[nodiscard]] bool isEmpty() const { return *this == RunNotes{}; }
    bool operator==(const RunNotes&) const = default;
};

// By run id; a run that is not there has none.
using NotesOfRuns = std::map<std::string, RunNotes>;

// A change of annotations. Fields that are not set stay as they are.
struct NotesChange {
    std::optional<bool> starred, archived;
    std::set<std::string> addTags, removeTags;
    std::optional<std::string> note;
    [[nodiscard]] RunNotes appliedTo(RunNotes notes) const;
};

// Letters, digits and - . _ / : + of at most 64 bytes, no - at the beginning, so that a tag is one word of a filter and
// of a shell.
[[nodiscard]] bool isTag(const std::string& text);
inline constexpr std::size_t kLongestNote = 65536;  // bytes

// The annotations of the changed runs before and after a change.
struct NotesEdit {
    NotesOfRuns before, after;
};

// Changes the notes of these runs. Errors: a run id or tag that is none, a note that is too long, a database of someone
// else or of a newer program, disk errors; then nothing has changed.
[[nodiscard]] Result<NotesEdit> changeNotes(const std::filesystem::path& workspace,
                                            const std::vector<std::string>& runs, const NotesChange& change);
// Takes a change back, star by star, tag by tag: what somebody changed again since stays as it is now. Answers what
// that did. Errors: as changeNotes().
[[nodiscard]] Result<NotesEdit> undoNotes(const std::filesystem::path& workspace, const NotesEdit& edit);

// Reads the notes of a workspace as they change. Used by one thread.
class NotesReader {
public:
    explicit NotesReader(std::filesystem::path workspace);
    NotesReader(NotesReader&&) noexcept;
    ~NotesReader();

    // True if notes() has changed since the last call; cheap if it has not. A workspace without notes.db has no notes.
    // Errors: as changeNotes(); notes() stays.
    [[nodiscard]] Result<bool> refresh();
    [[nodiscard]] const NotesOfRuns& notes() const { return notes_; }

private:
    struct Connection;
    [[nodiscard]] Result<bool> read();

    std::filesystem::path file_;
    std::unique_ptr<Connection> connection_;
    NotesOfRuns notes_;
};

}  // namespace dasgd::storage

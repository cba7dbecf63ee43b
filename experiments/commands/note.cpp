// `dasgd note`: stars, tags and notes of runs, as the window shows them.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "storage/notes/run_notes.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

namespace {

struct NoteOptions {
    std::vector<std::string> runs, tags, untags;
    std::string workspace, text;
    bool star = false, unstar = false, archive = false, restore = false, json = false;
    CLI::Option* hasText = nullptr;
};

Result<std::vector<std::string>> idsOf(const NoteOptions& options) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    std::vector<std::string> ids;
    for (const std::string& run : options.runs) {
        DASGD_ASSIGN(const storage::RunRow row, reader.row(run));
        ids.push_back(row.runId);
    }
    return ids;
}

storage::NotesChange changeOf(const NoteOptions& options) {
    storage::NotesChange change;
    if (options.star || options.unstar) change.starred = options.star;
    if (options.archive || options.restore) change.archived = options.archive;
    change.addTags = {options.tags.begin(), options.tags.end()};
    change.removeTags = {options.untags.begin(), options.untags.end()};
    if (options.hasText->count() > 0) change.note = options.text;
    return change;
}

bool isEmpty(const storage::NotesChange& change) {
    return !change.starred && !change.archived && !change.note && change.addTags.empty() && change.removeTags.empty();
}

void print(const std::string& run, const storage::RunNotes& notes, bool json) {
    if (json) {
        const nlohmann::ordered_json line{{"run", run},
                                          {"starred", notes.starred},
                                          {"archived", notes.archived},
                                          {"tags", notes.tags},
                                          {"note", notes.note}};
        return void(std::printf("%s\n", dumpLine(line).c_str()));
    }
    std::string words = run;
    if (notes.starred) words += "  starred";
    if (notes.archived) words += "  archived";
    for (const std::string& tag : notes.tags) words += "  " + printable(tag);
    if (!notes.note.empty()) words += "\n  " + printable(notes.note);
    std::printf("%s\n", words.c_str());
}

Status note(const NoteOptions& options) {
    DASGD_ASSIGN(const std::vector<std::string> ids, idsOf(options));
    if (const auto change = changeOf(options); !isEmpty(change)) {
        DASGD_TRY(storage::changeNotes(options.workspace, ids, change));
    }
    storage::NotesReader reader(options.workspace);
    DASGD_TRY(reader.refresh());
    for (const std::string& id : ids) {
        const auto found = reader.notes().find(id);
        print(id, found == reader.notes().end() ? storage::RunNotes{} : found->second, options.json);
    }
    return {};
}

Action declareNote(CLI::App& app) {
    auto options = std::make_shared<NoteOptions>();
    app.add_option("RUN", options->runs, "Run ids, or the beginnings of them")->required();
    addWorkspaceOption(app, options->workspace);
    CLI::Option* star = app.add_flag("--star", options->star, "Star them");
    app.add_flag("--unstar", options->unstar, "Take the star away")->excludes(star);
    app.add_option("--tag", options->tags, "Give them this tag; again for more")->allow_extra_args(false);
    app.add_option("--untag", options->untags, "Take this tag away; again for more")->allow_extra_args(false);
    options->hasText =
        app.add_option("--text", options->text, "The note in the place of the one before; \"\" for none");
    CLI::Option* archive = app.add_flag("--archive", options->archive, "Put them away: lists leave them out");
    app.add_flag("--restore", options->restore, "Take them back")->excludes(archive);
    app.add_flag("--json", options->json, "One line of JSON a run");
    return [options] {
        const Status done = note(*options);
        return done ? kFinished : refuse(done.error());
    };
}

const CommandRegistry::Add kNoteEntry{{.order = 85,
                                       .name = "note",
                                       .summary = "Star, tag, annotate or archive runs; without an option, show that",
                                       .declare = declareNote}};

}  // namespace

}  // namespace dasgd::experiments

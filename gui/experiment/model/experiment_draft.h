// The experiment being edited on the Experiment page: its text, known errors, the runs it would make, and how it is
// saved and started. UI thread; never waits.
#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>

#include "gui/data/session/engine.h"
#include "gui/experiment/model/document/experiment_edits.h"
#include "gui/experiment/model/document/experiment_files.h"
#include "gui/experiment/model/document/schema_loader.h"
#include "gui/experiment/model/draft_check.h"
#include "gui/experiment/model/start_list.h"
#include "gui/experiment/model/unsaved_texts.h"

namespace dasgd::gui {

class ExperimentDraft : public QObject {
    Q_OBJECT

public:
    ExperimentDraft(Engine& engine, std::filesystem::path workspace, QObject* parent = nullptr);

    // Loads the schema from the program; also retries after a failure. Without a schema fields cannot be set.
    void loadSchema() { loader_.load(); }
    [[nodiscard]] const ExperimentSchema& schema() const { return loader_.schema(); }

    [[nodiscard]] const ExperimentDocument& document() const { return document_; }
    // Takes the text of the editor. It is checked some time after the last change.
    void setText(const QString& text);
    // Takes a text from experiment_edits.h as one undo step; noted() reports its notes. Does nothing while the text has
    // a syntax error.
    void setEdited(const EditedText& edited);
    // Takes withSection() for the experiment `asked`: if the page has another one, `asked` is opened first and noted()
    // says so.
    void setSectionOf(const Start& asked, const QString& section, const QString& table);

    // Opens the start as the new experiment, without running it. Unsaved work goes to unsaved().
    void take(const Start& start);
    // Original text of the start that was opened; "" if the experiment came from elsewhere.
    [[nodiscard]] const QString& startText() const { return startText_; }
    // Reads the file and opens it as the new experiment.
    void open(const QString& path);
    // True from open() until the file was read, or cannot be.
    [[nodiscard]] bool isReading() const { return reading_; }
    // Opens a copy of the present text under a name that is neither its own nor in `taken`. Nothing is saved.
    void duplicate(const QStringList& taken);

    // What is wrong with the text, and the runs that it makes.
    [[nodiscard]] DraftCheck& check() const { return *check_; }

    // The name in the text (with a syntax error the last valid one); "Untitled experiment" without a name.
    [[nodiscard]] QString title() const;
    [[nodiscard]] UnsavedTexts& unsaved() { return unsaved_; }
    [[nodiscard]] bool isSaved() const { return document_.text() == savedText_; }
    [[nodiscard]] const QString& folder() const { return folder_; }  // where relative paths in the text begin
    // "virt.toml": the name of its own file, else of the file that run() would write.
    [[nodiscard]] QString fileName() const;

    // Checks the text unless it was, writes it to the workspace's folder of experiments and starts it. Emits
    // stoppedByProblem() on an error, launched() or queued() once it is started.
    // `cluster`: on which it starts; "": this host.
    void run(Engine::Order order = Engine::Order::Now, const QString& cluster = {});
    // Saves to `path`; without one to file(), where failed() reports if another program has changed it since.
    void save(const QString& path = {});
    // The file that the text was read from or saved to; "" where it has none of its own.
    [[nodiscard]] const QString& file() const { return file_; }

signals:
    void schemaLoaded();
    void schemaFailed(const QString& message);
    void textReplaced(const QString& text);  // by setEdited() and others: the editor takes it as one undo step
    void begun();                            // another text was opened
    void changed();                          // the document
    void checkChanged();                     // check()
    void stoppedByProblem();                 // run() found one
    void launched(const QString& file);
    void queued(const QString& file);     // was started and waits for its turn
    void noted(const QString& message);   // a remark, no error
    void failed(const QString& message);  // an error with its remedy

private:
    // A run to start: how, and on which cluster.
    struct Launch {
        Engine::Order order = Engine::Order::Now;
        QString cluster;
    };
    [[nodiscard]] QString fileToRun() const;  // "delay-sweep.toml", by the name in the text
    // The text was edited here and is in no file.
    [[nodiscard]] bool isUnsavedWork() const { return !isSaved() && document_.text() != begunText_; }
    // True, with failed() emitted, if there is no experiment on the page.
    [[nodiscard]] bool isMissing();
    void begin(const QString& text, const QString& folder, const QString& savedText, const QString& file = {});
    void replace(const QString& text);
    void takeAnswer(const DryRunResult& result, bool asked);
    void takeWritten(const QString& path);
    void write(const QString& path, ExperimentFiles::Existing existing, const std::optional<Launch>& launch);
    void takeStarted(const QString& file);

    Engine& engine_;
    std::filesystem::path workspace_;
    SchemaLoader loader_;
    ExperimentFiles files_;
    ExperimentDocument document_;
    std::unique_ptr<DraftCheck> check_;
    QString name_;                     // name in the last text without a syntax error
    QString folder_;                   // where relative paths in the text begin
    QString savedText_;                // content of the file that the text was read from or written to
    QString startText_;                // see startText()
    QString begunText_;                // text when it was opened
    QString file_, fileText_;          // file() and its content when it was last read or written
    QString askedText_, advisedText_;  // of setSectionOf(): the text asked about and the edited one
    UnsavedTexts unsaved_;
    bool reading_ = false;              // a file that was asked for has not come
    std::optional<Start> unshortened_;  // recorded configuration that waits for the schema to drop its defaults
    // A write under way; answers arrive in the order of the queue.
    struct Writing {
        QString text;
        std::optional<Launch> launch;
    };
    std::deque<Writing> writing_;
    std::optional<Launch> runWanted_;  // the run to start after the check
    QString starting_;                 // file whose runs are being started
    Launch started_;                   // how they are started
};

// Folder of the experiments of a workspace.
[[nodiscard]] QString experimentsFolder(const std::filesystem::path& workspace);
// "9 runs · 4 workers over gloo · link emulated 100 Mbps, 0.1 ms".
[[nodiscard]] QString draftInWords(const ExperimentDraft& draft);
// Message about queued runs: the names under which Runs shows them, as a case may have its own.
[[nodiscard]] QString queuedInWords(const ExperimentDraft& draft);

}  // namespace dasgd::gui

// The experiment being edited on the Experiment page: its text, known errors, the runs it would make, and how it is
// saved and started. UI thread; never waits.
#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <optional>

#include "gui/data/session/engine.h"
#include "gui/experiment/model/document/dry_run.h"
#include "gui/experiment/model/document/experiment_document.h"
#include "gui/experiment/model/document/experiment_files.h"
#include "gui/experiment/model/document/schema_loader.h"
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
    [[nodiscard]] bool hasSchema() const { return !schema().sections.empty(); }

    [[nodiscard]] const ExperimentDocument& document() const { return document_; }
    // Takes the text of the editor. It is checked some time after the last change.
    void setText(const QString& text);
    // Sets one field from the user's input; "" removes the key. Does nothing while the text has a syntax error.
    void setField(const QString& key, const FieldInfo& field, const QString& written);
    // Sets several fields, by key, as one undo step. Skips keys that the schema does not know and fields that already
    // have the value.
    void setFields(const std::vector<std::pair<QString, QString>>& written);
    void setPlugin(const QString& section, const QString& plugin);
    // Replaces the section by this TOML table, `{ name = "dasgd", period = 4 }`, as one undo step. noted() reports what
    // was removed, and what a sweep or a case still overrides.
    void setSection(const QString& section, const QString& table);
    // Like setSection(), for the experiment `asked`: if the page has another one, `asked` is opened first and noted()
    // says so.
    void setSectionOf(const Start& asked, const QString& section, const QString& table);
    // Replaces the text as one undo step. Does nothing while the text has a syntax error.
    void setEdited(const QString& text);

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

    // The syntax error, else the error that the check found; nullopt where none is known.
    [[nodiscard]] std::optional<Problem> problem() const;
    // All known errors, by line: problem() and, once there is one, those of fieldProblems().
    [[nodiscard]] std::vector<Problem> problems() const;
    // Result of the check of exactly this text; nullopt until it has arrived.
    [[nodiscard]] const std::optional<DryRunResult>& checked() const { return checked_; }
    [[nodiscard]] bool isChecking() const { return dryRun_.isAsking(); }
    // Checks now; the result is reported by noted() or checkChanged().
    void checkNow();
    // Asks for a new forecast of the same text, as there are new measurements; the last one stays until it has arrived.
    // `from`: run of the calibration to prefer, "" for none.
    void forecastAnew(const QString& from);

    // The name in the text (with a syntax error the last valid one); "Untitled experiment" without a name.
    [[nodiscard]] QString title() const;
    // "9 runs · 4 workers over gloo · link emulated 100 Mbps, 0.1 ms".
    [[nodiscard]] QString inWords() const;
    // Message about queued runs: the names under which Runs shows them, as a case may have its own.
    [[nodiscard]] QString queuedInWords() const;
    // The value of the field: from the text, else the default.
    [[nodiscard]] QString effective(const QString& section, const QString& field) const;
    [[nodiscard]] UnsavedTexts& unsaved() { return unsaved_; }
    [[nodiscard]] bool isSaved() const { return document_.text() == savedText_; }
    [[nodiscard]] const QString& folder() const { return folder_; }  // where relative paths in the text begin
    // "virt.toml": the name of its own file, else of the file that run() would write.
    [[nodiscard]] QString fileName() const;

    // Checks the text unless it was, writes it to the workspace's folder of experiments and starts it. Emits
    // stoppedByProblem() on an error, launched() or queued() once it is started.
    void run(Engine::Order order = Engine::Order::Now);
    // Cluster on which the next run starts; "": this host.
    void setCluster(const QString& name) { cluster_ = name; }
    [[nodiscard]] const QString& cluster() const { return cluster_; }
    void save(const QString& path);
    // The file that the text was read from or saved to; "" where it has none of its own.
    [[nodiscard]] const QString& file() const { return file_; }
    // Saves to file(); failed() if another program has changed it since.
    void saveToFile();
    [[nodiscard]] QString folderOfExperiments() const;

signals:
    void schemaLoaded();
    void schemaFailed(const QString& message);
    void textReplaced(const QString& text);  // by setField() and others: the editor takes it as one undo step
    void begun();                            // another text was opened
    void changed();                          // the document
    void checkChanged();                     // problem(), checked(), isChecking()
    void stoppedByProblem();                 // run() found one
    void launched(const QString& file);
    void queued(const QString& file);     // was started and waits for its turn
    void noted(const QString& message);   // a remark, no error
    void failed(const QString& message);  // an error with its remedy

private:
    [[nodiscard]] QString folderOfWorkspace() const;
    [[nodiscard]] QString fileToRun() const;  // "delay-sweep.toml", by the name in the text
    [[nodiscard]] const FieldInfo* fieldOf(const QString& section, const QString& field) const;
    // The text was edited here and is in no file.
    [[nodiscard]] bool isUnsavedWork() const { return !isSaved() && document_.text() != begunText_; }
    // True, with failed() emitted, if there is no experiment on the page.
    [[nodiscard]] bool isMissing();
    void begin(const QString& text, const QString& folder, const QString& savedText, const QString& file = {});
    void replace(const QString& text);
    // Returns remarks for noted().
    [[nodiscard]] QStringList putSection(const QString& section, const QString& table);
    void takeAnswer(const DryRunResult& result);
    void takeWritten(const QString& path);
    void write(const QString& path, ExperimentFiles::Existing existing, std::optional<Engine::Order> launch);
    void takeStarted(const QString& file, Engine::Order order);

    Engine& engine_;
    std::filesystem::path workspace_;
    SchemaLoader loader_;
    DryRun dryRun_;
    ExperimentFiles files_;
    ExperimentDocument document_;
    QString name_;  // name in the last text without a syntax error
    std::optional<DryRunResult> checked_;
    QString folder_;                   // where relative paths in the text begin
    QString savedText_;                // content of the file that the text was read from or written to
    QString startText_;                // see startText()
    QString begunText_;                // text when it was opened
    QString file_, fileText_;          // file() and its content when it was last read or written
    QString askedText_, advisedText_;  // of setSectionOf(): the text asked about and the edited one
    UnsavedTexts unsaved_;
    bool reading_ = false;              // a file that was asked for has not come
    bool answerWanted_ = false;         // checkNow() waits for the answer
    std::optional<Start> unshortened_;  // recorded configuration that waits for the schema to drop its defaults
    // A write under way; answers arrive in the order of the queue.
    struct Writing {
        QString text;
        std::optional<Engine::Order> launch;
    };
    std::deque<Writing> writing_;
    std::optional<Engine::Order> runWanted_;  // the run to start after the check
    QString cluster_;
    QString starting_;  // file whose runs are being started
};

}  // namespace dasgd::gui

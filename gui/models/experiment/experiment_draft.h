// The experiment that is being set up: its text, what is known to be wrong with it, the runs that it would make, and
// the way from there to a file and to running. The Experiment page is a view of this. UI thread; nothing here waits.
#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <optional>

#include "gui/models/experiment/dry_run.h"
#include "gui/models/experiment/experiment_document.h"
#include "gui/models/experiment/experiment_files.h"
#include "gui/models/experiment/schema_loader.h"
#include "gui/models/experiment/start_list.h"
#include "gui/models/experiment/unsaved_texts.h"
#include "gui/models/live/engine.h"

namespace dasgd::gui {

class ExperimentDraft : public QObject {
    Q_OBJECT

public:
    ExperimentDraft(Engine& engine, std::filesystem::path workspace, QObject* parent = nullptr);

    // Asks the program for its schema; again after it failed. Before, fields cannot be set.
    void loadSchema() { loader_.load(); }
    [[nodiscard]] const ExperimentSchema& schema() const { return loader_.schema(); }
    [[nodiscard]] bool hasSchema() const { return !schema().sections.empty(); }

    [[nodiscard]] const ExperimentDocument& document() const { return document_; }
    // What was typed. Is checked some time after the last change.
    void setText(const QString& text);
    // Sets one field as a person wrote it; "" takes the key out of the text. Nothing while the text is no TOML.
    void setField(const QString& key, const FieldInfo& field, const QString& written);
    // Several at once, by key, as one step of the undo. Keys that the schema does not know are left out, and
    // those that stand at this value.
    void setFields(const std::vector<std::pair<QString, QString>>& written);
    void setPlugin(const QString& section, const QString& plugin);
    // The section as this TOML table, `{ name = "dasgd", period = 4 }`, and nothing else in it, as one step of the
    // undo. noted() says what was taken out, and what a sweep or a case sets all the same.
    void setSection(const QString& section, const QString& table);
    // The same in the experiment `asked`. Where the page has another one, it begins anew with that, and noted() says
    // so.
    void setSectionOf(const Start& asked, const QString& section, const QString& table);
    // The text with something changed, as one step of the undo. Nothing while the text is no TOML.
    void setEdited(const QString& text);

    // Begins anew with this text. Starts nothing. What somebody wrote before and did not save is in unsaved().
    void take(const Start& start);
    // Of the start that it began with, as that had it; "" where it began with none.
    [[nodiscard]] const QString& startText() const { return startText_; }
    // Reads the file and begins anew with it.
    void open(const QString& path) { files_.read(path); }
    // Begins anew with the present text under a name that is neither its own nor one of `taken`. Saved nowhere.
    void duplicate(const QStringList& taken);

    // The syntax error, else what the program said of this text; nullopt where nothing is known to be wrong.
    [[nodiscard]] std::optional<Problem> problem() const;
    // All that is known to be wrong, by line, once problem() is: with it what fieldProblems() finds.
    [[nodiscard]] std::vector<Problem> problems() const;
    // The answer to this very text; nullopt until it has come.
    [[nodiscard]] const std::optional<DryRunResult>& checked() const { return checked_; }
    [[nodiscard]] bool isChecking() const { return dryRun_.isAsking(); }
    // Says, by noted() or checkChanged(), what the answer is.
    void checkNow();

    // The name in the text, of a text with a syntax error that of before; "Untitled experiment" where there is none.
    [[nodiscard]] QString title() const;
    // "9 runs · 4 workers over gloo · link emulated 100 Mbps, 0.1 ms".
    [[nodiscard]] QString inWords() const;
    // Of one that was queued: under which names Runs shows its runs, as a case may have its own.
    [[nodiscard]] QString queuedInWords() const;
    // What the field stands at: in the text, else by default.
    [[nodiscard]] QString effective(const QString& section, const QString& field) const;
    [[nodiscard]] UnsavedTexts& unsaved() { return unsaved_; }
    [[nodiscard]] bool isSaved() const { return document_.text() == savedText_; }
    [[nodiscard]] const QString& folder() const { return folder_; }  // where relative paths in the text begin
    // "virt.toml": of its own file, else of the one that is written when it is run.
    [[nodiscard]] QString fileName() const;

    // Checks the text where that was not done, writes it to the workspace's folder of experiments and starts it;
    // stoppedByProblem() where something is wrong with it. launched() or queued() comes when it was started.
    void run(Engine::Order order = Engine::Order::Now);
    // The cluster on which it is started from now on; "": this host.
    void setCluster(const QString& name) { cluster_ = name; }
    [[nodiscard]] const QString& cluster() const { return cluster_; }
    void save(const QString& path);
    // The file that the text was read from or saved to; "" where it has none of its own.
    [[nodiscard]] const QString& file() const { return file_; }
    // To that file; failed() where another program has changed it since.
    void saveToFile();
    [[nodiscard]] QString folderOfExperiments() const;

signals:
    void schemaLoaded();
    void schemaFailed(const QString& message);
    void textReplaced(const QString& text);  // by a field: the editor shows it, as one step of its undo
    void begun();                            // with another text altogether
    void changed();                          // the document
    void checkChanged();                     // problem(), checked(), isChecking()
    void stoppedByProblem();                 // run() found one
    void launched(const QString& file);
    void queued(const QString& file);     // is started, and waits for its turn
    void noted(const QString& message);   // worth saying, nothing wrong
    void failed(const QString& message);  // with the remedy

private:
    [[nodiscard]] QString fileToRun() const;  // "delay-sweep.toml", by the name in the text
    [[nodiscard]] const FieldInfo* fieldOf(const QString& section, const QString& field) const;
    // Somebody wrote it and no file has it.
    [[nodiscard]] bool isUnsavedWork() const { return !isSaved() && document_.text() != begunText_; }
    // Says so where there is nothing on the page.
    [[nodiscard]] bool isMissing();
    void begin(const QString& text, const QString& folder, const QString& savedText, const QString& file = {});
    void replace(const QString& text);
    // Answers what is worth saying of it.
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
    QString name_;  // in the text as it was last without a syntax error
    std::optional<DryRunResult> checked_;
    QString folder_;                   // where relative paths in the text begin
    QString savedText_;                // what the file has that the text came from or went to
    QString startText_;                // see startText()
    QString begunText_;                // what it was at first
    QString file_, fileText_;          // its own file, and what that had when it was last read or written
    QString askedText_, advisedText_;  // of setSectionOf(): the text that was asked about, and what became of it
    UnsavedTexts unsaved_;
    bool answerWanted_ = false;         // checkNow() waits for it
    std::optional<Start> unshortened_;  // a recorded configuration that waits for the schema
    // Under way to a file; answered in this order.
    struct Writing {
        QString text;
        std::optional<Engine::Order> launch;
    };
    std::deque<Writing> writing_;
    std::optional<Engine::Order> runWanted_;  // once it is checked
    QString cluster_;
    QString starting_;  // a file whose program is being started
};

}  // namespace dasgd::gui

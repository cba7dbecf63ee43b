#include "gui/experiment/model/experiment_draft.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>

#include "core/base/schema/toml_reader.h"
#include "gui/data/runs/run_config.h"
#include "gui/data/session/clusters.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// "sweep" → "sweep-2", "sweep-2" → "sweep-3": the first name that is not taken.
QString nextName(const QString& name, const QStringList& taken) {
    static const QRegularExpression numbered(QStringLiteral("^(.*[^-])-([0-9]{1,6})$"));
    const auto match = numbered.match(name);
    const QString stem = match.hasMatch() ? match.captured(1) : name;
    for (int number = match.hasMatch() ? match.captured(2).toInt() + 1 : 2;; ++number) {
        const QString next = stem + u'-' + QString::number(number);
        if (!taken.contains(next)) return next;
    }
}

QString folderOf(const std::filesystem::path& workspace) {
    return QString::fromStdString(std::filesystem::absolute(workspace).string());
}

}  // namespace

ExperimentDraft::ExperimentDraft(Engine& engine, std::filesystem::path workspace, QObject* parent)
    : QObject(parent),
      engine_(engine),
      workspace_(std::move(workspace)),
      loader_(engine.program()),
      check_(std::make_unique<DraftCheck>(document_, loader_.schema(), engine.program(), folderOf(workspace_))),
      unsaved_(experimentsFolder(workspace_)) {
    connect(&loader_, &SchemaLoader::loaded, this, [this] {
        emit schemaLoaded();
        if (const auto waiting = std::exchange(unshortened_, std::nullopt)) take(*waiting);
    });
    connect(&loader_, &SchemaLoader::failed, this, [this](const QString& message) {
        // Without the schema the text is shown with all defaults written out.
        if (const auto waiting = std::exchange(unshortened_, std::nullopt)) {
            startText_ = waiting->text;
            begin(waiting->text, waiting->folder, {});
        }
        emit schemaFailed(message);
    });
    connect(check_.get(), &DraftCheck::changed, this, &ExperimentDraft::checkChanged);
    connect(check_.get(), &DraftCheck::answered, this, &ExperimentDraft::takeAnswer);
    connect(&files_, &ExperimentFiles::wasRead, this, [this](const QString& path, const QString& text) {
        const QFileInfo file(path);
        reading_ = false;
        startText_.clear();
        begin(text, file.absolutePath(), text, file.absoluteFilePath());
    });
    connect(&files_, &ExperimentFiles::written, this, &ExperimentDraft::takeWritten);
    connect(&files_, &ExperimentFiles::failed, this, [this](const QString& message) {
        if (!writing_.empty()) writing_.pop_front();
        emit failed(message);
    });
    connect(&files_, &ExperimentFiles::unreadable, this, [this](const QString& message) {
        reading_ = false;
        emit failed(message);
    });
    connect(&engine_, &Engine::started, this, &ExperimentDraft::takeStarted);
    connect(&engine_, &Engine::notStarted, this, [this](const QString& file) {
        if (file == starting_) starting_.clear();
    });
}

void ExperimentDraft::open(const QString& path) {
    reading_ = true;
    files_.read(path);
}

void ExperimentDraft::setText(const QString& text) {
    if (text == document_.text()) return;
    unshortened_.reset();
    document_ = ExperimentDocument(text);
    if (!document_.syntaxError()) name_ = document_.name();
    runWanted_.reset();
    check_->restart(folder_);
    unsaved_.spare(isUnsavedWork() ? text : QString(), folder_);
    emit changed();
    emit checkChanged();
}

void ExperimentDraft::replace(const QString& text) {
    if (text == document_.text()) return;
    emit textReplaced(text);
    // Needed if no editor is connected.
    setText(text);
}

void ExperimentDraft::setEdited(const EditedText& edited) {
    if (document_.syntaxError()) return;
    replace(edited.text);
    if (!edited.notes.isEmpty()) emit noted(edited.notes.join(u' '));
}

void ExperimentDraft::setSectionOf(const Start& asked, const QString& section, const QString& table) {
    const bool itsOwn = document_.text() == asked.text;
    const bool advised = askedText_ == asked.text && document_.text() == advisedText_;
    QStringList words;
    if (folder_ != asked.folder || !(itsOwn || advised)) {
        const QString before = title();
        const bool replaced = !document_.isEmpty(), kept = replaced && isUnsavedWork();
        take(asked);
        if (replaced) words << tr("Begun with %1 as it was asked about, in the place of %2.").arg(asked.title, before);
        if (kept) words << tr("That is kept in the list of what to begin with.");
    }
    const EditedText edited = withSection(document_, schema(), section, table);
    replace(edited.text);
    words << edited.notes;
    askedText_ = asked.text;
    advisedText_ = document_.text();
    if (!words.isEmpty()) emit noted(words.join(u' '));
}

void ExperimentDraft::begin(const QString& text, const QString& folder, const QString& savedText, const QString& file) {
    unshortened_.reset();
    if (isUnsavedWork() && !document_.isEmpty() && text != document_.text()) {
        unsaved_.keep(title(), document_.text(), folder_);
    }
    // A result of a check in another folder does not hold here.
    if (folder != folder_) document_ = ExperimentDocument();
    if (text != document_.text()) name_.clear();
    folder_ = folder;
    savedText_ = savedText;
    begunText_ = text;
    file_ = file;
    fileText_ = text;
    setText(text);
    emit begun();
}

void ExperimentDraft::take(const Start& start) {
    if (start.kind == Start::Kind::Recent && !schema().isKnown()) {
        unshortened_ = start;
        loadSchema();
        return;
    }
    startText_ = start.text;
    // A recorded configuration lists every default; without them it reads like the original file and means the same.
    begin(start.kind == Start::Kind::Recent ? withoutDefaults(start.text, schema()) : start.text, start.folder, {});
}

bool ExperimentDraft::isMissing() {
    if (document_.isEmpty()) emit failed(tr("There is no experiment yet: choose a preset, or open a file (Ctrl+O)."));
    return document_.isEmpty();
}

void ExperimentDraft::duplicate(const QStringList& taken) {
    if (isMissing()) return;
    if (document_.syntaxError()) {
        emit stoppedByProblem();
        return;
    }
    const QString name = nextName(document_.name().isEmpty() ? QStringLiteral("experiment") : document_.name(), taken);
    const Value written(name.toStdString());
    startText_.clear();
    begin(document_.with(QStringLiteral("name"), QString::fromStdString(written.toToml()), schema()), folder_, {});
    // The copy exists nowhere else, so it counts as unsaved from the start.
    begunText_.clear();
    unsaved_.spare(document_.text(), folder_);
    emit noted(tr("A copy under the name %1, saved nowhere yet.").arg(name));
}

void ExperimentDraft::takeAnswer(const DryRunResult& result, bool asked) {
    if (asked && !result.problem && !runWanted_) {
        emit noted(tr("Dry run: nothing is wrong with %1. Nothing was started.")
                       .arg(result.total == 1 ? tr("this run") : tr("these %1 runs").arg(result.total)));
    }
    if (const auto launch = std::exchange(runWanted_, std::nullopt)) run(launch->order, launch->cluster);
}

QString ExperimentDraft::title() const { return name_.isEmpty() ? tr("Untitled experiment") : name_; }

QString ExperimentDraft::fileToRun() const { return fileStem(name_) + QStringLiteral(".toml"); }

QString ExperimentDraft::fileName() const { return file_.isEmpty() ? fileToRun() : QFileInfo(file_).fileName(); }

void ExperimentDraft::run(Engine::Order order, const QString& cluster) {
    if (isMissing()) return;
    if (check_->problem()) {
        emit stoppedByProblem();
        return;
    }
    if (!check_->result()) {
        runWanted_ = {order, cluster};
        check_->now();
        return;
    }
    const auto launches = [](const Writing& one) { return one.launch.has_value(); };
    if (std::ranges::any_of(writing_, launches) || !starting_.isEmpty()) return;
    write(experimentsFolder(workspace_) + u'/' + fileToRun(), ExperimentFiles::Existing::KeepOther,
          Launch{order, cluster});
}

void ExperimentDraft::save(const QString& path) {
    const bool own = path.isEmpty();
    write(own ? file_ : path, own ? ExperimentFiles::Existing::Unchanged : ExperimentFiles::Existing::Overwrite,
          std::nullopt);
}

void ExperimentDraft::write(const QString& path, ExperimentFiles::Existing existing,
                            const std::optional<Launch>& launch) {
    writing_.push_back({document_.text(), launch});
    files_.write(path, document_.text(), existing, folder_, fileText_);
}

void ExperimentDraft::takeWritten(const QString& path) {
    const Writing done = writing_.front();
    writing_.pop_front();
    savedText_ = done.text;
    // Another experiment may have been opened meanwhile.
    if (!done.launch && (path == file_ || document_.text() == done.text)) {
        file_ = path;
        fileText_ = done.text;
    }
    unsaved_.forget(done.text);
    unsaved_.spare(isUnsavedWork() ? document_.text() : QString(), folder_);
    emit changed();
    if (!done.launch) {
        emit noted(tr("Saved as %1").arg(path));
        return;
    }
    starting_ = path;
    started_ = *done.launch;
    engine_.run(path, started_.order, started_.cluster);
}

void ExperimentDraft::takeStarted(const QString& file) {
    if (file != starting_) return;
    starting_.clear();
    const auto& [order, cluster] = started_;
    if (isRemoteWorkspace(cluster)) {
        emit noted(tr("In the queue of %1.").arg(cluster));
    } else if (!cluster.isEmpty()) {
        emit noted(tr("Started on %1: its records are in the workspace there.").arg(cluster));
    } else if (order == Engine::Order::Queued) {
        emit queued(file);
    } else {
        emit launched(file);
    }
}

QString experimentsFolder(const std::filesystem::path& workspace) {
    return folderOf(workspace) + QStringLiteral("/experiments");
}

QString draftInWords(const ExperimentDraft& draft) {
    const ExperimentDocument& document = draft.document();
    const auto& checked = draft.check().result();
    QStringList parts;
    if (checked && !checked->problem) {
        const auto& runs = checked->runs;
        parts << counted(checked->total, "run");
        const auto [least, most] = std::ranges::minmax_element(runs, {}, &PlannedRun::workers);
        if (!runs.empty()) {
            const QString workers = least->workers == most->workers
                                        ? QString::number(least->workers)
                                        : ExperimentDraft::tr("%1 to %2").arg(least->workers).arg(most->workers);
            parts << ExperimentDraft::tr("%1 %2 over %3")
                         .arg(workers,
                              most->workers == 1 ? ExperimentDraft::tr("worker") : ExperimentDraft::tr("workers"),
                              effectiveText(document, draft.schema(), QStringLiteral("cluster"),
                                            QStringLiteral("backend")));
        }
    }
    const QString bandwidth = document.valueText(QStringLiteral("cluster.link.bandwidth"));
    if (!bandwidth.isEmpty()) {
        const QString latency = document.valueText(QStringLiteral("cluster.link.latency"));
        const QString link = latency.isEmpty() ? bandwidth : bandwidth + QStringLiteral(", ") + latency;
        parts << ExperimentDraft::tr("link emulated ") + linkInWords(link.toStdString());
    }
    return parts.join(QStringLiteral(" · "));
}

QString queuedInWords(const ExperimentDraft& draft) {
    const auto& checked = draft.check().result();
    QStringList names;
    for (const PlannedRun& run : checked ? checked->runs : std::vector<PlannedRun>()) {
        const QString name = ExperimentDocument(QString::fromStdString(run.config)).valueText(QStringLiteral("name"));
        names << (name.isEmpty() ? draft.title() : name);
    }
    names.removeDuplicates();
    if (names.isEmpty() || names == QStringList{draft.title()})
        return ExperimentDraft::tr("Queued %1: Runs shows where it waits.").arg(draft.title());
    constexpr qsizetype kMostNamed = 3;
    const QString more =
        names.size() > kMostNamed ? ExperimentDraft::tr(" and %1 more").arg(names.size() - kMostNamed) : QString();
    return ExperimentDraft::tr("Queued %1: Runs shows where its cases wait, by their own names: %2.")
        .arg(draft.title(), names.mid(0, kMostNamed).join(QStringLiteral(", ")) + more);
}

}  // namespace dasgd::gui

#include "gui/experiment/model/experiment_draft.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>

#include "core/base/schema/toml_reader.h"
#include "gui/data/runs/run_config.h"
#include "gui/data/session/clusters.h"
#include "gui/experiment/model/document/field_problems.h"
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

}  // namespace

ExperimentDraft::ExperimentDraft(Engine& engine, std::filesystem::path workspace, QObject* parent)
    : QObject(parent),
      engine_(engine),
      workspace_(std::move(workspace)),
      loader_(engine.program()),
      dryRun_(engine.program()),
      unsaved_(folderOfExperiments()) {
    dryRun_.setSources(folderOfWorkspace(), {});
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
    connect(&dryRun_, &DryRun::answered, this, &ExperimentDraft::takeAnswer);
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
    answerWanted_ = false;
    document_ = ExperimentDocument(text);
    if (!document_.syntaxError()) name_ = document_.name();
    checked_.reset();
    runWanted_.reset();
    if (document_.syntaxError() || document_.isEmpty()) {
        dryRun_.cancel();
    } else {
        dryRun_.ask(text, folder_);
    }
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

void ExperimentDraft::setField(const QString& key, const FieldInfo& field, const QString& written) {
    if (document_.syntaxError()) return;
    replace(written.isEmpty() ? document_.without(key) : document_.with(key, tomlOf(field, written), schema()));
}

void ExperimentDraft::setFields(const std::vector<std::pair<QString, QString>>& written) {
    if (document_.syntaxError()) return;
    ExperimentDocument changed = document_;
    for (const auto& [key, value] : written) {
        const QString section = key.section(u'.', 0, 0), name = key.section(u'.', 1);
        const FieldInfo* field = fieldOf(section, name);
        if (field && effective(section, name) != value)
            changed = ExperimentDocument(changed.with(key, tomlOf(*field, value), schema()));
    }
    replace(changed.text());
}

void ExperimentDraft::setEdited(const QString& text) {
    if (!document_.syntaxError()) replace(text);
}

void ExperimentDraft::setPlugin(const QString& section, const QString& plugin) {
    if (document_.syntaxError()) return;
    const auto change = document_.withPlugin(section, plugin, schema());
    replace(change.text);
    if (change.dropped.isEmpty()) return;
    emit noted(tr("%1 does not know %2: taken out of the text. Ctrl+Z in the text brings it back.")
                   .arg(plugin, change.dropped.join(QStringLiteral(", "))));
}

void ExperimentDraft::setSection(const QString& section, const QString& table) {
    const QStringList words = putSection(section, table);
    if (!words.isEmpty()) emit noted(words.join(u' '));
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
    words << putSection(section, table);
    askedText_ = asked.text;
    advisedText_ = document_.text();
    if (!words.isEmpty()) emit noted(words.join(u' '));
}

QStringList ExperimentDraft::putSection(const QString& section, const QString& table) {
    const ExperimentDocument given(QStringLiteral("v = ") + table);
    const Value* value = given.value(QStringLiteral("v"));
    const auto* fields = value ? value->as<Value::Table>() : nullptr;
    if (document_.syntaxError() || !fields) return {};
    const auto change = document_.withPlugin(section, given.valueText(QStringLiteral("v.name")), schema());
    ExperimentDocument made(change.text);
    QStringList dropped, overruled;
    const QStringList unread = change.dropped.filter(QStringLiteral("["));
    const Value* present = document_.value(section);
    if (const auto* own = present ? present->as<Value::Table>() : nullptr) {
        for (const auto& [name, field] : *own) {
            if (value->find(name) || name == "name") continue;
            dropped << QString::fromStdString(name);
            made = ExperimentDocument(made.without(section + u'.' + dropped.back()));
        }
    }
    for (const auto& [name, field] : *fields) {
        if (name == "name") continue;
        made = ExperimentDocument(
            made.with(section + u'.' + QString::fromStdString(name), QString::fromStdString(field.toToml()), schema()));
    }
    replace(made.text());
    for (const QString& key : document_.varied()) {
        if (key == section || key.startsWith(section + u'.')) overruled << key;
    }
    QStringList words;
    if (!dropped.isEmpty()) {
        words << tr("Taken out of [%1], as what was set does not have it: %2. Ctrl+Z in the text brings it back.")
                     .arg(section, dropped.join(QStringLiteral(", ")));
    }
    if (!unread.isEmpty()) {
        words << tr("Taken out, as the algorithm does not read it: %1.").arg(unread.join(QStringLiteral(", ")));
    }
    if (!overruled.isEmpty()) {
        words << tr("[sweep] or [[case]] sets %1, which goes before what was set.")
                     .arg(overruled.join(QStringLiteral(", ")));
    }
    return words;
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
    if (start.kind == Start::Kind::Recent && !hasSchema()) {
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

std::optional<Problem> ExperimentDraft::problem() const {
    if (document_.syntaxError()) return document_.syntaxError();
    return checked_ ? checked_->problem : std::nullopt;
}

std::vector<Problem> ExperimentDraft::problems() const {
    const std::optional<Problem> first = problem();
    if (!first) return {};
    if (document_.syntaxError()) return {*first};
    return withOthers(*first, fieldProblems(document_, schema()));
}

void ExperimentDraft::checkNow() {
    if (document_.syntaxError() || document_.isEmpty()) return;
    answerWanted_ = true;
    dryRun_.askNow(document_.text(), folder_);
    emit checkChanged();
}

void ExperimentDraft::forecastAnew(const QString& from) {
    dryRun_.setSources(folderOfWorkspace(), from);
    if (checked_ && !checked_->problem && !isChecking()) dryRun_.askNow(document_.text(), folder_);
}

void ExperimentDraft::takeAnswer(const DryRunResult& result) {
    checked_ = result;
    emit checkChanged();
    if (std::exchange(answerWanted_, false) && !result.problem && !runWanted_) {
        emit noted(tr("Dry run: nothing is wrong with %1. Nothing was started.")
                       .arg(result.total == 1 ? tr("this run") : tr("these %1 runs").arg(result.total)));
    }
    if (const auto order = std::exchange(runWanted_, std::nullopt)) run(*order);
}

QString ExperimentDraft::title() const { return name_.isEmpty() ? tr("Untitled experiment") : name_; }

QString ExperimentDraft::fileToRun() const { return fileStem(name_) + QStringLiteral(".toml"); }

QString ExperimentDraft::fileName() const { return file_.isEmpty() ? fileToRun() : QFileInfo(file_).fileName(); }

const FieldInfo* ExperimentDraft::fieldOf(const QString& section, const QString& field) const {
    const SchemaSection* known = schema().section(section.toStdString());
    const auto fields =
        known ? known->fieldsOf(document_.pluginOf(*known).toStdString()) : std::vector<const FieldInfo*>{};
    const auto found = std::ranges::find(fields, field.toStdString(), &FieldInfo::name);
    return found == fields.end() ? nullptr : *found;
}

QString ExperimentDraft::effective(const QString& section, const QString& field) const {
    const QString key = section + u'.' + field;
    if (document_.value(key)) return document_.valueText(key);
    const FieldInfo* known = fieldOf(section, field);
    return known ? defaultText(*known) : QString();
}

QString ExperimentDraft::inWords() const {
    QStringList parts;
    if (checked_ && !checked_->problem) {
        const auto& runs = checked_->runs;
        parts << (checked_->total == 1 ? tr("1 run") : tr("%1 runs").arg(grouped(checked_->total)));
        const auto [least, most] = std::ranges::minmax_element(runs, {}, &PlannedRun::workers);
        if (!runs.empty()) {
            const QString workers = least->workers == most->workers
                                        ? QString::number(least->workers)
                                        : tr("%1 to %2").arg(least->workers).arg(most->workers);
            parts << tr("%1 %2 over %3")
                         .arg(workers, most->workers == 1 ? tr("worker") : tr("workers"),
                              effective(QStringLiteral("cluster"), QStringLiteral("backend")));
        }
    }
    const QString bandwidth = document_.valueText(QStringLiteral("cluster.link.bandwidth"));
    if (!bandwidth.isEmpty()) {
        const QString latency = document_.valueText(QStringLiteral("cluster.link.latency"));
        const QString link = latency.isEmpty() ? bandwidth : bandwidth + QStringLiteral(", ") + latency;
        parts << tr("link emulated ") + linkInWords(link.toStdString());
    }
    return parts.join(QStringLiteral(" · "));
}

QString ExperimentDraft::queuedInWords() const {
    QStringList names;
    for (const PlannedRun& run : checked_ ? checked_->runs : std::vector<PlannedRun>()) {
        const QString name = ExperimentDocument(QString::fromStdString(run.config)).valueText(QStringLiteral("name"));
        names << (name.isEmpty() ? title() : name);
    }
    names.removeDuplicates();
    if (names.isEmpty() || names == QStringList{title()})
        return tr("Queued %1: Runs shows where it waits.").arg(title());
    constexpr qsizetype kMostNamed = 3;
    const QString more = names.size() > kMostNamed ? tr(" and %1 more").arg(names.size() - kMostNamed) : QString();
    return tr("Queued %1: Runs shows where its cases wait, by their own names: %2.")
        .arg(title(), names.mid(0, kMostNamed).join(QStringLiteral(", ")) + more);
}

QString ExperimentDraft::folderOfWorkspace() const {
    return QString::fromStdString(std::filesystem::absolute(workspace_).string());
}

QString ExperimentDraft::folderOfExperiments() const { return folderOfWorkspace() + QStringLiteral("/experiments"); }

void ExperimentDraft::run(Engine::Order order) {
    if (isMissing()) return;
    if (problem()) {
        emit stoppedByProblem();
        return;
    }
    if (!checked_) {
        runWanted_ = order;
        checkNow();
        return;
    }
    const auto launches = [](const Writing& one) { return one.launch.has_value(); };
    if (std::ranges::any_of(writing_, launches) || !starting_.isEmpty()) return;
    write(folderOfExperiments() + u'/' + fileToRun(), ExperimentFiles::Existing::KeepOther, order);
}

void ExperimentDraft::save(const QString& path) { write(path, ExperimentFiles::Existing::Overwrite, std::nullopt); }

void ExperimentDraft::saveToFile() {
    writing_.push_back({document_.text(), std::nullopt});
    files_.write(file_, document_.text(), ExperimentFiles::Existing::Unchanged, folder_, fileText_);
}

void ExperimentDraft::write(const QString& path, ExperimentFiles::Existing existing,
                            std::optional<Engine::Order> launch) {
    writing_.push_back({document_.text(), launch});
    files_.write(path, document_.text(), existing, folder_);
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
    engine_.run(path, *done.launch, cluster_);
}

void ExperimentDraft::takeStarted(const QString& file, Engine::Order order) {
    if (file != starting_) return;
    starting_.clear();
    if (isRemoteWorkspace(cluster_)) {
        emit noted(tr("In the queue of %1.").arg(cluster_));
    } else if (!cluster_.isEmpty()) {
        emit noted(tr("Started on %1: its records are in the workspace there.").arg(cluster_));
    } else if (order == Engine::Order::Queued) {
        emit queued(file);
    } else {
        emit launched(file);
    }
}

}  // namespace dasgd::gui

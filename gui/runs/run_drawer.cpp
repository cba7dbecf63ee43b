#include "gui/runs/run_drawer.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/data/feed/run_marks.h"
#include "gui/runs/model/run_difference.h"

namespace dasgd::gui {

namespace {

constexpr int kTypingMs = 1500;
// Largest number of runs with a column each; the values of more runs are listed in one column.
constexpr std::size_t kMostColumns = 3;
constexpr qsizetype kMostValues = 12;  // values of one setting
// Comparing more runs would block the window.
constexpr int kMostCompared = 1000;
constexpr int kNoteHeight = 84;

QStringList wordsOf(const QString& text) { return text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts); }

std::set<std::string> tagsOf(const QString& text) {
    std::set<std::string> tags;
    for (const QString& word : wordsOf(text)) tags.insert(word.toStdString());
    return tags;
}

std::set<std::string> without(std::set<std::string> tags, const std::set<std::string>& others) {
    for (const std::string& tag : others) tags.erase(tag);
    return tags;
}

// Tags common to all of the runs.
std::set<std::string> commonTags(const std::vector<RunItemPtr>& runs) {
    std::set<std::string> tags = runs.empty() ? std::set<std::string>{} : runs.front()->notes.tags;
    for (const RunItemPtr& run : runs) {
        std::erase_if(tags, [&run](const std::string& tag) { return !run->notes.tags.contains(tag); });
    }
    return tags;
}

QStringList wordsOf(const std::set<std::string>& tags) {
    QStringList words;
    for (const std::string& tag : tags) words << QString::fromStdString(tag);
    return words;
}

// A row of an HTML table. Keys and names may be broken behind a full stop, an underscore, a dash or a slash.
QString rowOf(const QStringList& cells, const QString& attributes) {
    static const QRegularExpression ends(QStringLiteral("(?<=[._/-])(?=\\p{L})"));
    QString row = QStringLiteral("<tr %1>").arg(attributes);
    for (const QString& cell : cells)
        row += QStringLiteral("<td>%1</td>").arg(cell.toHtmlEscaped().replace(ends, QStringLiteral("&#8203;")));
    return row + QStringLiteral("</tr>");
}

std::vector<storage::RunNotes> notesOf(const std::vector<RunItemPtr>& runs) {
    std::vector<storage::RunNotes> notes;
    for (const RunItemPtr& run : runs) notes.push_back(run->notes);
    return notes;
}

}  // namespace

RunDrawer::RunDrawer(Session& session, const Look& look, const QString& program, QWidget* parent)
    : Card(parent),
      session_(session),
      look_(look),
      notes_(session.feed().query<NotesQuery>()),
      facts_(new FactsView(session.feed(), look, program)),
      title_(makeLabel({}, "head")),
      state_(makeLabel({}, "small")),
      star_(makeButton(QStringLiteral("☆"), false, tr("Star the chosen runs, or take the star away  Ctrl+D"))),
      tags_(new QLineEdit),
      note_(new QPlainTextEdit),
      noteState_(makeLabel({}, "small")) {
    makeNotes();
    body().addWidget(makeFacts(), 1);
    connectAll();
    setRuns({});
}

RunDrawer::~RunDrawer() {
    keepTags();
    keepNote();
}

void RunDrawer::makeNotes() {
    title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    title_->setWordWrap(true);
    state_->setWordWrap(true);
    star_->setCheckable(true);
    star_->setFixedWidth(44);
    star_->setAccessibleName(tr("Starred"));
    auto* words = spaced(new QVBoxLayout, 2);
    words->addWidget(title_);
    words->addWidget(state_);
    auto* head = new QHBoxLayout;
    head->addLayout(words, 1);
    head->addWidget(star_, 0, Qt::AlignTop);
    tags_->setProperty("field", true);
    tags_->setPlaceholderText(tr("tags, with spaces between"));
    tags_->setAccessibleName(tr("Tags of the chosen runs"));
    tags_->setToolTip(tr("Words for the filter: tag = good. Enter keeps them  Ctrl+G"));
    note_->setObjectName(QStringLiteral("note"));
    note_->setPlaceholderText(tr("a note: what was tried, what came out"));
    note_->setAccessibleName(tr("Note on the run"));
    note_->setTabChangesFocus(true);
    note_->setFixedHeight(kNoteHeight);
    body().addLayout(head);
    body().addWidget(tags_);
    body().addWidget(note_);
    body().addWidget(noteState_);
}

QWidget* RunDrawer::makeFacts() {
    auto* inner = new QWidget;
    auto* column = padded(new QVBoxLayout(inner), {0, 0, 6, 0});
    column->addWidget(differencesHead_ = makeLabel(tr("Differences"), "head"));
    column->addWidget(differences_ = makeLabel({}));
    differences_->setTextFormat(Qt::RichText);
    differences_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    differences_->setWordWrap(true);
    differences_->setAccessibleName(tr("Settings that differ"));
    column->addWidget(facts_, 1000);
    column->addWidget(log_ = new RunLog(session_.feed()));
    // The stretch takes the room of a hidden text.
    column->addStretch(1);
    auto* area = new QScrollArea;
    area->setObjectName(QStringLiteral("drawer"));
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setWidgetResizable(true);
    area->setWidget(inner);
    area->viewport()->setAutoFillBackground(false);
    inner->setAutoFillBackground(false);
    return area;
}

void RunDrawer::connectAll() {
    typing_.setSingleShot(true);
    typing_.setInterval(kTypingMs);
    connect(&typing_, &QTimer::timeout, this, &RunDrawer::keepNote);
    connect(note_, &QPlainTextEdit::textChanged, this, [this] {
        if (note_->isReadOnly()) return;
        noteState_->setText(tr("typing …"));
        refused_ = false;
        typing_.start();
    });
    note_->installEventFilter(this);
    connect(tags_, &QLineEdit::editingFinished, this, &RunDrawer::keepTags);
    connect(star_, &QPushButton::clicked, this, [this](bool on) {
        notes_.change(idsOf(runs_), {.starred = on}, on ? tr("Starred") : tr("Star taken away"));
    });
    connect(&notes_, &NotesQuery::answered, this, &RunDrawer::takeAnswer);
    connect(log_, &RunLog::opened, this, &RunDrawer::logOpened);
}

bool RunDrawer::eventFilter(QObject* watched, QEvent* event) {
    if (watched == note_ && event->type() == QEvent::FocusOut) keepNote();
    return Card::eventFilter(watched, event);
}

void RunDrawer::setRuns(std::vector<RunItemPtr> runs) {
    const QStringList before = idsOf(runs_);
    const QStringList next = idsOf(runs);
    const bool sameRuns = next == before;
    if (!sameRuns) {
        keepTags();
        keepNote();
    }
    runs_ = std::move(runs);
    setEnabled(!runs_.empty());
    sayTitle();
    if (!sameRuns) {
        refused_ = false;
        underWay_.clear();
    }
    // Text that is being typed, or not stored yet, is not overwritten by updates of the same runs.
    const bool busy = tags_->hasFocus() || note_->hasFocus() || !underWay_.isEmpty() || refused_;
    if (!sameRuns || (!busy && notesOf(runs_) != shownNotes_)) showNotes();
    star_->setChecked(!runs_.empty() && std::all_of(runs_.begin(), runs_.end(),
                                                    [](const RunItemPtr& run) { return run->notes.starred; }));
    star_->setText(star_->isChecked() ? QStringLiteral("★") : QStringLiteral("☆"));
    if (sameRuns && !runs_.empty()) return;
    log_->setRun(runs_.size() == 1 ? runs_.front()->id : QString());
    showDifferences();
    wantFacts();
}

// Requests no facts while the drawer is closed.
void RunDrawer::wantFacts() { facts_->setRuns(isVisible() ? idsOf(runs_) : QStringList{}); }

void RunDrawer::showEvent(QShowEvent* event) {
    Card::showEvent(event);
    wantFacts();
}

void RunDrawer::hideEvent(QHideEvent* event) {
    Card::hideEvent(event);
    facts_->setRuns({});
}

void RunDrawer::sayTitle() {
    if (runs_.empty()) {
        title_->setText(tr("No run is chosen"));
        state_->setText(tr("Choose one to see where it comes from, several to see in what they differ."));
        return;
    }
    const RunItem& run = *runs_.front();
    if (runs_.size() > 1) {
        title_->setText(tr("%1 runs").arg(runs_.size()));
        state_->clear();
    } else {
        title_->setText(run.id);
        QStringList words{run.row.takenOut() ? kTakenOut : stateOf(run.row)};
        if (run.notes.archived) words << tr("archived");
        if (run.row.imported()) words << tr("imported from a trace");
        if (run.row.timeSimulated) words << tr("simulated time");
        if (!run.row.error.empty()) words << QString::fromStdString(run.row.error);
        state_->setText(words.join(QStringLiteral("  ·  ")));
    }
    state_->setVisible(!state_->text().isEmpty());
}

void RunDrawer::showNotes() {
    shownNotes_ = notesOf(runs_);
    shownTags_ = wordsOf(commonTags(runs_)).join(QLatin1Char(' '));
    tags_->setText(shownTags_);
    const bool one = runs_.size() == 1;
    shownNote_ = one ? QString::fromStdString(runs_.front()->notes.note) : QString();
    note_->setReadOnly(true);
    note_->setPlainText(shownNote_);
    note_->setReadOnly(!one);
    note_->setVisible(one);
    typing_.stop();
    noteState_->clear();
    noteState_->setVisible(one);
}

void RunDrawer::keepTags() {
    const std::set<std::string> before = tagsOf(shownTags_), now = tagsOf(tags_->text());
    if (runs_.empty() || before == now) return;
    shownTags_ = tags_->text();
    underWay_.insert(notes_.change(idsOf(runs_), {.addTags = without(now, before), .removeTags = without(before, now)},
                                   tr("Tags changed")));
}

void RunDrawer::keepNote() {
    typing_.stop();
    if (runs_.size() != 1 || note_->isReadOnly() || note_->toPlainText() == shownNote_) return;
    shownNote_ = note_->toPlainText();
    underWay_.insert(notes_.change(idsOf(runs_), {.note = shownNote_.toStdString()}, tr("Note changed")));
}

void RunDrawer::takeAnswer(int request, bool kept) {
    if (!underWay_.remove(request)) return;
    refused_ = !kept;
    noteState_->setText(kept ? tr("kept") : tr("not kept; it is tried again after the next change"));
    if (kept) return;
    // Reset to the stored state, so that the next change sends everything again.
    shownTags_ = wordsOf(commonTags(runs_)).join(QLatin1Char(' '));
    shownNote_ = runs_.size() == 1 ? QString::fromStdString(runs_.front()->notes.note) : QString();
}

void RunDrawer::showDifferences() {
    const bool several = runs_.size() > 1;
    differencesHead_->setVisible(several);
    differences_->setVisible(false);
    if (!several) return;
    const bool cut = runs_.size() > kMostCompared;
    const std::vector<SettingDifference> all =
        cut ? differencesOf({runs_.begin(), runs_.begin() + kMostCompared}) : differencesOf(runs_);
    const QString which = cut ? tr(" (the first %1 of %2 runs)").arg(kMostCompared).arg(runs_.size()) : QString();
    differencesHead_->setText((all.empty() ? tr("The same settings") : tr("Differences")) + which);
    if (all.empty()) return;
    const bool columns = runs_.size() <= kMostColumns;
    QStringList headers{tr("setting")};
    for (const RunItemPtr& run : columns ? runs_ : std::vector<RunItemPtr>()) headers << run->id;
    if (!columns) headers << tr("values");
    QString rows = rowOf(headers, QStringLiteral("style='color:%1'").arg(look_.theme().muted.name()));
    for (const SettingDifference& one : all) {
        QStringList values = one.values;
        if (!columns) {
            values.removeDuplicates();
            const qsizetype more = values.size() - kMostValues;
            values = {values.mid(0, kMostValues).join(QStringLiteral(", ")) +
                      (more > 0 ? tr(", … %1 more").arg(more) : QString())};
        }
        rows += rowOf(QStringList{one.key} + values, {});
    }
    differences_->setText(QStringLiteral("<table width='100%' cellpadding='4'>%1</table>").arg(rows));
    differences_->show();
}

}  // namespace dasgd::gui

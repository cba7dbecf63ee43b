// Set-up of an experiment: a list of starting points, the settings as a form and as TOML, the sweep, and the planned
// runs.
#include <QApplication>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMimeData>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/data/session/session.h"
#include "gui/experiment/experiment_dialogs.h"
#include "gui/experiment/experiment_header.h"
#include "gui/experiment/form/settings_card.h"
#include "gui/experiment/form/text_card.h"
#include "gui/experiment/plan_card.h"
#include "gui/experiment/start_card.h"
#include "gui/experiment/sweep/sweep_card.h"
#include "gui/kit/parts/keyed_action.h"
#include "gui/kit/parts/parts.h"
#include "gui/scaling/reports/job_action.h"

namespace dasgd::gui {
namespace {

constexpr int kFormWidth = 548, kNarrowFormWidth = 490, kLeastFormWidth = 450, kEmptyFormWidth = 250, kPlanHeight = 236,
              kLowPlanHeight = 186, kMutePlanHeight = 92;  // mute: while the draft has an error, the plan only says so
constexpr int kSweepWidth = 268, kSweepHeight = 196;
// Widths of the page in pixels. Below kFoldBelow the start list folds into a button, so that three columns keep their
// width; below kSweepBesideFrom the sweep stands under the text instead of beside it; from kWideFormFrom the form is
// wide.
constexpr int kLeastWidth = 880;  // two margins, the narrowest form, a gap, the narrowest forecast
constexpr int kNarrowFormFrom = 1000, kFoldBelow = 1200, kSweepBesideFrom = 1300, kWideFormFrom = 1500;

class ExperimentPage : public QWidget {
public:
    explicit ExperimentPage(PageContext& context) : context_(context), draft_(context.draft) {
        setObjectName(QStringLiteral("page"));
        setAcceptDrops(true);
        auto* column = padded(spaced(new QVBoxLayout(this), kGap), {24, 18, 24, 18});
        column->addWidget(header_ = new ExperimentHeader(draft_));
        column->addWidget(message_ = new MessageBar(context.look));
        auto* row = spaced(new QHBoxLayout, kGap);
        row->addWidget(starts_ = new StartCard(context.look));
        row->addWidget(formCard_ = new SettingsCard(context.look));
        form_ = &formCard_->form();
        auto* right = spaced(new QVBoxLayout, kGap);
        textAndSweep_ = new QBoxLayout(QBoxLayout::LeftToRight);
        textAndSweep_->setSpacing(kGap);
        textAndSweep_->addWidget(text_ = new TextCard(context.look), 1);
        editor_ = &text_->editor();
        textAndSweep_->addWidget(sweep_ = new SweepCard);
        right->addLayout(textAndSweep_, 1);
        right->addWidget(plan_ = new PlanCard(forecast_, context.look));
        row->addLayout(right, 1);
        column->addLayout(row, 1);
        connectDraft();
        connectActions();
        if (draft_.schema().isKnown()) takeSchema();
        // setPlainText() makes no undo step: there is no earlier text to return to.
        editor_->setPlainText(draft_.document().text());
        showDraft();
        showCheck();
    }

    // The columns' own minimum does not count: they fold before they become too narrow.
    QSize minimumSizeHint() const override { return {kLeastWidth, QWidget::minimumSizeHint().height()}; }

protected:
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        if (!draft_.schema().isKnown()) draft_.loadSchema();
        beginAtFirst();
        starts_->setRuns(context_.session.runs().items(), context_.session.feed().workspace());
        lookAtRuns();
        starts_->setKept(draft_.unsaved().kept());
        showCheck();
    }
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        arrange();
    }
    void dragEnterEvent(QDragEnterEvent* event) override {
        if (event->mimeData()->hasUrls()) event->acceptProposedAction();
    }
    void dropEvent(QDropEvent* event) override {
        if (event->mimeData()->urls().isEmpty()) return;
        draft_.open(event->mimeData()->urls().front().toLocalFile());
    }

private:
    // A newcomer finds an experiment that runs, not a blank form; a text that was emptied later stays empty.
    void beginAtFirst() {
        const Start* first = starts_->firstPreset();
        if (std::exchange(begun_, true) || !first || !draft_.document().isEmpty() || draft_.isReading()) return;
        const QString said = message_->text();
        draft_.take(*first);
        message_->say(said);
    }
    void connectDraft() {
        connect(&draft_, &ExperimentDraft::schemaLoaded, this, [this] {
            takeSchema();
            showDraft();
            showCheck();
        });
        connect(&draft_, &ExperimentDraft::schemaFailed, this, [this](const QString& message) {
            schemaError_ = message;
            showDraft();
        });
        connect(&draft_, &ExperimentDraft::textReplaced, editor_, &TomlEditor::replaceText);
        connect(&draft_, &ExperimentDraft::begun, this, [this] {
            message_->clear();
            // A new experiment clears the undo history, the forecast and the runs of the one before.
            editor_->setPlainText(draft_.document().text());
            if (draft_.check().isRunning()) {
                plan_->showWords(tr("Checking …"));
                sweep_->showForecast({});
            }
            editor_->goTo(1, 1);
            editor_->lightLine(0);
            header_->fold();
            arrange();
            showDraft();
        });
        connect(&draft_, &ExperimentDraft::changed, this, [this] { showDraft(); });
        connect(&draft_, &ExperimentDraft::checkChanged, this, [this] { showCheck(); });
        connect(&draft_, &ExperimentDraft::stoppedByProblem, this, [this] {
            visited_ = 0;
            goToProblem();
        });
        connect(&draft_, &ExperimentDraft::launched, this, [this] {
            message_->clear();
            context_.session.followStart();
            context_.open("Run");
        });
        const auto note = [this](const QString& text) { message_->say(text, MessageBar::Kind::Note); };
        connect(&draft_, &ExperimentDraft::queued, this, [this, note] { note(queuedInWords(draft_)); });
        connect(&draft_, &ExperimentDraft::noted, this, note);
        connect(&draft_, &ExperimentDraft::failed, message_, [this](const QString& text) { message_->say(text); });
        connect(&context_.engine, &Engine::failed, message_, [this](const QString& text, const Engine::About& about) {
            if (isVisible() && about.runs.isEmpty()) message_->say(text);
        });
        // Looking through the runs, perhaps ten thousand, waits until the page is visible.
        connect(&context_.session, &Session::runsChanged, this, [this] {
            if (!isVisible()) return;
            starts_->setRuns(context_.session.runs().items(), context_.session.feed().workspace());
            lookAtRuns();
        });
    }

    void takeSchema() {
        form_->setSchema(draft_.schema());
        sweep_->setSchema(draft_.schema());
        schemaError_.clear();
    }

    // Connections use the draft as context: it is destroyed before the widgets, and they end with it.
    void connectActions() {
        connect(editor_, &QPlainTextEdit::textChanged, &draft_, [this] { draft_.setText(editor_->toPlainText()); });
        connect(editor_, &TomlEditor::cursorMoved, &draft_, [this](int line) {
            if (editor_->hasFocus()) lightKey(draft_.document().keyAt(line), line);
        });
        connect(editor_, &TomlEditor::fileDropped, &draft_, &ExperimentDraft::open);
        connect(form_, &ExperimentForm::edited, &draft_,
                [this](const QString& key, const FieldInfo& field, const QString& written) {
                    draft_.setEdited({withField(draft_.document(), draft_.schema(), key, field, written), {}});
                });
        connect(form_, &ExperimentForm::sweepWanted, sweep_, &SweepCard::sweepField);
        connect(form_, &ExperimentForm::pluginChosen, &draft_, [this](const QString& section, const QString& plugin) {
            draft_.setEdited(withPlugin(draft_.document(), draft_.schema(), section, plugin));
        });
        connect(form_, &ExperimentForm::focused, &draft_, [this](const QString& key) {
            focusedKey_ = key;
            lightKey(key, draft_.document().lineOf(key));
        });
        connect(sweep_, &SweepCard::textWanted, &draft_, [this](const QString& text) { draft_.setEdited({text, {}}); });
        connect(sweep_, &SweepCard::caseWanted, this, [this](int index) {
            forecast_.choose(static_cast<std::size_t>(index));
            plan_->turnTo(PlanCard::Side::Forecast);
        });
        connect(sweep_, &SweepCard::focusedLine, this, [this](int line) {
            focusedKey_.clear();
            editor_->lightLine(line);
        });
        connect(&plan_->forecast(), &ForecastView::settingsWanted, &draft_,
                [this](const std::vector<std::pair<QString, QString>>& written) {
                    draft_.setEdited({withFields(draft_.document(), draft_.schema(), written), {}});
                });
        const ForecastView& forecast = plan_->forecast();
        connect(&forecast, &ForecastView::calibrateWanted, this, [this] { askOfDraft(context_, JobKind::Calibrate); });
        connect(&forecast, &ForecastView::adviseWanted, this, [this] { askOfDraft(context_, JobKind::Advise); });
        connect(&forecast, &ForecastView::scaleWanted, this, [this] { askOfDraft(context_, JobKind::Scale); });
        connect(&context_.reports, &ReportLibrary::changed, this, [this] {
            if (isVisible()) lookAtRuns();
        });
        connect(&context_.reports, &ReportLibrary::failed, message_, [this](const QString& text) {
            if (isVisible()) message_->say(text);
        });
        connect(&draft_.unsaved(), &UnsavedTexts::changed, this, [this] { starts_->setKept(draft_.unsaved().kept()); });
        connect(starts_, &StartCard::chosen, &draft_, &ExperimentDraft::take);
        connect(starts_, &StartCard::fileWanted, this, [this] { openFile(); });
        connect(header_, &ExperimentHeader::unfoldToggled, this, [this] { arrange(); });
        connect(header_, &ExperimentHeader::problemWanted, this, [this] { goToProblem(); });
        connect(header_, &ExperimentHeader::dryRunWanted, this, [this] {
            if (draft_.document().isEmpty() || draft_.check().problem()) return draft_.run();
            draft_.check().now();
            plan_->turnTo(PlanCard::Side::Runs);
            plan_->list().setFocus();
        });
        connect(header_, &ExperimentHeader::saveWanted, this,
                [this] { saveExperiment(*this, draft_, context_.session.feed().workspace()); });
        connect(header_, &ExperimentHeader::saveAsWanted, this,
                [this] { saveByDialog(*this, draft_, context_.session.feed().workspace()); });
        connect(header_, &ExperimentHeader::clusterChosen, &draft_, [this](const QString& name) { cluster_ = name; });
        connect(header_, &ExperimentHeader::runWanted, &draft_, [this] { draft_.run(Engine::Order::Now, cluster_); });
        connect(header_, &ExperimentHeader::queueWanted, &draft_,
                [this] { draft_.run(Engine::Order::Queued, cluster_); });
        connect(header_, &ExperimentHeader::duplicateWanted, &draft_,
                [this] { draft_.duplicate(context_.session.runs().experiments()); });
        addKeys();
        setFocusProxy(&starts_->list());
    }

    void addKeys() {
        const auto key = [this](const char* keys, const QString& title, auto&& what) {
            addKeyedAction(*this, title, {}, QKeySequence(QLatin1String(keys)), what);
        };
        key("Ctrl+O", tr("Open an experiment"), [this] { openFile(); });
        key("Ctrl+F", tr("Find a start"), [this] { starts_->filter().setFocus(); });
        key("Alt+S", tr("Go to the sweep"), [this] { sweep_->focusKey(); });
        key("F6", tr("Next card"), [this] { nextCard(); });
    }

    void arrange() {
        const bool narrow = width() < kFoldBelow;
        header_->setFolded(narrow);
        const bool empty = draft_.document().isEmpty();
        starts_->setVisible(!narrow || header_->isUnfolded() || empty);
        // An unfolded list leaves no room for the form, only for the words of an empty one.
        const bool squeezed = narrow && !starts_->isHidden();
        formCard_->setVisible(!squeezed || empty);
        formCard_->setFixedWidth(squeezed                    ? kEmptyFormWidth
                                 : width() < kNarrowFormFrom ? kLeastFormWidth
                                 : width() < kWideFormFrom   ? kNarrowFormWidth
                                                             : kFormWidth);
        const bool below = width() < kSweepBesideFrom;
        textAndSweep_->setDirection(below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        sweep_->setLow(below);
        sweep_->setMinimumSize(below ? QSize(0, kSweepHeight) : QSize(kSweepWidth, 0));
        sweep_->setMaximumSize(below ? QSize(QWIDGETSIZE_MAX, kSweepHeight) : QSize(kSweepWidth, QWIDGETSIZE_MAX));
        plan_->setFixedHeight(!below ? kPlanHeight : draft_.check().problem() ? kMutePlanHeight : kLowPlanHeight);
        plan_->setLow(below);
    }

    void nextCard() {
        QWidget* const form = form_->rowOf(QStringLiteral("name"));
        std::vector<QWidget*> stops{&starts_->list(), form, editor_, sweep_, &plan_->firstStop()};
        std::erase_if(stops, [](const QWidget* one) { return !one || !one->isVisible() || !one->isEnabled(); });
        QWidget* here = QApplication::focusWidget();
        if (here && form_->isAncestorOf(here)) here = form;
        if (here && starts_->isAncestorOf(here)) here = &starts_->list();
        if (here && sweep_->isAncestorOf(here)) here = sweep_;
        if (here && plan_->isAncestorOf(here)) here = &plan_->firstStop();
        const auto at = std::ranges::find(stops, here);
        if (at != stops.end()) std::rotate(stops.begin(), at + 1, stops.end());
        for (QWidget* next : stops) {
            if (next != sweep_) return next->setFocus(Qt::ShortcutFocusReason);
            sweep_->focusKey();
            // Without the schema the sweep has no widget to focus; the next one is tried.
            if (sweep_->isAncestorOf(QApplication::focusWidget())) return;
        }
    }

    void lightKey(const QString& key, int line) {
        const FieldRow* row = form_->rowOf(key);
        QString note;
        if (row) {
            const QString range = QString::fromStdString(rangeInWords(row->field().spec)),
                          unit = QString::fromStdString(row->field().spec.unit);
            note = (range + u' ' + unit).trimmed();
            if (!note.isEmpty()) note.prepend(key.section(u'.', -1) + QStringLiteral(" · "));
        }
        editor_->lightLine(line, note);
    }

    void goToProblem() {
        const std::vector<Problem> problems = draft_.check().problems();
        if (problems.empty()) return;
        const Problem* problem = &problems[visited_++ % problems.size()];
        message_->clear();
        const QString ofSweep = QStringLiteral("sweep.");
        if (!draft_.document().syntaxError() && problem->key.startsWith(ofSweep) &&
            sweep_->focusKey(problem->key.mid(ofSweep.size())))
            return;
        if (draft_.document().syntaxError() || problem->key.isEmpty() || !form_->focusKey(problem->key)) {
            if (problem->line > 0) editor_->goTo(problem->line, problem->column);
            editor_->setFocus(Qt::ShortcutFocusReason);
            if (problem->line == 0) message_->say(problem->message);
        }
    }

    void openFile() { openByDialog(*this, draft_, context_.session.feed().workspace()); }

    void showDraft() {
        const ExperimentDocument& document = draft_.document();
        header_->showDraft();
        starts_->setShown(draft_.startText());
        const bool both = !document.isEmpty() && draft_.schema().isKnown();
        text_->showFile(document.isEmpty() ? tr("TOML") : draft_.fileName(), !both ? QString()
                                                                             : document.syntaxError()
                                                                                 ? tr("the form waits for the text")
                                                                                 : tr("in step with the form"));
        formCard_->showWords(
            both                      ? QString()
            : !schemaError_.isEmpty() ? tr("There is no form without the dasgd program. %1").arg(schemaError_)
            : document.isEmpty()
                ? tr("Choose a preset or a recorded experiment: it fills this page and starts nothing.\n\n"
                     "Or open a file (Ctrl+O), drop one anywhere, or write TOML beside.")
                : tr("Asking dasgd what an experiment may hold …"));
        form_->update(document, draft_.check().problems());
        sweep_->update(document, draft_.check().problem());
        if (!focusedKey_.isEmpty() && !editor_->hasFocus()) lightKey(focusedKey_, document.lineOf(focusedKey_));
        arrange();
    }

    void showCheck() {
        const auto problem = draft_.check().problem();
        const std::vector<Problem> problems = draft_.check().problems();
        const bool empty = draft_.document().isEmpty();
        visited_ = 0;
        header_->showCheck();
        form_->update(draft_.document(), problems);
        sweep_->update(draft_.document(), problem);
        sweep_->showSize(std::nullopt);
        if (problem || empty) sweep_->showForecast({});
        plan_->forecast().setChecking(!draft_.check().result());
        editor_->markErrors(problems);
        text_->showProblems(problems);
        if (problem) {
            plan_->showWords(problems.size() > 1 ? tr("The errors have to be mended first.")
                                                 : tr("The error has to be mended first."));
        } else if (draft_.check().result()) {
            plan_->showPlan(draft_.check().result()->runs, draft_.check().result()->total);
            showForecast();
        } else if (empty) {
            plan_->showWords(tr("The forecast and the list of runs appear here."));
        } else {
            plan_->showChecking();
        }
        arrange();
    }

    void showForecast() {
        const PlanForecast& forecast = draft_.check().result()->forecast;
        plan_->forecast().setVaried(draft_.document().varied());
        forecast_.setForecast(forecast);
        sweep_->showSize(draft_.check().result()->total, QString::fromStdString(forecast.takes),
                         QString::fromStdString(forecast.takesFrom));
        sweep_->showForecast(sweepLines(forecast.cases));
    }

    // Number of finished runs, from which a forecast can be made.
    [[nodiscard]] std::ptrdiff_t finishedRuns() const {
        return std::ranges::count(context_.session.runs().items(), "finished",
                                  [](const RunItemPtr& run) { return run->row.status; });
    }
    // Asks for another forecast once there are other measurements, or another calibration is preferred.
    void lookAtRuns() {
        const Report* preferred = context_.reports.find(preferredCalibration());
        const QStringList measured = preferred ? preferred->runs : QStringList();
        const std::pair sources(finishedRuns(), measured.isEmpty() ? QString() : measured.front());
        if (std::exchange(sources_, sources) != sources) draft_.check().forecastAnew(sources.second);
    }

    PageContext& context_;
    ExperimentDraft& draft_;
    StartCard* starts_ = nullptr;
    ForecastBoard forecast_;
    ExperimentHeader* header_ = nullptr;
    MessageBar* message_ = nullptr;
    SettingsCard* formCard_ = nullptr;
    ExperimentForm* form_ = nullptr;
    TextCard* text_ = nullptr;
    TomlEditor* editor_ = nullptr;  // part of text_
    PlanCard* plan_ = nullptr;
    SweepCard* sweep_ = nullptr;
    QBoxLayout* textAndSweep_ = nullptr;
    QString schemaError_, focusedKey_;
    QString cluster_;  // on which the next run starts; "": this host
    bool begun_ = false;
    std::size_t visited_ = 0;                             // number of problems visited since the last check
    std::pair<std::ptrdiff_t, QString> sources_{-1, {}};  // of the last forecast: finished runs, the preferred one
};

const PageRegistry::Add<ExperimentPage> kExperimentPageEntry{
    {.order = 5,
     .title = "Experiment",
     .icon = "M.5 3.5h5M9.5 3.5h5M7.5 1.5v4M.5 7.5h8M12.5 7.5h2M10.5 5.5v4M.5 11.5h2M6.5 11.5h8M4.5 9.5v4"}};

}  // namespace
}  // namespace dasgd::gui

#include "gui/timeline/beside_card.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QStylePainter>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "gui/data/runs/run_config.h"
#include "gui/data/spans/span_colors.h"
#include "gui/kit/parts/arrow_box.h"
#include "gui/kit/words/words.h"
#include "gui/timeline/model/beside/runs_beside.h"
#include "gui/timeline/numbers_table.h"
#include "gui/timeline/view/timeline_boxes.h"

namespace dasgd::gui {

namespace {

constexpr std::size_t kMostOffered = 200;  // most runs in the list, the newest ones
constexpr int kNumbersDelayMs = 200;       // pause after the window's last move before its numbers are requested
constexpr int kTableHeight = 140;

// Spin box for the step; the wheel scrolls the page and does not change the step.
class StepBox : public QSpinBox {
public:
    StepBox() { setFocusPolicy(Qt::StrongFocus); }

protected:
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

// List of runs that elides long names in the middle: the id at the end tells runs of the same settings apart.
class RunPicker : public ArrowBox {
protected:
    void paintEvent(QPaintEvent*) override {
        paintBox();
        paintArrow();
    }

private:
    void paintBox() {
        QStylePainter painter(this);
        QStyleOptionComboBox option;
        initStyleOption(&option);
        const QRect room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
        option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideMiddle, room.width() - 4);
        painter.drawComplexControl(QStyle::CC_ComboBox, option);
        painter.drawControl(QStyle::CE_ComboBoxLabel, option);
    }
};

}  // namespace

BesideCard::BesideCard(Session& session, const Look& look, QWidget* parent)
    : Card(parent),
      session_(session),
      look_(look),
      query_(session.feed().query<BesideQuery>()),
      timeline_(new TimelineWidget(selection_, rows_, look)) {
    makeHead();
    timeline_->setAccessibleName(tr("Timeline of the run beside"));
    body().addWidget(timeline_, 1);
    // The remarks stand above the table, since they say what its numbers mean and must be visible on a low page.
    body().addWidget(remarks_ = new WrappedLabel("small"));
    body().addWidget(makeTable());
    settle_.setSingleShot(true);
    settle_.setInterval(kNumbersDelayMs);
    connect(&look, &Look::changed, this, [this] { showTable(shown_); });
    connectAll();
}

void BesideCard::makeHead() {
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("B, beside"), "head"));
    runs_ = new RunPicker;
    runs_->setAccessibleName(tr("Run beside"));
    runs_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    runs_->setMinimumContentsLength(24);
    runs_->view()->setTextElideMode(Qt::ElideMiddle);
    head->addWidget(runs_, 1);
    body().addLayout(head);
    auto* choices = new QHBoxLayout;
    find_ = new QLineEdit;
    find_->setAccessibleName(tr("Words of the runs that are offered"));
    find_->setPlaceholderText(tr("words: algorithm, setting, tag, id"));
    find_->setClearButtonEnabled(true);
    choices->addWidget(find_, 1);
    choices->addWidget(makeLabel(tr("from step"), "small"));
    step_ = new StepBox;
    step_->setRange(-1, 1'000'000'000);
    step_->setValue(-1);
    step_->setSpecialValueText(tr("run start"));
    step_->setAccessibleName(tr("Step at whose start both runs are aligned"));
    step_->setKeyboardTracking(false);
    choices->addWidget(step_);
    choices->addWidget(origin_ = makeElasticLabel("small"), 1);
    body().addLayout(choices);
}

void BesideCard::takeFocus() { find_->setFocus(Qt::ShortcutFocusReason); }

QWidget* BesideCard::makeTable() {
    auto* holder = new QWidget;
    auto* row = padded(new QHBoxLayout(holder), {0, 0, 0, 0});
    table_ = makeNumbersTable({tr("mean of a step"), tr("A"), tr("B"), tr("B − A"), tr("B ÷ A")},
                              tr("Parts of a step of each run"));
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table_->setFixedHeight(kTableHeight);
    row->addWidget(table_, 1);
    copy_ = makeButton(tr("Copy comparison"), false, tr("Numbers with tabs between them, and what they are of"));
    copy_->setEnabled(false);
    connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(textOf(shown_)); });
    row->addWidget(copy_, 0, Qt::AlignTop);
    return holder;
}

void BesideCard::connectAll() {
    connect(runs_, &QComboBox::activated, this, [this](int place) { showRun(runs_->itemData(place).toString()); });
    connect(runs_, &QComboBox::currentIndexChanged, this, &BesideCard::sayRun);
    connect(find_, &QLineEdit::textChanged, this, &BesideCard::offerRuns);
    connect(step_, &QSpinBox::valueChanged, this, &BesideCard::align);
    connect(timeline_, &TimelineWidget::wanted, this, [this](const TimelineView& view) {
        if (isVisible() && !run_.isEmpty()) query_.requestFrame(run_, view);
    });
    connect(&query_, &BesideQuery::arrived, this, [this](const TimelineFramePtr& frame) {
        if (QString::fromStdString(frame->runId) == run_) timeline_->setFrame(frame);
    });
    connect(&query_, &BesideQuery::aligned, this, &BesideCard::takeOrigin);
    connect(&query_, &BesideQuery::compared, this, [this](const BesideNumbers& numbers) {
        const RunItemPtr a = session_.runs().find(numbers.a), b = session_.runs().find(numbers.b);
        if (a && b && isOfBoth(numbers.a, numbers.b)) showTable(tableOf(numbers, *a, *b, drawnElsewhere()));
    });
    TimeSelection& watched = session_.selection();
    const auto follow = [this](TimeSelection& from, TimeSelection& to, bool toBeside) {
        if (shift_) this->follow(from, to, toBeside ? *shift_ : -*shift_);
    };
    for (auto changed : {0, 1}) {
        TimeSelection& from = changed == 0 ? watched : selection_;
        TimeSelection& to = changed == 0 ? selection_ : watched;
        connect(&from, &TimeSelection::windowChanged, this, [=, &from, &to] { follow(from, to, changed == 0); });
        connect(&from, &TimeSelection::markedChanged, this, [=, &from, &to] { follow(from, to, changed == 0); });
        connect(&from, &TimeSelection::cursorMoved, this, [=, this, &from, &to] {
            if (!shift_ || !isVisible()) return;
            const Ns by = changed == 0 ? *shift_ : -*shift_;
            to.setCursor(from.cursor() ? std::optional(*from.cursor() + by) : std::nullopt);
        });
    }
    // One legend serves both timelines.
    const TimelineRows& rows = session_.timelineRows();
    const auto takeKinds = [this, &rows] { rows_.setHiddenKinds(rows.hiddenKinds()); };
    connect(&rows, &TimelineRows::kindsChanged, this, takeKinds);
    takeKinds();
    connect(&settle_, &QTimer::timeout, this, &BesideCard::requestNumbers);
    connect(&session_, &Session::currentChanged, this, [this] {
        shift_.reset();
        if (!isVisible()) return;
        offerRuns();
        align();
    });
}

void BesideCard::showEvent(QShowEvent* event) {
    Card::showEvent(event);
    offerRuns();
    align();
}

// Fills the list with the runs that can be drawn, the newest first; any two may be compared.
void BesideCard::offerRuns() {
    avoidWatched();
    runs_->clear();
    const auto title = [](const RunItem& run) { return runTitle(run.row) + QStringLiteral("   ") + run.id; };
    const RunsBeside offered = runsBeside(session_.runs().items(), session_.currentId(), find_->text(), kMostOffered);
    const auto add = [&](int place, const RunItem& run) {
        runs_->insertItem(place, title(run), run.id);
        runs_->setItemData(place, asTip(title(run)), Qt::ToolTipRole);
    };
    for (const RunItemPtr& run : offered.runs) add(runs_->count(), *run);
    if (run_.isEmpty()) {
        if (const RunItemPtr first = firstBeside(session_.runs().items(), session_.currentId())) showRun(first->id);
    }
    // The shown run stays in the list whatever is typed.
    const RunItemPtr shown = session_.runs().find(run_);
    if (shown && runs_->findData(run_) < 0) add(0, *shown);
    if (offered.more > 0) {
        runs_->addItem(
            tr("and %1 older: words beside this list find them").arg(grouped(static_cast<qint64>(offered.more))));
        if (auto* model = qobject_cast<QStandardItemModel*>(runs_->model())) {
            model->item(runs_->count() - 1)->setEnabled(false);
        }
    }
    runs_->setCurrentIndex(runs_->findData(run_));
    sayRun();
}

void BesideCard::sayRun() { runs_->setToolTip(runs_->currentData(Qt::ToolTipRole).toString()); }

// Shows another run if this one has become the watched run, since a comparison of a run with itself is useless.
void BesideCard::avoidWatched() {
    const QString watched = session_.currentId();
    if (run_.isEmpty() || run_ != watched) return;
    const bool hasBefore = other_ != watched && session_.runs().find(other_);
    if (hasBefore) return showRun(other_);
    if (const RunItemPtr first = firstBeside(session_.runs().items(), watched)) return showRun(first->id);
    run_.clear();
    timeline_->clear();
    origin_->clear();
    showTable({.remarks = {tr("No other run to compare with: choose another one to watch.")}});
}

void BesideCard::showRun(const QString& run) {
    if (run.isEmpty() || run == session_.currentId() || std::exchange(run_, run) == run) return;
    runs_->setCurrentIndex(runs_->findData(run_));
    timeline_->clear();
    const RunItemPtr item = session_.runs().find(run);
    rows_.setRun(run, item ? item->row.workers : 0);
    align();
}

void BesideCard::align() {
    if (run_.isEmpty() || !session_.current()) return;
    shift_.reset();
    other_ = session_.currentId();
    showTable({.remarks = {tr("reading …")}});
    query_.align(other_, run_, step_->value() < 0 ? std::nullopt : std::optional<std::int64_t>(step_->value()));
}

void BesideCard::takeOrigin(const BesideOrigin& origin) {
    if (!isOfBoth(origin.a, origin.b)) return;
    origin_->setText(origin.step          ? tr("aligned at the start of step %1").arg(*origin.step)
                     : step_->value() < 0 ? tr("aligned at the start of both runs")
                                          : tr("one of them has no such step: aligned at the start of both"));
    origin_->setToolTip(origin_->text());
    shift_ = origin.ofB - origin.ofA;
    moving_ = true;
    selection_.reset(false);
    selection_.setExtent(origin.extentOfB);
    moving_ = false;
    follow(session_.selection(), selection_, *shift_);
}

void BesideCard::follow(const TimeSelection& from, TimeSelection& to, Ns by) {
    if (moving_) return;
    moving_ = true;
    const auto shifted = [by](TimeRange range) { return TimeRange{range.start + by, range.end + by}; };
    to.setWindow(shifted(from.window()));
    const auto marked = from.marked();
    to.mark(marked ? std::optional(shifted(*marked)) : std::nullopt);
    moving_ = false;
    settle_.start();
}

std::optional<TimeRange> BesideCard::drawnElsewhere() const {
    if (!shift_) return std::nullopt;
    const TimeRange drawn = selection_.window(), watched = session_.selection().window();
    const bool same = drawn.start == watched.start + *shift_ && drawn.end == watched.end + *shift_;
    return same ? std::nullopt : std::optional(drawn);
}

// Requests the numbers of the selected range, else of the visible window.
void BesideCard::requestNumbers() {
    if (!isVisible() || !shift_) return;
    const TimeSelection& watched = session_.selection();
    const TimeRange ofA = watched.marked().value_or(watched.window());
    const TimeRange ofB = watched.marked() ? TimeRange{ofA.start + *shift_, ofA.end + *shift_} : selection_.window();
    query_.compare(other_, ofA, run_, ofB);
}

void BesideCard::showTable(const BesideTable& table) {
    shown_ = table;
    copy_->setEnabled(!table.lines.empty());
    table_->setRowCount(static_cast<int>(table.lines.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const BesideLine& line = table.lines[static_cast<std::size_t>(row)];
        int column = 0;
        for (const QString& text : {line.what, line.a, line.b, line.difference, line.ratio}) {
            QTableWidgetItem* item = putText(*table_, row, column++, text);
            if (column > 1) continue;
            item->setData(
                Qt::DecorationRole,
                line.kind ? QVariant(colorOn(look_.theme().panel, *line.kind, rgbOf(*line.kind))) : QVariant());
        }
    }
    remarks_->say(table.remarks.join(QLatin1Char('\n')));
}

bool BesideCard::isOfBoth(const QString& a, const QString& b) const {
    return a == other_ && b == run_ && a == session_.currentId();
}

}  // namespace dasgd::gui

#include "gui/experiment/forecast_view.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/experiment/round_gantt.h"
#include "gui/kit/parts/elided_label.h"
#include "gui/kit/parts/wrapped_label.h"
#include "gui/kit/words/seconds.h"

namespace dasgd::gui {

namespace {

constexpr int kWidestCase = 110;  // largest width of a case's name, which leaves room for the times beside it

constexpr int kLeastForActions = 440;  // least width of the view that shows action buttons beside the figures

QToolButton* makeAction(const QString& text, const QString& help) {
    auto* button = new QToolButton;
    button->setObjectName(QStringLiteral("link"));
    button->setText(text);
    button->setToolTip(help);
    button->setFocusPolicy(Qt::TabFocus);
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QString toQString(const std::string& words) { return QString::fromStdString(words); }

QString millisecondsOf(const RoundInput& input) {
    QStringList parts{QStringLiteral("T_c ") + secondsInWords(input.compute)};
    const double transfers = input.exchange.transfers();
    if (transfers > 0) parts << QStringLiteral("T_m ") + secondsInWords(transfers);
    return parts.join(QStringLiteral(" · "));
}

QString basisOf(const ForecastCase& one) {
    // The times come first, since the line is cut at its end.
    QStringList parts{millisecondsOf(one.round->input), toQString(one.computeFrom), ForecastView::tr("by formula")};
    QStringList assumed;
    for (const std::string& sentence : one.assumes) assumed << toQString(sentence);
    if (!assumed.isEmpty()) parts << ForecastView::tr("assumed: %1").arg(assumed.join(u' '));
    return parts.join(QStringLiteral(" · "));
}

// "Calibration NAME: no link fits these transfers"; numbers and remedy are in the tool tip.
QString inShort(const QString& doubt) {
    return doubt.section(QStringLiteral(". "), 0, 0).section(QStringLiteral(": "), 0, 1);
}

}  // namespace

ForecastView::ForecastView(ForecastBoard& board, const Look& look)
    : board_(board),
      head_(new QWidget),
      body_(new QWidget),
      chooser_(makeMenuButton({}, tr("Which of the runs to look at"))),
      calibrate_(makeAction(tr("calibrate"), tr("Measure T_c, its scatter and the link where this runs"))),
      basis_(new ElidedLabel),
      why_(makeLabel({}, "muted")),
      marked_(makeElasticLabel("small")),
      gantt_(new RoundGantt(look)) {
    makeHead();
    auto* column = padded(spaced(new QVBoxLayout(this), 0), {kPadding, 0, kPadding, 6});
    why_->setWordWrap(true);
    why_->setContentsMargins(0, 6, 0, 8);
    column->addWidget(why_);
    auto* inner = padded(spaced(new QVBoxLayout(body_), 6), {0, 0, 0, 0});
    inner->addWidget(gantt_, 1);
    inner->addWidget(warning_ = makeWarning());
    inner->addWidget(figures_ = makeFigures());
    column->addWidget(body_, 1);
    connect(&board_, &ForecastBoard::changed, this, [this] { showCase(); });
    connect(calibrate_, &QToolButton::clicked, this, &ForecastView::calibrateWanted);
    connect(gantt_, &RoundGantt::markedChanged, this, [this](const QString& words) {
        marked_->setText(words);
        marked_->setVisible(!words.isEmpty());
        for (const Figure& one : numbers_) {
            const bool seen = words.isEmpty() && (!low_ || &one != &numbers_.back());
            for (QLabel* label : {one.caption, one.number, one.unit}) label->setVisible(seen);
        }
    });
    showCase();
}

void ForecastView::makeHead() {
    auto* row = padded(spaced(new QHBoxLayout(head_), 4), {0, 0, 0, 0});
    row->addWidget(chooser_);
    basis_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(basis_, 1);
    row->addWidget(calibrate_);
}

QWidget* ForecastView::makeWarning() {
    auto* bar = new QFrame;
    bar->setObjectName(QStringLiteral("warnbar"));
    auto* row = padded(spaced(new QHBoxLayout(bar), 10), {12, 3, 4, 3});
    auto* sign = makeLabel(QStringLiteral("⚠"), "warn");
    row->addWidget(sign);
    warningWords_ = new WrappedLabel("head");
    warningWords_->setMinimumWidth(120);
    row->addWidget(warningWords_, 3);
    reason_ = makeLabel({}, "small");
    reason_->setWordWrap(true);
    row->addWidget(reason_, 2);
    set_ = makeButton({}, false, tr("Write this into the text; Ctrl+Z there takes it back"));
    connect(set_, &QPushButton::clicked, this, [this] {
        const ForecastCase* one = board_.current();
        if (!one || !one->remedy) return;
        std::vector<std::pair<QString, QString>> written;
        for (const RemedySetting& setting : one->settings)
            written.emplace_back(toQString(setting.key), toQString(setting.toml));
        emit settingsWanted(written);
    });
    row->addWidget(set_);
    return bar;
}

QWidget* ForecastView::makeFigures() {
    auto* line = new QWidget;
    auto* row = padded(spaced(new QHBoxLayout(line), 4), {0, 0, 0, 0});
    for (const QString& caption : {tr("hidden"), tr("blocked"), tr("step"), tr("÷ independent")}) {
        Figure one{makeLabel(caption, "small"), makeLabel({}, "number"), makeLabel({}, "small")};
        if (numbers_.empty()) {
            one.caption->setToolTip(
                asTip(tr("By formula: the part of one exchange that the steps of the delay last, each "
                         "exactly as long as the mean. A run hides less where its steps scatter and "
                         "its ranks wait for each other: what it has hidden stands on its page.")));
        }
        // The gap belongs to the figure's caption, so that a hidden figure leaves none.
        if (!numbers_.empty()) one.caption->setContentsMargins(6, 0, 0, 0);
        for (QLabel* label : {one.caption, one.number, one.unit}) row->addWidget(label, 0, Qt::AlignBottom);
        numbers_.push_back(one);
    }
    marked_->hide();
    row->addWidget(marked_, 1);
    row->addStretch();
    advise_ = makeAction(tr("advise"), tr("Which setting this cluster asks for, simulated with all algorithms"));
    scale_ = makeAction(tr("scale"), tr("The same at several numbers of workers"));
    connect(advise_, &QToolButton::clicked, this, &ForecastView::adviseWanted);
    connect(scale_, &QToolButton::clicked, this, &ForecastView::scaleWanted);
    row->addWidget(advise_);
    row->addWidget(scale_);
    return line;
}

void ForecastView::setVaried(const QStringList& keys) {
    if (keys == varied_) return;
    varied_ = keys;
    showCase();
}

bool ForecastView::canSet(const ForecastCase& one) const {
    const auto varies = [&](const std::string& key) { return varied_.contains(toQString(key)); };
    return one.remedy && !varies("algorithm") && !varies("algorithm.name") &&
           std::ranges::none_of(one.decisive, varies);
}

void ForecastView::setLow(bool low) {
    if (low == low_) return;
    low_ = low;
    showCase();
}

void ForecastView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitActions();
}

// Hides the two actions if there is no room: the page "What if" has them too, but the figures are only here.
void ForecastView::fitActions() {
    int needed = 0;
    const auto add = [&](const QWidget& one) {
        if (!one.isHidden()) needed += one.sizeHint().width() + figures_->layout()->spacing();
    };
    for (const Figure& one : numbers_) {
        for (const QLabel* label : {one.caption, one.number, one.unit}) add(*label);
    }
    for (QToolButton* one : {advise_, scale_}) {
        one->show();
        add(*one);
    }
    const int room = width() - 2 * kPadding;
    for (QToolButton* one : {advise_, scale_}) one->setVisible(width() >= kLeastForActions && needed <= room);
}

QWidget& ForecastView::firstStop() const {
    return body_->isVisibleTo(this) ? static_cast<QWidget&>(*gantt_) : *calibrate_;
}

void ForecastView::showChooser() {
    const auto& cases = board_.cases();
    chooser_->setVisible(cases.size() > 1);
    QMenu* menu = chooser_->menu();
    menu->clear();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        QAction* action = menu->addAction(toQString(cases[i].label));
        action->setCheckable(true);
        action->setChecked(i == board_.chosen());
        connect(action, &QAction::triggered, this, [this, i] { board_.choose(i); });
    }
    const ForecastCase* one = board_.current();
    const QString whole = one ? toQString(one->label) : QString(), label = narrow(whole);
    const QString shown = chooser_->fontMetrics().elidedText(label, Qt::ElideMiddle, kWidestCase);
    chooser_->setText(one ? shown + QStringLiteral(" ▾") : QString());
    chooser_->setToolTip(tr("Which of the runs to look at") + (shown == label ? QString() : QLatin1Char('\n') + whole));
    chooser_->setAccessibleName(one ? tr("Forecast of %1").arg(whole) : QString());
}

void ForecastView::showCase() {
    showChooser();
    const ForecastCase* one = board_.current();
    const bool known = one && one->known();
    body_->setVisible(known);
    why_->setVisible(!known);
    why_->setText(one ? toQString(one->why) : QString());
    basis_->setText(known ? basisOf(*one) : QString());
    basis_->setToolTip(known ? asTip(toQString(one->words)) : QString());
    gantt_->clear();
    if (!known) return;
    const QString reason = toQString(one->reason), doubt = toQString(one->doubt);
    gantt_->show(*one->round, low_ ? std::nullopt : one->remedy, one->bytes);
    gantt_->setAccessibleDescription(toQString(one->words));
    QStringList warnings{toQString(one->warning), inShort(doubt)};
    warnings.removeAll(QString());
    warning_->setVisible(!warnings.isEmpty());
    warningWords_->say(warnings.join(u'\n'));
    reason_->setText(reason);
    // Two warnings need the room of the reason.
    reason_->setVisible(!low_ && warnings.size() < 2);
    warningWords_->setToolTip(asTip(reason_->isHidden() ? reason + u' ' + doubt : doubt));
    for (QLabel* label : {numbers_[3].caption, numbers_[3].number, numbers_[3].unit}) label->setVisible(!low_);
    set_->setVisible(canSet(*one));
    QStringList settings;
    for (const RemedySetting& setting : one->settings) {
        settings << toQString(setting.symbol + " = " + setting.toml);
    }
    set_->setText(tr("Set %1").arg(settings.join(QStringLiteral(", "))));
    showFigures(*one);
}

void ForecastView::showFigures(const ForecastCase& one) {
    const auto put = [](const Figure& figure, const QString& number, const QString& unit, const char* tone = "number") {
        figure.number->setText(number);
        figure.unit->setText(unit);
        setTone(*figure.number, tone);
    };
    const auto time = [](double seconds) { return durationInWords(static_cast<Ns>(std::llround(seconds * 1e9))); };
    const RoundForecast& round = *one.round;
    const std::optional<double> hidden = round.hidden;
    put(numbers_[0], percent(hidden), hidden ? QStringLiteral("%") : QString(),
        !hidden                             ? "number"
        : *hidden < 1 || !one.doubt.empty() ? "numberwarn"
                                            : "numbergood");
    const Quantity blocked = time(round.blockedPerStep()), step = time(round.stepSeconds);
    put(numbers_[1], round.blocked > 0 ? blocked.number : QStringLiteral("0"),
        (round.blocked > 0 ? blocked.unit : QStringLiteral("ms")) + tr("/step"));
    put(numbers_[2], step.number, step.unit);
    put(numbers_[3], QString::number(round.slowdown, 'f', 2), {});
    fitActions();
}

}  // namespace dasgd::gui

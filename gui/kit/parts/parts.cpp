#include "gui/kit/parts/parts.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>

#include "gui/kit/parts/elided_label.h"

namespace dasgd::gui {

namespace {

// Makes Enter press a button; outside of dialogs Qt's buttons react only to the space bar.
class PressedByEnter : public QObject {
public:
    explicit PressedByEnter(QAbstractButton& button) : QObject(&button), button_(button) {
        button.installEventFilter(this);
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::KeyPress) return QObject::eventFilter(watched, event);
        const auto* pressed = static_cast<QKeyEvent*>(event);
        const bool enter = pressed->key() == Qt::Key_Return || pressed->key() == Qt::Key_Enter;
        if (!enter || (pressed->modifiers() & ~Qt::KeypadModifier) != 0) return QObject::eventFilter(watched, event);
        if (!pressed->isAutoRepeat()) button_.click();
        return true;
    }

private:
    QAbstractButton& button_;
};

}  // namespace

QLabel* makeLabel(const QString& text, const char* tone, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setProperty("tone", QString::fromLatin1(tone));
    return label;
}

void setTone(QWidget& widget, const char* tone) {
    const QString value = QString::fromLatin1(tone);
    if (widget.property("tone").toString() == value) return;
    widget.setProperty("tone", value);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

void makeClear(QAbstractScrollArea& area) { area.setProperty("clear", true); }

QPushButton* makeButton(const QString& text, bool primary, const QString& help) {
    auto* button = new QPushButton(text);
    new PressedByEnter(*button);
    button->setProperty("primary", primary);
    button->setToolTip(help);
    button->setCursor(Qt::PointingHandCursor);
    // No focus by click: a button that its click disables would pass the focus, and the next Space, to its neighbour.
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QLabel* makeElasticLabel(const char* tone, Qt::TextElideMode cut) { return new ElidedLabel(tone, cut); }

QToolButton* makeQuietButton(const QString& text, const QString& help) {
    auto* button = new QToolButton;
    new PressedByEnter(*button);
    button->setObjectName(QStringLiteral("choice"));
    button->setFocusPolicy(Qt::TabFocus);
    button->setText(text);
    button->setToolTip(help);
    // Screen readers read the text of a button that has one.
    if (text.isEmpty()) button->setAccessibleName(help);
    return button;
}

QToolButton* makeMenuButton(const QString& text, const QString& help) {
    QToolButton* button = makeQuietButton(text, help);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(new QMenu(button));
    return button;
}

QScrollArea* makePageArea(QWidget* inner) {
    auto* area = new QScrollArea;
    area->setObjectName(QStringLiteral("page"));
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setWidgetResizable(true);
    area->setWidget(inner);
    return area;
}

QVBoxLayout* makePageHeader(QHBoxLayout* row, QWidget* words) {
    auto* header = spaced(new QVBoxLayout, 4);
    header->addLayout(row);
    header->addWidget(words);
    return header;
}

Card::Card(QWidget* parent) : QFrame(parent), body_(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("card"));
    body_->setContentsMargins(kPadding, 13, kPadding, 13);
    body_->setSpacing(6);
}

EmptyCard::EmptyCard(QWidget* parent) : Card(parent), title_(makeLabel({}, "title")), words_(makeLabel({}, "muted")) {
    words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    body().addStretch();
    for (QLabel* label : {title_, words_}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
        body().addWidget(label);
    }
    body().addStretch();
}

void EmptyCard::say(const QString& title, const QString& words) {
    title_->setText(title);
    words_->setText(words);
}

void EmptyCard::addRow(QLayout* row) { body().insertLayout(body().count() - 1, row); }

KeyFigure::KeyFigure(const QString& label, const QString& help, QWidget* parent) : Card(parent) {
    body().setContentsMargins(14, 11, 14, 10);
    body().setSpacing(4);
    number_ = makeLabel(kAbsent);
    number_->setFont(interFont(25, Weight::SemiBold));
    number_->setStyleSheet(QStringLiteral("font-size: 25px; font-weight: 600;"));
    unit_ = makeLabel({}, "small");
    auto* row = spaced(new QHBoxLayout, 6);
    row->addWidget(number_, 0, Qt::AlignBottom);
    row->addWidget(unit_, 0, Qt::AlignBottom);
    row->addStretch();
    unit_->setContentsMargins(0, 0, 0, 4);
    body().addWidget(label_ = makeLabel({}, "small"));
    body().addLayout(row);
    setLabel(label, help);
}

void KeyFigure::setLabel(const QString& label, const QString& help) {
    label_->setText(label);
    setAccessibleName(label);
    setToolTip(help);
}

void KeyFigure::setQuantity(const Quantity& quantity, const char* tone) {
    setTone(*number_, tone);
    if (number_->text() == quantity.number && unit_->text() == quantity.unit) return;
    number_->setText(quantity.number);
    unit_->setText(quantity.unit);
    body().activate();
}

QString KeyFigure::text() const { return Quantity{number_->text(), unit_->text()}.text(); }

StatePill::StatePill(const Look& look, QWidget* parent) : QWidget(parent), look_(look) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&look_, &Look::changed, this, qOverload<>(&QWidget::update));
}

void StatePill::setState(const QString& state) {
    if (state == state_) return;
    state_ = state;
    setAccessibleName(state);
    updateGeometry();
    update();
}

QSize StatePill::sizeHint() const {
    const QFontMetricsF metrics(interFont(12, Weight::SemiBold));
    return {static_cast<int>(metrics.horizontalAdvance(state_)) + 36, 24};
}

std::pair<QColor, QColor> StatePill::colorsOf(const QString& state, const Theme& theme) {
    if (state == QLatin1String("running") || state == QLatin1String("finished")) {
        return {theme.good, state == QLatin1String("running") ? theme.goodTint : theme.raised};
    }
    if (state == QLatin1String("failed")) return {theme.bad, theme.badTint};
    if (state == QLatin1String("interrupted") || state.endsWith(QLatin1String("partly read")))
        return {theme.warn, theme.warnTint};
    return {theme.muted, theme.raised};
}

void StatePill::paint(QPainter& painter, const QRectF& rect, const QString& state, const Theme& theme,
                      const QFont& font) {
    const auto [ink, tint] = colorsOf(state, theme);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tint);
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
    const QRectF dot(rect.left() + 10, rect.center().y() - 3.5, 7, 7);
    if (state == QLatin1String("running")) {
        painter.setBrush(ink);
        painter.drawEllipse(dot);
    } else {
        // Only a running run has a filled dot.
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(ink, 1.6));
        painter.drawEllipse(dot.adjusted(0.8, 0.8, -0.8, -0.8));
    }
    painter.setPen(ink);
    painter.setFont(font);
    painter.drawText(rect.adjusted(23, 0, -8, 0), Qt::AlignVCenter | Qt::AlignLeft, state);
}

void StatePill::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paint(painter, QRectF(rect()), state_, look_.theme(), interFont(12, Weight::SemiBold));
}

QString barSheet(const QString& name, const QColor& ground, const QColor& edge, const Theme& theme) {
    return QStringLiteral(
               "QFrame#%1 { background: %2; border: 1px solid %3; border-radius: 8px; } "
               "QToolButton#choice { color: %4; }")
        .arg(name, ground.name(), edge.name(), theme.accent.name());
}

MessageBar::MessageBar(const Look& look, QWidget* parent)
    : QFrame(parent), look_(look), label_(makeLabel({})), act_(makeButton({}, false, {})), expiry_(this) {
    auto* row = padded(new QHBoxLayout(this), {14, 9, 9, 9});
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    row->addWidget(label_, 1);
    row->addWidget(act_, 0, Qt::AlignTop);
    connect(act_, &QPushButton::clicked, this, [this] {
        const std::function<void()> carryOut = carryOut_;
        clear();
        carryOut();
    });
    expiry_.setSingleShot(true);
    expiry_.setInterval(kNoteMs);
    connect(&expiry_, &QTimer::timeout, this, &MessageBar::clear);
    QToolButton* close = makeQuietButton(QStringLiteral("dismiss"), {});
    row->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &MessageBar::clear);
    connect(&look_, &Look::changed, this, &MessageBar::restyle);
    setObjectName(QStringLiteral("message"));
    hide();
}

void MessageBar::restyle() {
    const Theme& theme = look_.theme();
    const bool error = kind_ == Kind::Error;
    setStyleSheet(barSheet(objectName(), error ? theme.badTint : theme.raised, error ? theme.bad : theme.line, theme));
}

void MessageBar::say(const QString& text, Kind kind) {
    if (text.isEmpty()) return clear();
    kind_ = kind;
    label_->setText(text);
    act_->hide();
    kind == Kind::Note ? expiry_.start() : expiry_.stop();
    restyle();
    show();
}

void MessageBar::ask(const QString& question, const QString& verb, std::function<void()> carryOut) {
    say(question);
    carryOut_ = std::move(carryOut);
    act_->setText(verb);
    act_->show();
}

void MessageBar::clear() {
    expiry_.stop();
    label_->clear();
    hide();
}

QString MessageBar::text() const { return label_->text(); }

Choice::Choice(const QString& name, const QStringList& options, int chosen, QWidget* parent)
    : QToolButton(parent), options_(options) {
    new PressedByEnter(*this);
    setObjectName(QStringLiteral("choice"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::TabFocus);
    setToolTip(name);
    setAccessibleName(name);
    auto* menu = new QMenu(this);
    auto* group = new QActionGroup(menu);
    for (int i = 0; i < options.size(); ++i) {
        QAction* action = menu->addAction(options[i]);
        action->setCheckable(true);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, i] { choose(i); });
    }
    setMenu(menu);
    choose(chosen);
}

void Choice::choose(int option) {
    if (option == chosen_ || option < 0 || option >= options_.size()) return;
    chosen_ = option;
    setText(options_[option] + QStringLiteral(" ▾"));
    menu()->actions()[option]->setChecked(true);
    emit changed(option);
}

}  // namespace dasgd::gui

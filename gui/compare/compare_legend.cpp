#include "gui/compare/compare_legend.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/kit/parts/parts.h"
#include "gui/kit/plots/plot_view.h"
#include "gui/kit/words/short_names.h"

namespace dasgd::gui {

namespace {

constexpr int kLegendRow = 27, kTwoLineRow = 44;
constexpr int kBesideShown = 10;
constexpr double kStroke = 30, kEye = 22;
constexpr double kBeforeName = kStroke + 22, kAfterNumbers = 10, kBesideValue = 10, kBesideCount = 8, kBesidePlace = 6;

QFont valueFont(bool hidden) { return hidden ? interFont(11) : interFont(12, Weight::Medium); }

QString valueText(const QModelIndex& index, bool hidden) {
    return hidden ? QStringLiteral("hidden") : index.data(CompareLegendModel::ValueRole).toString();
}

QFont placeFont() { return interFont(10); }

QString countText(const QModelIndex& index) {
    return QStringLiteral("n ") + index.data(CompareLegendModel::CountRole).toString();
}

bool isHiddenRow(const QModelIndex& index) { return index.data(Qt::CheckStateRole).toInt() == Qt::Unchecked; }

double numbersWidth(const QModelIndex& index) {
    const bool hidden = isHiddenRow(index);
    const QString place = index.data(CompareLegendModel::PlaceRole).toString();
    const double ofPlace = place.isEmpty() ? 0 : QFontMetricsF(placeFont()).horizontalAdvance(place) + kBesidePlace;
    return ofPlace + QFontMetricsF(valueFont(hidden)).horizontalAdvance(valueText(index, hidden)) + kBesideValue +
           QFontMetricsF(interFont(11)).horizontalAdvance(countText(index)) + kBesideCount;
}

}  // namespace

QString CompareLegendDelegate::nameAt(const QModelIndex& index, double width) const {
    const QAbstractItemModel& model = *index.model();
    QStringList names = names_;
    if (!known_) {
        names.clear();
        for (int row = 0; row < model.rowCount(); ++row) names << model.index(row, 0).data().toString();
    }
    const bool others = names != names_;
    double numbers = others ? 0 : numbers_;
    if (others || numbersWidth(index) > numbers) {
        for (int row = 0; row < model.rowCount(); ++row) {
            numbers = std::max(numbers, numbersWidth(model.index(row, 0)));
        }
    }
    const double room = width - kBeforeName - kAfterNumbers - numbers;
    if (others || room != room_) {
        // Names in the highlighted row are semibold, the widest.
        const QFontMetricsF metrics(interFont(13, Weight::SemiBold));
        const auto widthOf = [&](const QString& text) { return metrics.horizontalAdvance(text); };
        twoLines_ = std::ranges::any_of(names, [&](const QString& name) { return widthOf(name) > room; });
        cut_ = namesThatFit(names, twoLines_ ? room + numbers : room, widthOf);
    }
    names_ = std::move(names);
    numbers_ = numbers;
    room_ = room;
    known_ = true;
    return cut_.value(index.row());
}

QSize CompareLegendDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {200, twoLines_ ? kTwoLineRow : kLegendRow};
}

void CompareLegendDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                                  const QModelIndex& index) const {
    const Theme& theme = look_.theme();
    const bool hidden = isHiddenRow(index);
    const bool front = index.data(CompareLegendModel::HighlightRole).toBool();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF row(option.rect);
    if (front || option.state & QStyle::State_MouseOver) {
        painter->fillRect(option.rect, front ? theme.raised : theme.hover);
    }
    if (option.state & QStyle::State_HasFocus) {
        painter->setPen(QPen(theme.accent, 1));
        painter->drawRoundedRect(row.adjusted(1.5, 1.5, -1.5, -1.5), 4, 4);
    }
    const double middle = row.center().y();
    const QRectF stroke(row.left() + 12, middle - 8, kStroke, 16);
    if (hidden) {
        painter->setPen(QPen(theme.faint, 1.4));
        painter->drawLine(QPointF(stroke.left(), middle), QPointF(stroke.right(), middle));
    } else {
        paintLineSample(*painter, stroke, screenPlotStyle(theme),
                        index.data(CompareLegendModel::StyleRole).value<CurveStyle>(),
                        index.data(CompareLegendModel::HollowRole).toBool());
    }
    // Measured before drawing: if the numbers became wider, the rows above are drawn again too.
    const double before = numbers_;
    const QString name = nameAt(index, row.width());
    const auto* list = qobject_cast<const QAbstractItemView*>(option.widget);
    if (before > 0 && numbers_ > before && list) list->viewport()->update();
    const QRectF words = row.adjusted(kBeforeName, 0, -kAfterNumbers, 0);
    const QRectF above = words.adjusted(0, 3, 0, -row.height() / 2);
    QRectF rest = twoLines_ ? words.adjusted(0, row.height() / 2, 0, -3) : words;
    const auto right = [&](const QString& text, const QFont& font, const QColor& color, double gap) {
        const double width = QFontMetricsF(font).horizontalAdvance(text);
        painter->setFont(font);
        painter->setPen(color);
        painter->drawText(QRectF(rest.right() - width, rest.top(), width + 1, rest.height()), Qt::AlignVCenter, text);
        rest.setRight(rest.right() - width - gap);
    };
    if (const QString place = index.data(CompareLegendModel::PlaceRole).toString(); !place.isEmpty())
        right(place, placeFont(), theme.muted, kBesidePlace);
    right(valueText(index, hidden), valueFont(hidden), hidden ? theme.muted : theme.text, kBesideValue);
    const bool partial = index.data(CompareLegendModel::PartialRole).toBool();
    right(countText(index), interFont(11), partial ? theme.warn : theme.muted, kBesideCount);
    painter->setFont(interFont(13, front ? Weight::SemiBold : Weight::Regular));
    painter->setPen(hidden ? theme.muted : theme.text);
    painter->drawText(twoLines_ ? above : rest, Qt::AlignVCenter, name);
    painter->restore();
}

// A click on the stroke, or Space, hides the configuration. CompareLegend handles clicks elsewhere, which highlight.
bool CompareLegendDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                        const QModelIndex& index) {
    const bool clicked = event->type() == QEvent::MouseButtonRelease &&
                         static_cast<QMouseEvent*>(event)->position().x() < option.rect.left() + kStroke + kEye;
    const bool pressed = event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    if (!clicked && !pressed) return false;
    const bool hidden = isHiddenRow(index);
    return model->setData(index, hidden ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
}

CompareLegend::CompareLegend(CompareBoard& board, const Look& look, QWidget* parent)
    : Card(parent), board_(board), model_(new CompareLegendModel(board, this)) {
    body().setContentsMargins(1, 12, 1, 8);
    body().setSpacing(6);
    filter_ = new QLineEdit;
    filter_->setPlaceholderText(tr("Filter:  delay >= 3 and bandwidth = 200Mbps"));
    filter_->setToolTip(tr("Words, or comparisons of settings, as on the Runs page  Ctrl+F"));
    filter_->setAccessibleName(tr("Filter configurations of the comparison"));
    filter_->setClearButtonEnabled(true);
    auto* top = padded(new QVBoxLayout, {11, 0, 11, 0});
    top->addWidget(filter_);
    top->addWidget(error_ = makeLabel({}, "bad"));
    error_->setWordWrap(true);
    error_->hide();
    words_ = new QBoxLayout(QBoxLayout::LeftToRight);
    words_->addWidget(shown_ = makeLabel({}, "small"));
    words_->setSpacing(kBesideShown);
    words_->addWidget(at_ = new WrappedLabel("small"), 1);
    top->addLayout(words_);
    body().addLayout(top);
    list_ = new QListView;
    list_->setModel(model_);
    list_->setItemDelegate(delegate_ = new CompareLegendDelegate(look, list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    list_->setUniformItemSizes(true);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    makeClear(*list_);
    list_->setAccessibleName(tr("Configurations: Space hides, Enter highlights"));
    list_->viewport()->installEventFilter(this);
    body().addWidget(list_, 1);
    body().addLayout(makeFoot());
    setFocusProxy(list_);
    connect(filter_, &QLineEdit::textChanged, &board_.choice, &CompareChoice::setFilter);
    connect(&board_.choice, &CompareChoice::restarted, filter_, &QLineEdit::clear);
    connect(list_, &QListView::activated, this,
            [this](const QModelIndex& index) { pin(index.data(CompareLegendModel::GroupRole).value<std::size_t>()); });
    connect(list_, &QListView::entered, this, [this](const QModelIndex& index) {
        board_.choice.highlight(index.data(CompareLegendModel::GroupRole).value<std::size_t>());
    });
    connect(&board_.choice, &CompareChoice::shownChanged, this, [this] {
        delegate_->forget();
        update();
    });
    connect(&board_.curves, &CompareCurves::cursorChanged, this, &CompareLegend::update);
    connect(&board_.curves, &CompareCurves::curvesChanged, this, &CompareLegend::update);
    update();
}

QLayout* CompareLegend::makeFoot() {
    auto* foot = padded(spaced(new QHBoxLayout, 0), {6, 0, 6, 0});
    const auto link = [&](const QString& text, const QString& help, auto&& act) {
        QToolButton* button = makeQuietButton(text, help);
        connect(button, &QToolButton::clicked, this, act);
        foot->addWidget(button);
    };
    link(tr("all"), tr("Show all that the filter lists"),
         [this] { board_.choice.setHidden(board_.choice.listed(), false); });
    link(tr("none"), tr("Hide all that the filter lists"),
         [this] { board_.choice.setHidden(board_.choice.listed(), true); });
    link(tr("invert"), tr("Show what is hidden and hide what is shown"), [this] {
        std::vector<std::size_t> hidden;
        for (const std::size_t group : board_.choice.listed()) {
            if (board_.choice.isHidden(group)) hidden.push_back(group);
        }
        board_.choice.setHidden(std::vector<std::size_t>(board_.choice.shown()), true);
        board_.choice.setHidden(hidden, false);
    });
    foot->addStretch();
    return foot;
}

// Highlights a configuration; a second call for the same one ends that.
void CompareLegend::pin(std::size_t group) {
    const std::string& key = board_.choice.groups()[group].key;
    pinned_ = pinned_ == key ? std::string() : key;
    board_.choice.highlight(pinned());
}

std::optional<std::size_t> CompareLegend::pinned() const {
    const auto& groups = board_.choice.groups();
    const auto found =
        std::find_if(groups.begin(), groups.end(), [this](const CompareGroup& group) { return group.key == pinned_; });
    if (found == groups.end()) return std::nullopt;
    return static_cast<std::size_t>(found - groups.begin());
}

bool CompareLegend::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Leave) board_.choice.highlight(pinned());
    if (event->type() == QEvent::Resize) {
        layRows();
        layWords();
    }
    return Card::eventFilter(watched, event);
}

void CompareLegend::update() {
    const std::size_t all = board_.choice.groups().size(), shown = board_.choice.shown().size();
    shown_->setText(tr("%1 of %2 shown").arg(shown).arg(all));
    at_->say(model_->readInWords());
    layWords();
    at_->setToolTip(asTip(board_.curves.cursor() || !board_.curves.readAt()
                              ? at_->text()
                              : tr("%1, where the first of the shown curves ends").arg(at_->text())));
    const auto& error = board_.choice.filterError();
    error_->setVisible(error.has_value());
    if (error) error_->setText(tr("At character %1: %2").arg(error->at + 1).arg(error->message));
    layRows();
}

// The words that name the cursor's position are never cut: they go below the count if there is no room beside it.
void CompareLegend::layWords() {
    const int room = filter_->width() - shown_->sizeHint().width() - kBesideShown;
    const bool beside = at_->fontMetrics().horizontalAdvance(at_->text()) <= room;
    words_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    words_->setSpacing(beside ? kBesideShown : 0);
    at_->setAlignment(beside ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignTop);
}

void CompareLegend::layRows() {
    const bool before = delegate_->isTwoLines();
    for (int row = 0; row < model_->rowCount(); ++row) {
        (void)delegate_->nameAt(model_->index(row, 0), list_->viewport()->width());
    }
    if (delegate_->isTwoLines() != before) list_->doItemsLayout();
}

}  // namespace dasgd::gui

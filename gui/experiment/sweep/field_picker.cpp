#include "gui/experiment/sweep/field_picker.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/kit/parts/parts.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr int kFieldKey = Qt::UserRole, kSearchWords = Qt::UserRole + 1;
constexpr int kPickerWidth = 320, kPickerHeight = 340;

}  // namespace

FieldPicker::FieldPicker(const std::vector<SweepableField>& fields, QWidget* parent)
    : QFrame(parent, Qt::Popup), filter_(new QLineEdit), list_(new QListWidget) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(QStringLiteral("card"));
    setAccessibleName(tr("Choose a field"));
    resize(kPickerWidth, kPickerHeight);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(6);
    filter_->setPlaceholderText(tr("Find a field"));
    filter_->setAccessibleName(tr("Find a field"));
    filter_->installEventFilter(this);
    column->addWidget(filter_);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    makeClear(*list_);
    list_->setAccessibleName(tr("Fields"));
    list_->setFocusPolicy(Qt::NoFocus);
    column->addWidget(list_, 1);
    for (const SweepableField& one : fields) {
        const QString symbol = QString::fromStdString(one.field->spec.symbol);
        const QString help = QString::fromStdString(one.field->spec.help);
        auto* item = new QListWidgetItem(symbol.isEmpty() ? one.key : one.key + QStringLiteral("  ") + symbol, list_);
        item->setData(kFieldKey, one.key);
        item->setData(kSearchWords, QString(one.key + u' ' + symbol + u' ' + help).toLower());
        item->setToolTip(asTip(help));
    }
    connect(filter_, &QLineEdit::textChanged, this, &FieldPicker::show);
    connect(list_, &QListWidget::itemClicked, this, &FieldPicker::take);
    show({});
}

void FieldPicker::openAt(const QWidget& button) {
    const QRect room = button.screen()->availableGeometry();
    QPoint at = button.mapToGlobal(QPoint(0, button.height() + 2));
    if (at.y() + height() > room.bottom()) at.setY(button.mapToGlobal(QPoint(0, 0)).y() - height() - 2);
    at.setX(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - width())));
    at.setY(std::max(at.y(), room.top()));
    move(at);
    QFrame::show();
    filter_->setFocus(Qt::PopupFocusReason);
}

QStringList FieldPicker::shown() const {
    QStringList keys;
    for (int i = 0; i < list_->count(); ++i) {
        if (!list_->item(i)->isHidden()) keys << list_->item(i)->data(kFieldKey).toString();
    }
    return keys;
}

void FieldPicker::show(const QString& words) {
    const QStringList wanted = words.toLower().split(u' ', Qt::SkipEmptyParts);
    QListWidgetItem* first = nullptr;
    for (int i = 0; i < list_->count(); ++i) {
        QListWidgetItem* item = list_->item(i);
        const QString text = item->data(kSearchWords).toString();
        const bool fits = std::ranges::all_of(wanted, [&](const QString& word) { return text.contains(word); });
        item->setHidden(!fits);
        if (fits && !first) first = item;
    }
    list_->setCurrentItem(first);
}

void FieldPicker::take() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item || item->isHidden()) return;
    const QString key = item->data(kFieldKey).toString();
    // Closed before the signal: closing gives the focus back, which would take it from the row that the signal makes.
    close();
    emit chosen(key);
}

bool FieldPicker::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
        take();
        return true;
    }
    const bool up = key->key() == Qt::Key_Up;
    if (!up && key->key() != Qt::Key_Down) return QFrame::eventFilter(watched, event);
    int row = list_->currentRow();
    do row += up ? -1 : 1;
    while (row >= 0 && row < list_->count() && list_->item(row)->isHidden());
    if (row >= 0 && row < list_->count()) list_->setCurrentRow(row);
    return true;
}

}  // namespace dasgd::gui

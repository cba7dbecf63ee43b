#include "gui/experiment/sweep/field_picker.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/kit/parts/parts.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr int kPickerWidth = 320, kPickerHeight = 340;

// A field of the list. Those whose name fits best come first, then the order of the schema.
class PickedField : public QListWidgetItem {
public:
    PickedField(const SweepableField& field, int place) : key(field.key), place_(place) {
        const QString symbol = QString::fromStdString(field.field->spec.symbol);
        const QString help = QString::fromStdString(field.field->spec.help);
        setText(symbol.isEmpty() ? key : key + QStringLiteral("  ") + symbol);
        setToolTip(asTip(help));
        more_ = QString(symbol + u' ' + help).toLower();
    }
    // Shows the field if it has all of the words, in lower case.
    void find(const QStringList& words) {
        fit_ = 0;
        for (const QString& word : words) fit_ = std::max(fit_, fitOf(word));
        setHidden(fit_ == kNone);
    }
    bool operator<(const QListWidgetItem& other) const override {
        const auto& field = static_cast<const PickedField&>(other);
        return std::pair(fit_, place_) < std::pair(field.fit_, field.place_);
    }
    const QString key;

private:
    static constexpr int kNone = 4;
    // 0: the whole key or name; 1: its beginning; 2: a part of it; 3: in symbol or help.
    [[nodiscard]] int fitOf(const QString& word) const {
        const QString whole = key.toLower(), name = whole.section(u'.', -1);
        if (whole == word || name == word) return 0;
        if (whole.startsWith(word) || name.startsWith(word)) return 1;
        if (whole.contains(word)) return 2;
        return more_.contains(word) ? 3 : kNone;
    }

    const int place_;
    int fit_ = 0;
    QString more_;
};

PickedField& fieldAt(const QListWidget& list, int row) { return static_cast<PickedField&>(*list.item(row)); }

}  // namespace

FieldPicker::FieldPicker(const std::vector<SweepableField>& fields, QWidget* parent)
    : QFrame(parent, Qt::Popup), filter_(new QLineEdit), list_(new QListWidget) {
    setAttribute(Qt::WA_DeleteOnClose);
    setObjectName(QStringLiteral("card"));
    setAccessibleName(tr("Choose a field"));
    resize(kPickerWidth, kPickerHeight);
    auto* column = padded(spaced(new QVBoxLayout(this), 6), {8, 8, 8, 8});
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
    for (const SweepableField& one : fields) list_->addItem(new PickedField(one, list_->count()));
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
        if (!list_->item(i)->isHidden()) keys << fieldAt(*list_, i).key;
    }
    return keys;
}

void FieldPicker::show(const QString& words) {
    const QStringList wanted = words.toLower().split(u' ', Qt::SkipEmptyParts);
    for (int i = 0; i < list_->count(); ++i) fieldAt(*list_, i).find(wanted);
    list_->sortItems();
    QListWidgetItem* first = list_->item(0);
    list_->setCurrentItem(first && !first->isHidden() ? first : nullptr);
    list_->scrollToTop();
}

void FieldPicker::take() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item || item->isHidden()) return;
    const QString key = static_cast<const PickedField*>(item)->key;
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

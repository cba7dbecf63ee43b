#include "gui/runs/run_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "gui/kit/parts/sort_key.h"
#include "gui/kit/theme/theme.h"
#include "gui/kit/words/settings_file.h"

namespace dasgd::gui {

namespace {

constexpr int kRunRowHeight = 36;
constexpr int kGroupPadding = 14;
constexpr int kGroupArrow = 26;        // x at which a group's title begins
constexpr int kLeastGroupTitle = 240;  // means in columns that begin before it are left out
constexpr int kCellMargin = 7;
constexpr int kSavingMs = 400;
const QString kColumnsKey = QStringLiteral("runs/columns");

}  // namespace

void clearMenu(QMenu& menu) {
    menu.clear();
    // QMenu::clear() does not delete submenus.
    qDeleteAll(menu.findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly));
}

void addKeyMenus(QMenu& menu, const std::set<std::string>& keys,
                 const std::function<void(QMenu& menu, const QString& title, const QString& key)>& add) {
    QMenu* section = nullptr;
    for (const std::string& one : keys) {
        const QString key = QString::fromStdString(one);
        const qsizetype dot = key.indexOf(u'.');
        if (dot < 0) {
            add(menu, key, key);
            continue;
        }
        if (!section || section->title() != key.left(dot)) section = menu.addMenu(key.left(dot));
        add(*section, key.mid(dot + 1), key);
    }
}

RunTable::RunTable(RunListModel& list, const Look& look, QWidget* parent)
    : QTableView(parent), list_(list), look_(look) {
    setObjectName(QStringLiteral("runs"));
    setModel(&list_);
    setSelectionModel(selection_ = new RunSelection(list_, this));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setShowGrid(false);
    setWordWrap(false);
    setSortingEnabled(true);
    sortByColumn(RunTableModel::Started, Qt::DescendingOrder);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(kRunRowHeight);
    QHeaderView& header = *horizontalHeader();
    header.setHighlightSections(false);
    header.setStretchLastSection(true);
    header.setSectionsMovable(true);
    header.setMinimumSectionSize(kStarColumnWidth);
    header.setContextMenuPolicy(Qt::CustomContextMenu);
    setColumns(columnsFromTexts(settingsFile().value(kColumnsKey).toStringList()));
    addMoves();
    saving_.setSingleShot(true);
    saving_.setInterval(kSavingMs);
    connect(&saving_, &QTimer::timeout, this, &RunTable::keepColumns);
    connect(&header, &QHeaderView::customContextMenuRequested, this, &RunTable::showHeaderMenu);
    connect(&header, &QHeaderView::sectionMoved, this, &RunTable::remember);
    connect(&header, &QHeaderView::sectionResized, this, [this](int section) {
        // The last section is stretched to the room, so its width is not the user's choice.
        if (!arranging_ && section != shownSections().back()) fitted_.erase(section);
        remember();
    });
    connect(&list_, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) { measure(first, last); });
    connect(&list_, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) { measure(first.row(), last.row()); });
    connect(&list_, &QAbstractItemModel::modelReset, this, &RunTable::measureAnew);
}

RunTable::~RunTable() {
    if (saving_.isActive()) keepColumns();
}

void RunTable::keepColumns() {
    keepSettings([this](QSettings& settings) { settings.setValue(kColumnsKey, unsaved_); });
}

void RunTable::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    if (!list_.grouping()) return;
    QPainter painter(viewport());
    const int first = std::max(0, rowAt(0)), bottom = rowAt(viewport()->height() - 1);
    const int last = bottom < 0 ? list_.rowCount() - 1 : bottom;
    for (int row = first; row <= last; ++row) {
        if (list_.rowAt(row).isGroup()) {
            paintGroup(painter, row);
        } else if (list_.rowAt(row).group) {
            // A line along the runs of a group shows its extent.
            painter.fillRect(3, rowViewportPosition(row), 2, rowHeight(row), look_.theme().line);
        }
    }
}

void RunTable::paintGroup(QPainter& painter, int row) {
    const QModelIndex index = list_.index(row, 0);
    QRect line(0, rowViewportPosition(row), viewport()->width(), rowHeight(row));
    const Theme& theme = look_.theme();
    painter.setFont(interFont(13));
    painter.setPen(theme.muted);
    for (const int section : shownSections()) {
        const int left = columnViewportPosition(section);
        const QString mean = list_.index(row, section).data(Qt::DisplayRole).toString();
        if (section == RunTableModel::Star || mean.isEmpty() || left < kLeastGroupTitle) continue;
        painter.drawText(QRect(left, line.top(), columnWidth(section) - kCellMargin, line.height()),
                         Qt::AlignVCenter | Qt::AlignRight, mean);
        line.setRight(std::min(line.right(), left));
    }
    const auto write = [&](int left, const QFont& font, const QColor& color, const QString& text) {
        painter.setFont(font);
        painter.setPen(color);
        const QFontMetrics metrics(font);
        const QRect room = line.adjusted(left, 0, -kGroupPadding, 0);
        painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(text, Qt::ElideRight, room.width()));
        return left + metrics.horizontalAdvance(text);
    };
    const bool open = index.data(RunListModel::GroupOpenRole).toBool();
    write(10, interFont(11), theme.muted, open ? QStringLiteral("▾") : QStringLiteral("▸"));
    const int right = write(kGroupArrow, interFont(13, Weight::Medium), theme.text,
                            index.data(RunListModel::GroupTitleRole).toString());
    write(right + kGroupPadding, interFont(12), theme.muted, index.data(RunListModel::GroupWordsRole).toString());
}

void RunTable::keyPressEvent(QKeyEvent* event) {
    const QModelIndex at = currentIndex();
    const bool left = event->key() == Qt::Key_Left, right = event->key() == Qt::Key_Right;
    if (at.isValid() && event->modifiers() == Qt::NoModifier && (left || right)) {
        const ListRow& row = list_.rowAt(at.row());
        if (row.isGroup()) return list_.setOpen(at.row(), right);
        if (row.group && left) {
            int group = at.row();
            while (!list_.rowAt(group).isGroup()) --group;
            return setCurrentIndex(list_.index(group, at.column()));
        }
    }
    QTableView::keyPressEvent(event);
}

void RunTable::mousePressEvent(QMouseEvent* event) {
    pressed_ = indexAt(event->pos());
    QTableView::mousePressEvent(event);
}

void RunTable::mouseReleaseEvent(QMouseEvent* event) {
    const int row = rowAt(event->pos().y());
    const bool onArrow = event->button() == Qt::LeftButton && row >= 0 && event->pos().x() < kGroupArrow;
    const RunGroupPtr group = onArrow && list_.rowAt(row).isGroup() ? list_.rowAt(row).group : nullptr;
    QTableView::mouseReleaseEvent(event);
    const QModelIndex at = indexAt(event->pos());
    const bool onStar = event->button() == Qt::LeftButton && event->modifiers() == Qt::NoModifier && at.isValid() &&
                        at.column() == RunTableModel::Star && !list_.rowAt(at.row()).isGroup();
    if (onStar && at == pressed_) emit starClicked(at.row());
    // Toggled from the state before the press, since some styles have opened the group by the click.
    if (group) list_.setOpen(row, !group->open);
}

RunColumn RunTable::columnAt(int section) const {
    if (section < RunTableModel::kColumns) return {.field = section};
    return {.key = list_.keyColumns()[section - RunTableModel::kColumns]};
}

RunColumns RunTable::columns() const {
    const QHeaderView& header = *horizontalHeader();
    RunColumns columns;
    for (int visual = 0; visual < header.count(); ++visual) {
        const int section = header.logicalIndex(visual);
        if (header.isSectionHidden(section)) continue;
        columns.push_back(columnAt(section));
        const int width = header.sectionSize(section);
        // Widths not set by the user are not stored but measured again, since the font may differ.
        if (!fitted_.contains(section)) columns.back().width = width;
    }
    // The last column is stretched to the room; 0 means that no width is stored.
    if (!columns.empty()) columns.back().width = 0;
    return columns;
}

void RunTable::setColumns(const RunColumns& columns) {
    arranging_ = true;
    QStringList keys;
    for (const RunColumn& column : columns) {
        if (column.field < 0) keys << column.key;
    }
    list_.setKeyColumns(keys);
    QHeaderView& header = *horizontalHeader();
    for (int section = 0; section < header.count(); ++section) {
        header.setSectionHidden(section, !hasColumn(columns, columnAt(section)));
    }
    int visual = 0;
    fitted_.clear();
    for (const RunColumn& column : columns) {
        const auto key = static_cast<int>(keys.indexOf(column.key));
        const int section = column.field >= 0 ? column.field : RunTableModel::kColumns + key;
        header.moveSection(header.visualIndex(section), visual++);
        const int width = column.width > 0 ? std::max(column.width, titleWidth(column)) : usualWidth(column);
        header.resizeSection(section, width);
        if (column.width == 0) fitted_[section] = width;
    }
    arranging_ = false;
    measureAnew();
}

void RunTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitColumns();
}

std::vector<int> RunTable::shownSections() const {
    const QHeaderView& header = *horizontalHeader();
    std::vector<int> shown;
    for (int visual = 0; visual < header.count(); ++visual) {
        const int section = header.logicalIndex(visual);
        if (!header.isSectionHidden(section)) shown.push_back(section);
    }
    return shown;
}

void RunTable::fitColumns() {
    QHeaderView& header = *horizontalHeader();
    const std::vector<int> shown = shownSections();
    std::vector<ColumnNeed> needs;
    for (const int section : shown) {
        const int now = header.sectionSize(section);
        ColumnNeed need{.usual = now, .content = now};
        const bool isLast = section == shown.back();
        if (fitted_.contains(section) || isLast) need = contents_.needOf(columnAt(section), section);
        need.takesRest = section == RunTableModel::Settings && !isLast && fitted_.contains(section);
        needs.push_back(need);
    }
    const std::vector<int> widths = fittedWidths(needs, viewport()->width());
    arranging_ = true;
    for (std::size_t i = 0; i + 1 < shown.size(); ++i) {
        const auto fitted = fitted_.find(shown[i]);
        if (fitted == fitted_.end()) continue;
        fitted->second = widths[i];
        header.resizeSection(shown[i], widths[i]);
    }
    arranging_ = false;
}

void RunTable::measure(int first, int last) {
    if (contents_.measure(list_, shownSections(), first, last)) fitColumns();
}

void RunTable::measureAnew() {
    if (arranging_) return;  // setColumns() measures at its end
    contents_ = {};
    (void)contents_.measure(list_, shownSections(), 0, list_.rowCount() - 1);
    fitColumns();
}

void RunTable::setOrder(const RunColumn& column, Qt::SortOrder direction) {
    const auto key = static_cast<int>(list_.keyColumns().indexOf(column.key));
    if (column.field < 0 && key < 0) return;
    sortByColumn(column.field >= 0 ? column.field : RunTableModel::kColumns + key, direction);
}

void RunTable::remember() {
    if (arranging_) return;
    unsaved_ = columnsToTexts(columns());
    saving_.start();
}

QAction* RunTable::addColumn(QMenu& menu, const QString& title, const RunColumn& column, const RunColumns& shown) {
    QAction* action = menu.addAction(title);
    action->setCheckable(true);
    action->setChecked(hasColumn(shown, column));
    action->setEnabled(shown.size() > 1 || !action->isChecked());
    connect(action, &QAction::triggered, this, [this, column] {
        RunColumns next = columns();
        toggleColumn(next, column);
        setColumns(next);
        remember();
    });
    return action;
}

void RunTable::fillColumnMenu(QMenu& menu) {
    const RunColumns shown = columns();
    clearMenu(menu);
    for (int field = 0; field < RunTableModel::kColumns; ++field) {
        addColumn(menu, RunTableModel::nameOf(field), {.field = field}, shown)
            ->setToolTip(list_.headerData(field, Qt::Horizontal, Qt::ToolTipRole).toString());
    }
    menu.addSeparator();
    addKeyMenus(*menu.addMenu(tr("settings of the configuration")), list_.fields().keys(),
                [&](QMenu& section, const QString& title, const QString& key) {
                    addColumn(section, title, {.key = key}, shown);
                });
    menu.addSeparator();
    if (currentIndex().isValid()) {
        const QString name = list_.headerData(currentIndex().column(), Qt::Horizontal, Qt::DisplayRole).toString();
        connect(menu.addAction(tr("Move %1 left\tAlt+Left").arg(name)), &QAction::triggered, this,
                [this] { moveColumn(-1); });
        connect(menu.addAction(tr("Move %1 right\tAlt+Right").arg(name)), &QAction::triggered, this,
                [this] { moveColumn(1); });
    }
    connect(menu.addAction(tr("Reset")), &QAction::triggered, this, [this] {
        setColumns(defaultColumns());
        remember();
    });
}

void RunTable::moveColumn(int by) {
    if (!currentIndex().isValid()) return;
    QHeaderView& header = *horizontalHeader();
    const int from = header.visualIndex(currentIndex().column());
    int to = from + by;
    while (to >= 0 && to < header.count() && header.isSectionHidden(header.logicalIndex(to))) to += by;
    if (to < 0 || to >= header.count()) return;
    header.moveSection(from, to);
    scrollTo(currentIndex());
}

void RunTable::addMoves() {
    const auto add = [this](const QString& text, const QKeySequence& keys, int by) {
        auto* action = new QAction(text, this);
        action->setToolTip(tr("The column of the cell that has the keyboard"));
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, [this, by] { moveColumn(by); });
        addAction(action);
    };
    add(tr("Move column left"), Qt::ALT | Qt::Key_Left, -1);
    add(tr("Move column right"), Qt::ALT | Qt::Key_Right, 1);
    addSortKey(*this);
}

void RunTable::showHeaderMenu(const QPoint& at) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillColumnMenu(*menu);
    menu->popup(horizontalHeader()->mapToGlobal(at));
}

}  // namespace dasgd::gui

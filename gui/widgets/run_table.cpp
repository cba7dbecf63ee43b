#include "gui/widgets/run_table.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/models/settings_file.h"
#include "gui/theme/theme.h"
#include "gui/widgets/sort_key.h"

namespace dasgd::gui {

namespace {

constexpr int kRunRowHeight = 36;
constexpr int kCellPadding = 14;  // of the style sheet and, in cells, 6 that the style leaves beside a text
constexpr int kStarWidth = 34;
constexpr int kGroupArrow = 26;  // where the words of a group begin
constexpr int kSavingMs = 400;
constexpr const char* kUsualSettings = "τ 4  d 3  ξ 0.25";  // are whole where there is little room
const QString kColumnsKey = QStringLiteral("runs/columns");

// The longest text that a column is expected to hold; longer ones are cut, with a tool tip.
constexpr std::array<const char*, RunTableModel::kColumns> kSamples{"★",
                                                                    "●   interrupted",
                                                                    "delay-period",
                                                                    "■ streaming_diloco",
                                                                    "τ 16  d 12  ξ 0.25  c 1",
                                                                    "1000",
                                                                    "128",
                                                                    "threads",
                                                                    "turn 10 of 12",
                                                                    "0:00:00 sim",
                                                                    "100 000",
                                                                    "6.54e-06",
                                                                    "100.0 %",
                                                                    "100.0 %",
                                                                    "1000.00 sim",
                                                                    "100 000 sim",
                                                                    "paper",
                                                                    "20261122-000000-independent-0000",
                                                                    "a note of some words",
                                                                    "0000000000",
                                                                    "a message of some words",
                                                                    "1000.00 sim",
                                                                    "1000.00 sim",
                                                                    "1.000",
                                                                    "100 000 000",
                                                                    "100.0 MB"};

}  // namespace

void clearMenu(QMenu& menu) {
    menu.clear();
    // clear() leaves the menus below.
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
    header.setMinimumSectionSize(kStarWidth);
    header.setContextMenuPolicy(Qt::CustomContextMenu);
    setColumns(columnsFromTexts(settingsFile().value(kColumnsKey).toStringList()));
    addMoves();
    saving_.setSingleShot(true);
    saving_.setInterval(kSavingMs);
    connect(&saving_, &QTimer::timeout, this, &RunTable::keepColumns);
    connect(&header, &QHeaderView::customContextMenuRequested, this, &RunTable::showHeaderMenu);
    connect(&header, &QHeaderView::sectionMoved, this, &RunTable::remember);
    connect(&header, &QHeaderView::sectionResized, this, [this](int section) {
        if (section == RunTableModel::Settings && !arranging_) givenSettings_ = 0;
        remember();
    });
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
            // A rail along the runs of a group says where it ends.
            painter.fillRect(3, rowViewportPosition(row), 2, rowHeight(row), look_.theme().line);
        }
    }
}

void RunTable::paintGroup(QPainter& painter, int row) {
    const QModelIndex index = list_.index(row, 0);
    const QRect line(0, rowViewportPosition(row), viewport()->width(), rowHeight(row));
    const Theme& theme = look_.theme();
    const auto write = [&](int left, const QFont& font, const QColor& color, const QString& text) {
        painter.setFont(font);
        painter.setPen(color);
        const QFontMetrics metrics(font);
        const QRect room = line.adjusted(left, 0, -kCellPadding, 0);
        painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(text, Qt::ElideRight, room.width()));
        return left + metrics.horizontalAdvance(text);
    };
    const bool open = index.data(RunListModel::GroupOpenRole).toBool();
    write(10, interFont(11), theme.muted, open ? QStringLiteral("▾") : QStringLiteral("▸"));
    const int right = write(kGroupArrow, interFont(13, Weight::Medium), theme.text,
                            index.data(RunListModel::GroupTitleRole).toString());
    write(right + kCellPadding, interFont(12), theme.muted, index.data(RunListModel::GroupWordsRole).toString());
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
    // As it was before: some styles have opened it with the click.
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
        if (section == RunTableModel::Settings && width == givenSettings_) continue;
        // One that nobody has set is measured anew the next time: the font may be another.
        if (width != neededWidth(columns.back())) columns.back().width = width;
    }
    // The last one is as wide as there is room.
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
    for (const RunColumn& column : columns) {
        const auto key = static_cast<int>(keys.indexOf(column.key));
        const int section = column.field >= 0 ? column.field : RunTableModel::kColumns + key;
        header.moveSection(header.visualIndex(section), visual++);
        header.resizeSection(section,
                             column.width > 0 ? std::max(column.width, titleWidth(column)) : neededWidth(column));
    }
    arranging_ = false;
    const bool isSet = std::ranges::any_of(
        columns, [](const RunColumn& one) { return one.field == RunTableModel::Settings && one.width > 0; });
    givenSettings_ = isSet ? 0 : header.sectionSize(RunTableModel::Settings);
    fitSettings();
}

void RunTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitSettings();
}

void RunTable::fitSettings() {
    QHeaderView& header = *horizontalHeader();
    constexpr int kSettings = RunTableModel::Settings;
    if (givenSettings_ == 0 || header.isSectionHidden(kSettings)) return;
    std::vector<int> shown;
    for (int visual = 0; visual < header.count(); ++visual) {
        const int section = header.logicalIndex(visual);
        if (!header.isSectionHidden(section)) shown.push_back(section);
    }
    if (shown.back() == kSettings) return;  // as wide as there is room
    const int needed = neededWidth({.field = kSettings});
    const int least = std::min(needed, widthOf(QString::fromUtf8(kUsualSettings)));
    int rest = viewport()->width();
    bool whole = true, isReached = false;
    for (const int section : shown) {
        const int width = section == kSettings      ? least
                          : section == shown.back() ? neededWidth(columnAt(section))
                                                    : header.sectionSize(section);
        whole = width <= rest;
        if (!whole) break;
        rest -= width;
        isReached = isReached || section == kSettings;
    }
    givenSettings_ = !isReached ? needed : whole ? std::min(needed, least + rest) : least + rest;
    arranging_ = true;
    header.resizeSection(kSettings, givenSettings_);
    arranging_ = false;
}

void RunTable::setOrder(const RunColumn& column, Qt::SortOrder direction) {
    const auto key = static_cast<int>(list_.keyColumns().indexOf(column.key));
    if (column.field < 0 && key < 0) return;
    sortByColumn(column.field >= 0 ? column.field : RunTableModel::kColumns + key, direction);
}

int RunTable::titleWidth(const RunColumn& column) {
    if (column.field == RunTableModel::Star) return kStarWidth;
    const QString title = column.field >= 0 ? RunTableModel::nameOf(column.field) : column.key.section(u'.', -1);
    // Sorted by, the title has an arrow. A text that is wider by part of a pixel is cut.
    const double needed = QFontMetricsF(interFont(12, Weight::Medium)).horizontalAdvance(title + QStringLiteral(" ↓"));
    return static_cast<int>(std::ceil(needed)) + kCellPadding;
}

int RunTable::neededWidth(const RunColumn& column) {
    if (column.field == RunTableModel::Star) return kStarWidth;
    const QString sample =
        column.field >= 0 ? QString::fromUtf8(kSamples[static_cast<std::size_t>(column.field)]) : QString(9, u'0');
    return std::max(titleWidth(column), widthOf(sample));
}

int RunTable::widthOf(const QString& cell) {
    return static_cast<int>(std::ceil(QFontMetricsF(interFont(13)).horizontalAdvance(cell))) + kCellPadding;
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
    connect(menu.addAction(tr("As at first")), &QAction::triggered, this, [this] {
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

#include "gui/runs/run_view_keeper.h"

#include <utility>

namespace dasgd::gui {

namespace {

constexpr int kViewSavingMs = 400;

RunColumn columnOf(const RunOrder& order) {
    if (!order.key.empty()) return {.key = QString::fromStdString(order.key)};
    return {.field = order.column};
}

}  // namespace

RunViewKeeper::RunViewKeeper(std::filesystem::path workspace, RunListModel& list, QLineEdit& filter,
                             GroupButton& groups, RunTable& table)
    : QObject(&table), workspace_(std::move(workspace)), view_(keptRunView(workspace_)) {
    table.setOrder(view_.column, view_.direction);
    groups.groupBy(view_.grouping);
    filter.setText(view_.filter);
    saving_.setSingleShot(true);
    saving_.setInterval(kViewSavingMs);
    connect(&saving_, &QTimer::timeout, this, [this] { keepRunView(workspace_, view_); });
    const auto note = [this, &list, &filter, &groups] {
        view_ = {.filter = filter.text(),
                 .grouping = groups.grouping(),
                 .column = columnOf(list.order()),
                 .direction = list.order().direction};
        saving_.start();
    };
    connect(&filter, &QLineEdit::textChanged, this, note);
    connect(&groups, &GroupButton::grouped, this, note);
    // The list emits this after it has been sorted.
    connect(&list, &QAbstractItemModel::headerDataChanged, this, note);
}

RunViewKeeper::~RunViewKeeper() {
    if (saving_.isActive()) keepRunView(workspace_, view_);
}

}  // namespace dasgd::gui

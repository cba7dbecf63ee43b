// What the command palette offers: actions, pages, runs. Typed words narrow it; all of them must be in a row.
#pragma once

#include <QAbstractListModel>
#include <functional>
#include <vector>

#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

struct Command {
    QString title;
    QString words;  // more of it, below the title: what it does, where a run stands
    QString keys;   // "Ctrl+E"; "" where it has none
    std::function<void()> carryOut;
};

class CommandListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { WordsRole = Qt::UserRole, KeysRole };
    static constexpr std::size_t kMostShown = 40;

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    // Takes the place of all that was offered; `open` is asked for a run when its row is carried out. Runs show once
    // something is typed, the newest first, after the commands.
    void offer(std::vector<Command> commands, std::vector<RunItemPtr> runs, std::function<void(const QString&)> open);
    void setText(const QString& text);
    void carryOut(int row);

private:
    void refresh();

    std::vector<Command> commands_;
    std::vector<RunItemPtr> runs_;
    std::function<void(const QString&)> open_;
    QString text_;
    std::vector<Command> shown_;
};

}  // namespace dasgd::gui

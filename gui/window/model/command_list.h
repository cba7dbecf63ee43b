// Rows of the command palette: actions, pages, runs. Rows contain all typed words, or what other programs call them
// ("delete" finds Archive).
#pragma once

#include <QAbstractListModel>
#include <functional>
#include <vector>

#include "gui/data/runs/run_item.h"

namespace dasgd::gui {

struct PaletteCommand {
    QString title;
    QString words;  // details below the title: its effect, or the state of a run
    QString keys;   // "Ctrl+E"; "" if it has no shortcut
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

    // Replaces all rows; `open` is called with a run's id when its row is carried out. Runs show only once something is
    // typed, newest first, after the commands.
    void offer(std::vector<PaletteCommand> commands, std::vector<RunItemPtr> runs,
               std::function<void(const QString&)> open);
    void setText(const QString& text);
    void carryOut(int row);

private:
    void refresh();

    std::vector<PaletteCommand> commands_;
    std::vector<RunItemPtr> runs_;
    std::function<void(const QString&)> open_;
    QString text_;
    std::vector<PaletteCommand> shown_;
};

}  // namespace dasgd::gui

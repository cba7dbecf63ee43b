// Every action by its name: typed words find actions of the page and of the window, pages, and runs. Over the window,
// until something is chosen, Escape is pressed or the focus goes elsewhere.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPointer>

#include "gui/models/palette/command_list.h"
#include "gui/theme/theme.h"

namespace dasgd::gui {

// The buttons of a page that can be pressed now, as commands: their words, and the keys that their tool tips end with.
// The actions of its widgets that have keys too: a shortcut, or in their text behind a tab where the widget takes the
// key.
[[nodiscard]] std::vector<Command> commandsOf(QWidget& page);

class CommandPalette : public QFrame {
    Q_OBJECT

public:
    CommandPalette(QWidget& window, const Look& look);
    void open(std::vector<Command> commands, std::vector<RunItemPtr> runs, std::function<void(const QString&)> openRun);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void carryOut(const QModelIndex& index);
    void close();

    CommandListModel* model_;
    QLineEdit* field_;
    QListView* list_;
    QLabel* nothing_;           // in its place where nothing matches
    QPointer<QWidget> before_;  // what had the focus
};

}  // namespace dasgd::gui

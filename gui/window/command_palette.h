// PaletteCommand palette: typed words find actions of the page and of the window, pages, and runs. It lies over the
// window until something is chosen, Escape is pressed or the focus goes elsewhere.
#pragma once

#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPointer>

#include "gui/kit/theme/theme.h"
#include "gui/window/model/command_list.h"

namespace dasgd::gui {

// Commands of a page. Its enabled buttons, with their text and the keys at the end of their tool tips; and the actions
// of its widgets that have keys: a shortcut, or a key behind a tab in the text if the widget handles it.
[[nodiscard]] std::vector<PaletteCommand> commandsOf(QWidget& page);

class CommandPalette : public QFrame {
    Q_OBJECT

public:
    CommandPalette(QWidget& window, const Look& look);
    void open(std::vector<PaletteCommand> commands, std::vector<RunItemPtr> runs,
              std::function<void(const QString&)> openRun);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void carryOut(const QModelIndex& index);
    void close();

    CommandListModel* model_;
    QLineEdit* field_;
    QListView* list_;
    QLabel* nothing_;           // shown in place of the list if nothing matches
    QPointer<QWidget> before_;  // widget that had the focus before
};

}  // namespace dasgd::gui

#include "gui/window/model/command_list.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

bool holdsAll(const QString& text, const QStringList& words) {
    return std::all_of(words.begin(), words.end(),
                       [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

int CommandListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant CommandListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const PaletteCommand& command = shown_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole: return command.title;
        case WordsRole: return command.words;
        case KeysRole: return command.keys;
        case Qt::AccessibleTextRole:
            return QStringList{command.title, command.words, command.keys}.join(u' ').simplified();
        default: return {};
    }
}

void CommandListModel::offer(std::vector<PaletteCommand> commands, std::vector<RunItemPtr> runs,
                             std::function<void(const QString&)> open) {
    commands_ = std::move(commands);
    runs_ = std::move(runs);
    open_ = std::move(open);
    std::sort(runs_.begin(), runs_.end(),
              [](const RunItemPtr& a, const RunItemPtr& b) { return a->row.startedAt > b->row.startedAt; });
    text_.clear();
    refresh();
}

void CommandListModel::setText(const QString& text) {
    text_ = text;
    refresh();
}

void CommandListModel::refresh() {
    const QStringList words = text_.toLower().split(u' ', Qt::SkipEmptyParts);
    beginResetModel();
    shown_.clear();
    // Commands with the words in the title come before those with them in the details.
    std::vector<PaletteCommand> others;
    for (const PaletteCommand& command : commands_) {
        if (holdsAll(command.title, words)) {
            shown_.push_back(command);
        } else if (holdsAll(command.title + u' ' + command.words, words)) {
            others.push_back(command);
        }
    }
    std::move(others.begin(), others.end(), std::back_inserter(shown_));
    for (auto run = runs_.begin(); !words.isEmpty() && run != runs_.end() && shown_.size() < kMostShown; ++run) {
        if (!holdsAll((*run)->haystack, words)) continue;
        const RunItem& item = **run;
        QStringList name{QString::fromStdString(item.row.experiment), QString::fromStdString(item.row.algorithm)};
        name.removeAll(QString());
        name.removeDuplicates();
        QStringList about{stateInWords(item.row), item.settings, QStringLiteral("seed %1").arg(item.row.seed), item.id};
        about.removeAll(QString());
        shown_.push_back({.title = name.join(QStringLiteral("  ·  ")),
                          .words = about.join(QStringLiteral("  ·  ")),
                          .carryOut = [open = open_, id = item.id] { open(id); }});
    }
    if (shown_.size() > kMostShown) shown_.resize(kMostShown);
    endResetModel();
}

void CommandListModel::carryOut(int row) {
    if (row < 0 || row >= rowCount()) return;
    // Copied, as the command may call offer() and replace the rows.
    const auto what = shown_[static_cast<std::size_t>(row)].carryOut;
    what();
}

}  // namespace dasgd::gui

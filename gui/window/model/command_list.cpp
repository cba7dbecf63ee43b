#include "gui/window/model/command_list.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

bool holdsAll(const QString& text, const QStringList& words) {
    return std::all_of(words.begin(), words.end(),
                       [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

// Words that other programs have for an action here.
struct Synonym {
    const char* asked;
    const char* called;
};
constexpr Synonym kSynonyms[]{
    {"continue", "resume"},      {"restart", "run again"},   {"rerun", "run again"},     {"delete", "archive"},
    {"remove", "archive"},       {"trash", "archive"},       {"clone", "duplicate"},     {"clone", "same again"},
    {"copy", "duplicate"},       {"rename", "another name"}, {"help", "shortcuts"},      {"keys", "shortcuts"},
    {"keyboard", "shortcuts"},   {"download", "export"},     {"dark", "theme"},          {"undo", "take back"},
    {"cancel", "stop"},          {"kill", "stop"},           {"start", "run and watch"}, {"train", "run and watch"},
    {"launch", "run and watch"}, {"folder", "workspace"},    {"gantt", "timeline"},      {"scaling", "what if"},
    {"reports", "what if"}};

// A word counts from its third letter on, so that an action is found while the word is typed.
constexpr qsizetype kLeastOfSynonym = 3;

bool isCalled(const QString& title, const QString& word) {
    return word.size() >= kLeastOfSynonym && std::ranges::any_of(kSynonyms, [&](const Synonym& synonym) {
               return QLatin1String(synonym.asked).startsWith(word, Qt::CaseInsensitive) &&
                      title.contains(QLatin1String(synonym.called), Qt::CaseInsensitive);
           });
}

bool matches(const PaletteCommand& command, const QStringList& words) {
    const QString text = command.title + u' ' + command.words;
    return std::ranges::all_of(words, [&](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive) || isCalled(command.title, word);
    });
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
    // Commands with the words in the title come before those with them in the details, or with another word for it.
    std::vector<PaletteCommand> others;
    for (const PaletteCommand& command : commands_) {
        if (holdsAll(command.title, words)) {
            shown_.push_back(command);
        } else if (matches(command, words)) {
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

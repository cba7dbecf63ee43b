#include "gui/figures/model/figure_list_model.h"

#include <algorithm>

namespace dasgd::gui {

FigureListModel::FigureListModel(FigureLibrary& library, QObject* parent)
    : QAbstractListModel(parent), library_(library) {
    connect(&library_, &FigureLibrary::changed, this, [this] { refresh(); });
    connect(&library_.news(), &FigureNews::changed, this, [this] {
        if (!shown_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
    });
    refresh();
}

int FigureListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant FigureListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const SavedFigure& figure = shown_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole: return figure.title();
        case NameRole: return figure.name;
        case WordsRole: return wordsOf(figure).first;
        case ToneRole: return wordsOf(figure).second;
        case Qt::ToolTipRole: return figure.error.isEmpty() ? library_.pathOf(figure.name) : figure.error;
        case Qt::AccessibleTextRole: return figure.title() + QStringLiteral(", ") + wordsOf(figure).first;
        default: return {};
    }
}

std::pair<QString, QString> FigureListModel::wordsOf(const SavedFigure& figure) const {
    auto words = stateOf(figure);
    // Figures with equal titles also show their names.
    if (library_.titleOf(figure.name) != figure.title()) words.first.prepend(figure.name + QStringLiteral(" · "));
    return words;
}

std::pair<QString, QString> FigureListModel::stateOf(const SavedFigure& figure) const {
    if (!figure.error.isEmpty()) return {tr("cannot be read"), QStringLiteral("bad")};
    if (const FigureState* state = library_.news().stateOf(figure.name)) {
        if (!state->error.isEmpty()) return {tr("its filter is wrong"), QStringLiteral("bad")};
        const auto gone = state->missing.size();
        if (gone > 0) {
            return {gone == 1 ? tr("a run of it is gone") : tr("%1 runs of it are gone").arg(gone),
                    QStringLiteral("warn")};
        }
        if (const QString news = library_.news().newsOf(figure.name); !news.isEmpty())
            return {tr("redrawn: %1").arg(news), QStringLiteral("accent")};
        if (state->runs == 0) return {tr("no runs yet"), {}};
    }
    return {QStringLiteral("%1 %2 in")
                .arg(QLatin1String(figure.spec.venueOf().title))
                .arg(figure.spec.inchesWide(), 0, 'f', 2),
            {}};
}

void FigureListModel::setFilter(const QString& text) {
    filter_ = text.trimmed();
    refresh();
}

int FigureListModel::rowOf(const QString& name) const {
    const auto found =
        std::find_if(shown_.begin(), shown_.end(), [&](const SavedFigure& figure) { return figure.name == name; });
    return found == shown_.end() ? -1 : static_cast<int>(found - shown_.begin());
}

void FigureListModel::refresh() {
    std::vector<SavedFigure> next;
    std::copy_if(library_.figures().begin(), library_.figures().end(), std::back_inserter(next),
                 [this](const SavedFigure& figure) {
                     return filter_.isEmpty() || figure.title().contains(filter_, Qt::CaseInsensitive) ||
                            figure.name.contains(filter_, Qt::CaseInsensitive);
                 });
    const bool sameRows = std::equal(next.begin(), next.end(), shown_.begin(), shown_.end(),
                                     [](const SavedFigure& a, const SavedFigure& b) { return a.name == b.name; });
    if (sameRows) {
        shown_ = std::move(next);
        if (!shown_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
        return;
    }
    beginResetModel();
    shown_ = std::move(next);
    endResetModel();
}

}  // namespace dasgd::gui

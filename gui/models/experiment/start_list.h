// What an experiment can begin with: the configurations of recorded runs, and presets. A head row above each kind.
#pragma once

#include <QAbstractListModel>
#include <QDateTime>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/models/experiment/presets.h"
#include "gui/models/experiment/series_document.h"
#include "gui/models/runs/run_item.h"
#include "gui/models/words.h"

namespace dasgd::gui {

struct Start {
    enum class Kind { Head, Kept, Recent, Preset };
    Kind kind = Kind::Head;
    QString title;
    QString words;   // one line below the title
    QString tip;     // more, for a tool tip
    QString text;    // TOML
    QString folder;  // where relative paths in the text begin; "" for nowhere
};

// The settings of a recorded run, and the folder that it lies in where its text names a file there.
[[nodiscard]] Start startFrom(const RunItem& run, const std::filesystem::path& workspace);
// The sweep that these runs of one series are of, with the settings and the folder of one of them; nullopt where their
// settings make none (seriesDocument()).
[[nodiscard]] std::optional<Start> startFromSeries(std::span<const RunItemPtr> runs,
                                                   const std::filesystem::path& workspace);

// Of one run, or of the runs of one sweep; nullopt where they make none: several of no sweep, an imported trace, none.
[[nodiscard]] std::optional<Start> startFromRuns(std::span<const RunItemPtr> runs,
                                                 const std::filesystem::path& workspace);

class StartList : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { WordsRole = Qt::UserRole, HeadRole, ShownRole };
    static constexpr int kRecent = 6;

    explicit StartList(std::vector<Preset> presets, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

    // Of each experiment the sweep of its newest series, else its newest run; the newest kRecent of them. `now` says
    // how long ago that was. What jobs made for an experiment (isOfJob()) is left out.
    void setRuns(const std::vector<RunItemPtr>& runs, const std::filesystem::path& workspace, const QDateTime& now);
    // Texts that were written here and not saved.
    void setKept(const std::vector<Start>& kept);
    void setFilter(const QString& filter);
    // The text of the start that the page shows, "" where that was none of these: its row has the ShownRole.
    void setShown(const QString& text);
    [[nodiscard]] const Start& at(int row) const { return shown_[static_cast<std::size_t>(row)]; }

private:
    // What was made of a series, until its runs are others.
    struct Remade {
        QStringList ids;
        std::optional<SeriesDocument> document;
    };
    void refresh();
    // Of the newest series of an experiment with these runs.
    [[nodiscard]] Remade remade(const RunItem& newest, const std::vector<RunItemPtr>& runs) const;

    std::map<std::string, Remade> remade_;  // by experiment
    std::vector<Start> kept_, recent_, presets_, shown_;
    QString filter_, shownText_;
};

}  // namespace dasgd::gui

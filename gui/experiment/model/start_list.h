// List of starting points for an experiment: unsaved texts, recorded runs and presets, each kind below a heading row.
#pragma once

#include <QAbstractListModel>
#include <QDateTime>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/data/runs/run_item.h"
#include "gui/experiment/model/document/presets.h"
#include "gui/experiment/model/document/series_document.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

struct Start {
    enum class Kind { Head, Kept, Recent, Preset };
    Kind kind = Kind::Head;
    QString title;
    QString words;   // one line below the title
    QString tip;     // more, for a tool tip
    QString text;    // further lines for a tool tip
    QString folder;  // base of relative paths in the text; "" for none
};

// The settings of a recorded run; its folder if its text names a file in it.
[[nodiscard]] Start startFrom(const RunItem& run, const std::filesystem::path& workspace);
// The sweep of these runs of one series, with the settings and the folder of one of them; nullopt if their settings
// form none (seriesDocument()).
[[nodiscard]] std::optional<Start> startFromSeries(std::span<const RunItemPtr> runs,
                                                   const std::filesystem::path& workspace);

// Start from one run, or from the runs of one sweep; nullopt for several runs of no sweep, an imported trace, or no
// run.
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

    // Lists for each experiment the sweep of its newest series, else its newest run; the kRecent newest of these. `now`
    // is for their age in words. Runs that jobs made (isOfJob()) are left out.
    void setRuns(const std::vector<RunItemPtr>& runs, const std::filesystem::path& workspace, const QDateTime& now);
    // Sets the list of unsaved texts.
    void setKept(const std::vector<Start>& kept);
    void setFilter(const QString& filter);
    // Gives the ShownRole to the row of the start on the page, identified by its text; "" for none.
    void setShown(const QString& text);
    // The preset to begin with where nothing was chosen; null if there are no presets.
    [[nodiscard]] const Start* firstPreset() const { return presets_.empty() ? nullptr : &presets_.front(); }
    [[nodiscard]] const Start& at(int row) const { return shown_[static_cast<std::size_t>(row)]; }

private:
    // Cached sweep of a series, valid while it has the same runs.
    struct Remade {
        QStringList ids;
        std::optional<SeriesDocument> document;
    };
    void refresh();
    // Sweep of the newest series among these runs of an experiment.
    [[nodiscard]] Remade remade(const RunItem& newest, const std::vector<RunItemPtr>& runs) const;

    std::map<std::string, Remade> remade_;  // by experiment
    std::vector<Start> kept_, recent_, presets_, shown_;
    QString filter_, shownText_;
};

}  // namespace dasgd::gui

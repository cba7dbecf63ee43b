// State of the Scaling view: the lines of the workspace, those that are drawn, and their points as far as they are
// read. UI thread.
#pragma once

#include <QObject>
#include <QSet>
#include <QTimer>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gui/data/session/session.h"
#include "gui/scaling/model/scaling.h"
#include "gui/scaling/model/times_query.h"

namespace dasgd::gui {

class ScalingBoard : public QObject {
    Q_OBJECT

public:
    explicit ScalingBoard(Session& session, QObject* parent = nullptr);

    // While off nothing is read or computed.
    void setWatching(bool watching);
    void setScaling(Scaling scaling);  // forgets the choice of lines
    void setTarget(const std::optional<Target>& target);
    [[nodiscard]] Scaling scaling() const { return scaling_; }
    [[nodiscard]] const std::optional<Target>& target() const { return target_; }

    [[nodiscard]] const std::vector<ScalingLine>& lines() const { return lines_; }
    [[nodiscard]] bool isChosen(const std::string& key) const { return chosen_.contains(key); }
    // After the first call, lines are no longer chosen automatically.
    void choose(const std::vector<std::string>& keys, bool chosen);

    [[nodiscard]] const std::vector<DrawnLine>& drawn() const { return drawn_; }
    [[nodiscard]] const DrawnLine* drawnOf(const std::string& key) const;  // null if it is not drawn
    // Number of runs of drawn lines whose times are not read yet.
    [[nodiscard]] int missing() const { return missing_; }
    // All runs of the workspace are in the lines.
    [[nodiscard]] bool upToDate() const { return !stale_; }
    // Ids of all runs behind the drawn points.
    [[nodiscard]] QStringList runIds() const;

signals:
    void linesChanged();
    void drawnChanged();

private:
    void later();
    void gather();
    void redraw();

    Session& session_;
    TimesQuery& timesQuery_;
    QTimer pending_;
    bool watching_ = false, stale_ = true, own_ = false;
    Scaling scaling_ = Scaling::Weak;
    std::optional<Target> target_;
    std::vector<ScalingLine> lines_;
    std::set<std::string> chosen_;
    std::vector<DrawnLine> drawn_;
    TimesById times_;
    QSet<QString> asked_;  // requested from the reader and not read yet
    int missing_ = 0;
};

}  // namespace dasgd::gui

// How the runs of each saved figure are, and what came since the figure was looked at. Kept whether or not the page of
// the figures is open. UI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <vector>

namespace dasgd::gui {

// Of one figure, as its runs are now.
struct FigureState {
    QString name;
    int runs = 0;
    QStringList missing;
    QString error;  // of its filter
    bool operator==(const FigureState&) const = default;
};

class FigureNews : public QObject {
    Q_OBJECT

public:
    // The states of all figures. What a figure has when it is first among them is no news.
    void setStates(const std::vector<FigureState>& states);
    // What the figure shows now has been seen: later runs are new.
    void look(const QString& name);
    // Null until it is known.
    [[nodiscard]] const FigureState* stateOf(const QString& name) const;
    // "2 new runs"; "" where nothing happened.
    [[nodiscard]] QString newsOf(const QString& name) const;

signals:
    void changed();

private:
    std::map<QString, FigureState> states_;
    std::map<QString, int> seen_;  // how many runs each had when it was looked at
};

}  // namespace dasgd::gui

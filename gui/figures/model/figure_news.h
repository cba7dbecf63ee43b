// State of each saved figure's runs, and the number of new runs since the figure was viewed. Kept up to date also while
// the Figures page is closed. UI thread.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <vector>

namespace dasgd::gui {

// Runs of one figure as they are now.
struct FigureState {
    QString name;
    int runs = 0;
    QStringList missing;
    QString error;  // error in its filter
    bool operator==(const FigureState&) const = default;
};

class FigureNews : public QObject {
    Q_OBJECT

public:
    // Sets the states of all figures. The runs of a figure that appears for the first time are no news.
    void setStates(const std::vector<FigureState>& states);
    // Marks the present runs of the figure as seen; later ones are news.
    void look(const QString& name);
    // Null until setStates() has named the figure.
    [[nodiscard]] const FigureState* stateOf(const QString& name) const;
    // "2 new runs"; "" if there are none.
    [[nodiscard]] QString newsOf(const QString& name) const;

signals:
    void changed();

private:
    std::map<QString, FigureState> states_;
    std::map<QString, int> seen_;  // number of runs when the figure was last viewed
};

}  // namespace dasgd::gui

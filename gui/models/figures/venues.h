// Where a figure is printed: how wide a column is, and how large its text.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace dasgd::gui {

// Widths in inches, text in points.
struct Venue {
    const char* id;     // in files: "neurips"
    const char* title;  // for people: "NeurIPS"
    double columnIn;    // of venues with one column: half of it, for two figures side by side
    double fullIn;
    int bodyPt, captionPt;
    int labelPt, tickPt;  // of a figure's labels and of the numbers at its axes
    bool twoColumns;
};

// In the order in which they are offered.
[[nodiscard]] const std::vector<Venue>& venues();
// Null where there is none of this id.
[[nodiscard]] const Venue* findVenue(const QString& id);
[[nodiscard]] QStringList venueIds();

}  // namespace dasgd::gui

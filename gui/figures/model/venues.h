// Print formats of publication venues: column widths and text sizes.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace dasgd::gui {

// Widths in inches, text sizes in points.
struct Venue {
    const char* id;     // in files: "neurips"
    const char* title;  // for people: "NeurIPS"
    double columnIn;    // for venues with one column: half of it, for two figures side by side
    double fullIn;
    int bodyPt, captionPt;
    int labelPt, tickPt;  // labels and axis numbers of a figure
    bool twoColumns;
};

// Ordered as they are offered.
[[nodiscard]] const std::vector<Venue>& venues();
// Null if the id is unknown.
[[nodiscard]] const Venue* findVenue(const QString& id);
[[nodiscard]] QStringList venueIds();

}  // namespace dasgd::gui

#include "gui/figures/model/venues.h"

#include <algorithm>

namespace dasgd::gui {

namespace {

// The point of TeX, which the classes measure in; a PDF's point is 1/72 in.
constexpr double kTexPointsPerInch = 72.27;

constexpr double fromTex(double points) { return points / kTexPointsPerInch; }
constexpr double fromCm(double cm) { return cm / 2.54; }

}  // namespace

const std::vector<Venue>& venues() {
    static const std::vector<Venue> kVenues{
        // neurips_2024.sty: \textwidth 5.5in, body 10 pt. Half of it leaves 0.2 in between two figures.
        {"neurips", "NeurIPS", 2.65, 5.5, 10, 10, 8, 7, false},
        // icml2024.sty: \textwidth 6.75in, \columnsep 0.25in, captions 9 pt.
        {"icml", "ICML", 3.25, 6.75, 10, 9, 8, 7, true},
        // iclr2024_conference.sty: \textwidth 5.5in.
        {"iclr", "ICLR", 2.65, 5.5, 10, 10, 8, 7, false},
        // *ACL formatting.md: A4 with margins of 2.5 cm, columns of 7.7 cm, 0.6 cm apart; body 11 pt, captions 10 pt.
        {"acl", "ACL", fromCm(7.7), fromCm(16), 11, 10, 9, 8, true},
        // IEEEtran.cls: \textwidth 43pc, \columnsep 1pc; captions are \footnotesize, 8 pt, the least IEEE accepts in a
        // figure too.
        {"ieee", "IEEE", fromTex(21 * 12), fromTex(43 * 12), 10, 8, 8, 8, true},
        // acmart.cls, sigconf: letter paper with margins of 54 pt, \columnsep 2pc; body 9 pt.
        {"acm", "ACM", fromTex((8.5 * kTexPointsPerInch - 108 - 24) / 2), fromTex(8.5 * kTexPointsPerInch - 108), 9, 9,
         8, 7, true},
    };
    return kVenues;
}

const Venue* findVenue(const QString& id) {
    const auto found = std::find_if(venues().begin(), venues().end(),
                                    [&](const Venue& venue) { return id == QLatin1String(venue.id); });
    return found == venues().end() ? nullptr : &*found;
}

QStringList venueIds() {
    QStringList ids;
    for (const Venue& venue : venues()) ids << QLatin1String(venue.id);
    return ids;
}

}  // namespace dasgd::gui

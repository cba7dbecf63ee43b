#include "gui/figures/model/venues.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(Venues, WidthsAreThoseOfTheClasses) {
    EXPECT_EQ(findVenue(QStringLiteral("neurips"))->fullIn, 5.5);
    EXPECT_EQ(findVenue(QStringLiteral("icml"))->columnIn, 3.25);
    EXPECT_NEAR(findVenue(QStringLiteral("acl"))->columnIn, 7.7 / 2.54, 1e-9);
    EXPECT_NEAR(findVenue(QStringLiteral("ieee"))->columnIn * 72.27, 252, 1e-9) << "\\columnwidth of IEEEtran";
    EXPECT_NEAR(findVenue(QStringLiteral("acm"))->columnIn * 72.27, 241.1475, 1e-3) << "\\columnwidth of sigconf";
    EXPECT_EQ(findVenue(QStringLiteral("nature")), nullptr);
}

TEST(Venues, NoTextIsSmallerThanAVenueAccepts) {
    EXPECT_EQ(venueIds().size(), static_cast<qsizetype>(venues().size()));
    for (const Venue& venue : venues()) {
        EXPECT_GE(venue.tickPt, 7) << venue.id;
        EXPECT_GE(venue.labelPt, venue.tickPt) << venue.id;
        EXPECT_LT(venue.columnIn, venue.fullIn) << venue.id;
    }
}

}  // namespace
}  // namespace dasgd::gui

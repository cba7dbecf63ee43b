#include "core/comm/group_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Group groupOf(std::vector<Rank> members) {
    Group group;
    group.members = std::move(members);
    return group;
}

TEST(GroupPlaces, AreThoseInTheGroupThatWasSplitNotInTheRun) {
    const Group whole = groupOf({Rank{6}, Rank{2}, Rank{4}, Rank{0}});
    EXPECT_THAT(placesOf(groupOf({Rank{0}, Rank{6}, Rank{4}}), whole), ElementsAre(Rank{3}, Rank{0}, Rank{2}))
        << "in the order of the part";
    EXPECT_THAT(placesOf(whole, whole), ElementsAre(Rank{0}, Rank{1}, Rank{2}, Rank{3}));
    EXPECT_THAT(placesOf(groupOf({Rank{2}}), Group::whole(Rank{1}, 4)), ElementsAre(Rank{2}));
    EXPECT_THAT(placesOf(groupOf({}), whole), IsEmpty());
}

}  // namespace
}  // namespace dasgd::test

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "gui/kit/parts/page.h"

namespace dasgd::gui {
namespace {

TEST(ExtraPage, HasAPlaceInTheRail) {
    EXPECT_TRUE(std::ranges::any_of(PageRegistry::entries(), [](const PageRegistry::Entry& entry) {
        return std::string_view(entry.info.title) == "Extra";
    }));
}

}  // namespace
}  // namespace dasgd::gui

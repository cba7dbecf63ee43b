#include "core/algorithms/server/zip_line.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/support/paths.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

// The least spread over all combinations of three workers' instants.
Ns leastOfAll(const std::vector<std::vector<Ns>>& instants) {
    Ns least = INT64_MAX;
    for (const Ns a : instants[0]) {
        for (const Ns b : instants[1]) {
            for (const Ns c : instants[2]) least = std::min(least, std::max({a, b, c}) - std::min({a, b, c}));
        }
    }
    return least;
}

TEST(ZipLine, IsTheBestOfAllCombinations) {
    std::mt19937 random(11);
    for (int setting = 0; setting < 500; ++setting) {
        std::vector<std::vector<Ns>> instants(3);
        for (auto& own : instants) {
            const Ns start = random() % 100, interval = 1 + random() % 50;
            for (unsigned r = 0; r < 1 + random() % 8; ++r) own.push_back(start + r * interval);
        }
        const ZipLineChoice choice = zipLine(instants);
        EXPECT_EQ(choice.spread, leastOfAll(instants)) << "setting " << setting;
        std::vector<Ns> chosen;
        for (std::size_t i = 0; i < 3; ++i)
            chosen.push_back(instants[i].at(static_cast<std::size_t>(choice.chosen[i])));
        EXPECT_EQ(std::ranges::max(chosen) - std::ranges::min(chosen), choice.spread) << "setting " << setting;
    }
}

TEST(ZipLine, OfEqualSpreadsTheEarliestIsTaken) {
    const ZipLineChoice choice = zipLine({{10, 20, 30}, {11, 21, 31}});
    EXPECT_EQ(choice.spread, 1);
    EXPECT_THAT(choice.chosen, ElementsAre(0, 0));
}

// The authors' dist_list_w1000_R20.txt: "min_d = 1403", and 1472 for the first choice that has all workers. Fifteen
// instants of each worker, the first of them its last push.
TEST(ZipLine, FindsWhatTheAuthorsProgramFindsInTheirData) {
    std::ifstream in(std::string(kSourceDir) + "/tests/golden/zip_line.txt");
    std::vector<std::vector<Ns>> instants;
    Ns latest = 0;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        Ns last = 0, interval = 0;
        if (!(words >> last >> interval)) continue;
        std::vector<Ns>& own = instants.emplace_back();
        for (Ns r = 0; r < 15; ++r) own.push_back(last + r * interval);
        latest = std::max(latest, last);
    }
    ASSERT_EQ(instants.size(), 1000U);
    EXPECT_EQ(zipLine(instants).spread, 1403);
    for (auto& own : instants) std::erase_if(own, [&](Ns at) { return at > latest; });
    EXPECT_EQ(zipLine(instants).spread, 1472);
}

}  // namespace
}  // namespace dasgd::test

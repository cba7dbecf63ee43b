#include "core/base/metric_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/source_tree.h"

namespace dasgd {
namespace {

using ::testing::UnorderedElementsAreArray;

// The names in the first column of the table, "weight/0" and "probe/all_reduce_ms/<bytes>" up to the last slash.
std::vector<std::string> documentedNames() {
    const auto format = std::ranges::find(test::tree(), "storage/format.md", &test::File::path);
    if (format == test::tree().end()) return {};
    const auto from = format->text.find("## Names of metrics");
    std::istringstream lines(format->text.substr(from, format->text.find("\n## ", from + 1) - from));
    std::vector<std::string> names;
    static const std::regex quoted("`([a-z]+/[a-z_/]*)(<[a-z]+>|[0-9]+)?`");
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| `")) continue;
        const std::string column = line.substr(0, line.find(" | "));
        for (std::sregex_iterator name(column.begin(), column.end(), quoted), end; name != end; ++name) {
            if (std::ranges::count(names, (*name)[1].str()) == 0) names.push_back((*name)[1].str());
        }
    }
    return names;
}

TEST(MetricNames, AreThoseOfTheFormat) {
    const std::vector<std::string> names(metrics::kNames.begin(), metrics::kNames.end());
    EXPECT_THAT(names, UnorderedElementsAreArray(documentedNames()));
}

TEST(MetricNames, OfTheWholeRunBeginLikeTheFormatSays) {
    EXPECT_TRUE(metrics::isOfWholeRun(metrics::kEvalLoss));
    EXPECT_TRUE(metrics::isOfWholeRun(metrics::kComputedStepMs));
    EXPECT_TRUE(metrics::isOfWholeRun("consensus/of_your_own"));
    EXPECT_FALSE(metrics::isOfWholeRun(metrics::kTrainLoss));
    EXPECT_FALSE(metrics::isOfWholeRun("evaluation"));
    EXPECT_FALSE(metrics::isOfWholeRun(metrics::kHostCpu)) << "a run may have several hosts";
    EXPECT_TRUE(metrics::isOfHost("host/gpu0/power_w") && !metrics::isOfHost(metrics::kProcessCpu));
}

}  // namespace
}  // namespace dasgd

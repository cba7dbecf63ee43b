#include "gui/data/curves/metric_words.h"

#include <gtest/gtest.h>

#include "core/base/metric_names.h"

namespace dasgd::gui {
namespace {

TEST(MetricWords, EveryMetricOfTheFormatHasWords) {
    for (const std::string_view name : metrics::kNames) {
        const std::string metric = std::string(name) + (name.ends_with('/') ? "7" : "");
        const MetricWords words = wordsOf(metric);
        EXPECT_FALSE(words.title.contains(QLatin1Char('/'))) << metric;
        EXPECT_FALSE(words.title.contains(QLatin1Char('_'))) << metric;
        EXPECT_FALSE(words.axis.isEmpty()) << metric;
        EXPECT_EQ(words.byRank, !metrics::isOfWholeRun(metric)) << metric;
    }
    EXPECT_EQ(wordsOf("eval/accuracy").axis, QStringLiteral("test accuracy [%]"));
    EXPECT_EQ(wordsOf("eval/accuracy").scale, 100);
}

TEST(MetricWords, UnknownNamesBecomeWordsWithTheirUnit) {
    EXPECT_EQ(wordsOf("algorithm/momentum_norm").axis, QStringLiteral("momentum norm"));
    EXPECT_EQ(wordsOf("algorithm/momentum_norm").title, QStringLiteral("Momentum norm"));
    EXPECT_EQ(wordsOf("system/cpu_percent").axis, QStringLiteral("system cpu [%]"));
    EXPECT_EQ(wordsOf("probe/all_reduce_ms/4096").axis, QStringLiteral("all-reduce of 4096 bytes [ms]"));
    EXPECT_EQ(wordsOf("").title, QString());
}

TEST(MetricWords, TestAccuracyIsOfferedFirstAndWeightsLast) {
    EXPECT_EQ(offered({"weight/10", "weight/9", "algorithm/x", "train/loss", "timing/steps", "eval/accuracy"}),
              (std::vector<std::string>{"eval/accuracy", "train/loss", "timing/steps", "algorithm/x", "weight/9",
                                        "weight/10"}));
}

}  // namespace
}  // namespace dasgd::gui

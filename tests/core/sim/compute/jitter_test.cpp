#include "core/sim/compute/jitter.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace dasgd {
namespace {

using ::testing::HasSubstr;

std::vector<double> draws(const std::string& text, std::uint64_t seed = 1, int rank = 0) {
    Jitter jitter(JitterSpec::parse(text).value(), seed, rank);
    std::vector<double> values(40'000);
    std::generate(values.begin(), values.end(), [&] { return jitter.next(); });
    return values;
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
    const double middle = mean(values);
    double sum = 0;
    for (const double value : values) sum += (value - middle) * (value - middle);
    return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(Jitter, HasMeanOneAndTheSpreadThatWasAskedFor) {
    // Five standard errors of a mean of 40,000.
    constexpr double kErrors = 5.0 / 200;
    EXPECT_NEAR(mean(draws("normal(0.1)")), 1, 0.1 * kErrors);
    EXPECT_NEAR(deviation(draws("normal(0.1)")), 0.1, 0.1 * kErrors);
    EXPECT_NEAR(mean(draws("lognormal(0.3)")), 1, 0.31 * kErrors);
    EXPECT_NEAR(deviation(draws("lognormal(0.3)")), std::sqrt(std::exp(0.09) - 1), 0.02);
    EXPECT_NEAR(mean(draws("exponential(0.2)")), 1, 0.2 * kErrors);
    EXPECT_NEAR(deviation(draws("exponential(0.2)")), 0.2, 0.2 * 2 * kErrors);
}

// Half of a wide normal distribution is cut off, and quantiles may have been measured in milliseconds.
TEST(Jitter, HasMeanOneWhateverIsCutOff) {
    for (const char* text : {"normal(0.5)", "normal(1)", "normal(2)", "normal(10)", "lognormal(1)", "exponential(1)"}) {
        const auto values = draws(text);
        EXPECT_NEAR(mean(values), 1, 5 * deviation(values) / 200) << text;
    }
    // A narrow one is not touched: the draws of lognormal are those of the same normal numbers.
    const auto narrow = draws("normal(0.05)"), same = draws("lognormal(0.05)");
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_NEAR(narrow[i], 1 + std::log(same[i]) + 0.05 * 0.05 / 2, 1e-12);
    }
}

JitterSpec measured(std::vector<double> quantiles) {
    JitterSpec spec = JitterSpec::parse("samples").value();
    spec.quantiles = std::move(quantiles);
    return spec;
}

std::vector<double> draws(const JitterSpec& spec) {
    Jitter jitter(spec, 1, 0);
    std::vector<double> values(40'000);
    std::generate(values.begin(), values.end(), [&] { return jitter.next(); });
    return values;
}

TEST(Jitter, HasMeanOneWhateverWasMeasured) {
    const std::vector<std::vector<double>> cases{{0.5, 1, 3}, {0, 40}, {11, 12, 12, 13, 30}, {0, 0, 0, 8}};
    for (const std::vector<double>& quantiles : cases) {
        const auto values = draws(measured(quantiles));
        EXPECT_NEAR(mean(values), 1, 5 * deviation(values) / 200) << quantiles.back();
    }
    EXPECT_EQ(draws(measured({7, 7})), std::vector<double>(40'000, 1));
}

TEST(Jitter, KnowsTheDeviationOfItsDraws) {
    for (const char* text : {"none", "normal(0)", "normal(0.1)", "normal(1)", "lognormal(0.3)", "exponential(0.2)"}) {
        const double expected = JitterSpec::parse(text).value().deviation();
        EXPECT_NEAR(deviation(draws(text)), expected, 0.03 * expected) << text;
    }
    EXPECT_NEAR(JitterSpec::parse("normal(0.1)").value().deviation(), 0.1, 1e-12) << "nothing is cut off";
    for (const std::vector<double>& quantiles : std::vector<std::vector<double>>{{0.5, 1, 3}, {0, 40}, {7, 7}}) {
        const double expected = measured(quantiles).deviation();
        EXPECT_NEAR(deviation(draws(measured(quantiles))), expected, 0.03 * expected) << quantiles.back();
    }
    EXPECT_NEAR(measured({0, 40}).deviation(), 1 / std::sqrt(3.0), 1e-12) << "uniform from 0 to 2";
}

TEST(Jitter, KeepsToItsRange) {
    const auto shifted = draws("exponential(0.2)");
    EXPECT_GE(*std::min_element(shifted.begin(), shifted.end()), 0.8);
    const auto wide = draws("normal(2)");
    EXPECT_EQ(*std::min_element(wide.begin(), wide.end()), 0);
    for (const double value : draws("none")) ASSERT_EQ(value, 1);
}

TEST(Jitter, DrawsFromTheQuantilesThatWereMeasured) {
    const auto values = draws(measured({0.5, 1.0, 3.0}));
    const auto below = [&](double limit) {
        return static_cast<double>(std::count_if(values.begin(), values.end(), [&](double v) { return v < limit; }));
    };
    constexpr double kMean = 1.375;  // (0.5 + 1)/2 and (1 + 3)/2 equally often
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 0.5 / kMean);
    EXPECT_LE(*std::max_element(values.begin(), values.end()), 3.0 / kMean);
    EXPECT_NEAR(below(1.0 / kMean), 20'000, 5 * 100) << "half of them below the median, to five standard deviations";
    EXPECT_NEAR(below(2.0 / kMean), 30'000, 5 * 87) << "straight lines between quantiles";
}

TEST(Jitter, RepeatsWithItsSeedAndDiffersBetweenRanks) {
    EXPECT_EQ(draws("normal(0.1)", 7, 3), draws("normal(0.1)", 7, 3));
    EXPECT_NE(draws("normal(0.1)", 7, 3), draws("normal(0.1)", 7, 4));
    EXPECT_NE(draws("normal(0.1)", 7, 3), draws("normal(0.1)", 8, 3));
}

TEST(Jitter, RefusesTheRestAndSaysHow) {
    for (const char* text : {"", "normal", "normal()", "normal(-0.1)", "normal(0.1", "gauss(0.1)", "normal(0.1x)",
                             "exponential(1.5)", "normal(nan)"}) {
        const auto parsed = JitterSpec::parse(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_THAT(parsed.error().message, HasSubstr("lognormal(0.05)"));
    }
}

}  // namespace
}  // namespace dasgd

#include "gui/data/filter/run_field.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class RunFieldTest : public ::testing::Test {
protected:
    RunFieldTest() {
        catalog_.add(*makeRun("r", "dasgd",
                              "[algorithm]\nname = \"dasgd\"\ndelay = 3\n[optimizer]\nname = \"sgd\"\n"
                              "[network.background]\nseed = 4\nrate = 1\n[faults]\nrate = 2\n"));
    }
    [[nodiscard]] QString nameOf(const char* name) const {
        const auto answer = catalog_.find(QString::fromUtf8(name));
        return answer.field ? answer.field->name : QString();
    }
    [[nodiscard]] QStringList near(const char* name) const { return catalog_.find(QString::fromUtf8(name)).candidates; }
    FieldCatalog catalog_;
};

TEST_F(RunFieldTest, KnowsFieldsByAllTheirNames) {
    EXPECT_EQ(nameOf("loss"), QStringLiteral("loss"));
    EXPECT_EQ(nameOf("final_loss"), QStringLiteral("loss"));
    EXPECT_EQ(nameOf("LOSS"), QStringLiteral("loss"));
    EXPECT_EQ(nameOf("samples/s"), QStringLiteral("samples/s"));
}

TEST_F(RunFieldTest, EveryColumnOfTheViewIsAField) {
    // storage/format.md, run_list; the configuration is not one field but many.
    for (const char* column :
         {"run_id",        "experiment",      "algorithm",      "seed",          "workers",   "backend",
          "status",        "started_at",      "ended_at",       "wall_s",        "steps",     "samples",
          "bytes_sent",    "final_loss",      "best_accuracy",  "hidden",        "blocked_s", "git_commit",
          "samples_per_s", "error",           "step_ms",        "skew_s",        "inflation", "timed_steps",
          "measured_s",    "inflation_ranks", "time_simulated", "planned_steps", "series",    "series_place",
          "series_size",   "resumed_from",    "resumed_step"}) {
        EXPECT_NE(nameOf(column), QString()) << column;
    }
}

TEST_F(RunFieldTest, TheEndOfAKeyStandsForIt) {
    EXPECT_EQ(nameOf("algorithm.delay"), QStringLiteral("algorithm.delay"));
    EXPECT_EQ(nameOf("delay"), QStringLiteral("algorithm.delay"));
    EXPECT_EQ(nameOf("background.seed"), QStringLiteral("network.background.seed"));
    EXPECT_EQ(nameOf("seed"), QStringLiteral("seed")) << "a field of every run comes first";
    EXPECT_EQ(nameOf("optimizer"), QStringLiteral("optimizer.name"));
    EXPECT_EQ(nameOf("lay"), QString()) << "only whole parts";
}

TEST_F(RunFieldTest, AShortNameOfSeveralKeysIsAmbiguous) {
    const auto answer = catalog_.find(QStringLiteral("rate"));
    EXPECT_FALSE(answer.field);
    EXPECT_TRUE(answer.ambiguous);
    EXPECT_EQ(answer.candidates, (QStringList{"faults.rate", "network.background.rate"}));
}

TEST_F(RunFieldTest, AnUnknownNameGetsNearOnes) {
    EXPECT_TRUE(near("dellay").contains(QStringLiteral("algorithm.delay")));
    EXPECT_TRUE(near("algorithm.dlay").contains(QStringLiteral("algorithm.delay")));
    EXPECT_EQ(near("acuracy").value(0), QStringLiteral("accuracy"));
    EXPECT_EQ(near("qqqqqqq"), QStringList());
    EXPECT_FALSE(catalog_.find(QStringLiteral("dellay")).ambiguous);
}

TEST_F(RunFieldTest, KnowsHowNamesBegin) {
    for (const char* begin : {"hid", "HIDDEN", "algorithm.d", "del", "delay"}) {
        EXPECT_TRUE(catalog_.hasNameThatBegins(QString::fromUtf8(begin))) << begin;
    }
    for (const char* other : {"idden", "delays", "zz"}) {
        EXPECT_FALSE(catalog_.hasNameThatBegins(QString::fromUtf8(other))) << other;
    }
}

TEST_F(RunFieldTest, SaysWhetherARunBroughtNewKeys) {
    EXPECT_FALSE(catalog_.add(*makeRun("same", "dasgd", "[algorithm]\ndelay = 1\n")));
    EXPECT_TRUE(catalog_.add(*makeRun("new", "dasgd", "[record]\ntrace = \"off\"\n")));
    EXPECT_EQ(nameOf("trace"), QStringLiteral("record.trace"));
}

}  // namespace
}  // namespace dasgd::gui

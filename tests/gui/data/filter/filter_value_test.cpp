#include "gui/data/filter/filter_value.h"

#include <gtest/gtest.h>

#include <QDateTime>
#include <limits>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

using Op = FilterOperator;

class FilterValueTest : public ::testing::Test {
protected:
    FilterValueTest() {
        row_ = makeRun("r", "dasgd",
                       "[algorithm]\ndelay = 3\nweight = 0.250\nscale = nan\n[network]\nbandwidth = \"200Mbps\"\n"
                       "latency = \"1500us\"\nburst = \"2MB\"\n[record]\ntrace = \"Full\"\n")
                   ->row;
        row_.hidden = 0.9;
        row_.lossIsNaN = true;
        row_.wallS = 90;
        row_.bytesSent = 2'000'000'000;
        row_.stepMs = 8;
        update();
    }
    void update() {
        run_ = makeRunItem(row_);
        catalog_.add(*run_);
    }
    [[nodiscard]] tl::expected<FilterComparison, QString> make(const char* field, Op op, const char* value,
                                                               bool quoted = false) const {
        return FilterComparison::make(catalog_.find(QString::fromUtf8(field)).field.value(), op,
                                      QString::fromUtf8(value), quoted);
    }
    [[nodiscard]] bool holds(const char* field, Op op, const char* value) const {
        const auto made = make(field, op, value);
        EXPECT_TRUE(made) << made.error().toStdString();
        return made && made->holds(*run_);
    }
    [[nodiscard]] QString error(const char* field, Op op, const char* value) const {
        const auto made = make(field, op, value);
        return made ? QString() : made.error();
    }
    storage::RunRow row_;
    RunItemPtr run_;
    FieldCatalog catalog_;
};

TEST_F(FilterValueTest, EveryOperatorOnANumber) {
    const struct {
        Op op;
        bool below, equal, above;  // the run has 3
    } cases[] = {{Op::Equal, false, true, false},   {Op::NotEqual, true, false, true},
                 {Op::Less, false, false, true},    {Op::LessEqual, false, true, true},
                 {Op::Greater, true, false, false}, {Op::GreaterEqual, true, true, false}};
    for (const auto& one : cases) {
        EXPECT_EQ(holds("delay", one.op, "2"), one.below) << operatorText(one.op).toStdString();
        EXPECT_EQ(holds("delay", one.op, "3"), one.equal) << operatorText(one.op).toStdString();
        EXPECT_EQ(holds("delay", one.op, "4"), one.above) << operatorText(one.op).toStdString();
    }
    EXPECT_TRUE(holds("weight", Op::Equal, "0.25")) << "as numbers, not as texts";
    EXPECT_TRUE(holds("delay", Op::Greater, "-1"));
    EXPECT_TRUE(holds("delay", Op::Less, "1e3"));
}

TEST_F(FilterValueTest, AFractionIsAlsoAPercentage) {
    for (const char* value : {"0.9", "90%", "90 %", "90"}) {
        EXPECT_TRUE(holds("hidden", Op::Equal, value)) << value;
        EXPECT_FALSE(holds("hidden", Op::Greater, value)) << value;
    }
    EXPECT_TRUE(holds("hidden", Op::Less, "1")) << "all of it, not one percent";
    EXPECT_TRUE(holds("hidden", Op::Greater, "1 %"));
}

TEST_F(FilterValueTest, UnitsAreThoseOfTheField) {
    EXPECT_TRUE(holds("wall", Op::Equal, "90"));
    EXPECT_TRUE(holds("wall", Op::Equal, "1.5min"));
    EXPECT_TRUE(holds("step_ms", Op::Equal, "8"));
    EXPECT_TRUE(holds("step_ms", Op::Equal, "8000us"));
    EXPECT_TRUE(holds("sent", Op::Equal, "2GB"));
    EXPECT_TRUE(error("wall", Op::Less, "3GB").contains(QStringLiteral("min")));
    EXPECT_TRUE(error("steps", Op::Less, "3ms").contains(QStringLiteral("no unit")));
    EXPECT_TRUE(error("loss", Op::Less, "many").contains(QStringLiteral("“many”")));
}

TEST_F(FilterValueTest, UnitsOfSettingsAreReadOnBothSides) {
    EXPECT_TRUE(holds("bandwidth", Op::Greater, "0.1Gbps"));
    EXPECT_TRUE(holds("bandwidth", Op::Equal, "25MB/s")) << "bits and bytes";
    EXPECT_TRUE(holds("latency", Op::Equal, "1.5ms"));
    EXPECT_TRUE(holds("burst", Op::Less, "3MB"));
    EXPECT_FALSE(holds("bandwidth", Op::Greater, "1ms")) << "another dimension";
    EXPECT_FALSE(holds("bandwidth", Op::NotEqual, "1ms"));
    EXPECT_TRUE(error("bandwidth", Op::Less, "200").contains(QStringLiteral("has a unit, as in 200Mbps")));
}

TEST_F(FilterValueTest, ASettingThatIsNoNumberDiffersFromEveryNumber) {
    EXPECT_TRUE(holds("trace", Op::NotEqual, "3"));
    EXPECT_FALSE(holds("trace", Op::Equal, "3"));
    EXPECT_FALSE(holds("trace", Op::Less, "3"));
}

TEST_F(FilterValueTest, TextIsEqualOrContained) {
    EXPECT_TRUE(holds("trace", Op::Equal, "full"));
    EXPECT_TRUE(holds("trace", Op::Contains, "UL"));
    EXPECT_FALSE(holds("trace", Op::Equal, "ful"));
    EXPECT_TRUE(holds("algorithm", Op::NotEqual, "sgd"));
    EXPECT_TRUE(holds("algorithm", Op::Contains, "sgd"));
    EXPECT_TRUE(error("algorithm", Op::Less, "3").contains(QStringLiteral("is text")));
    EXPECT_TRUE(error("loss", Op::Contains, "3").contains(QStringLiteral("is a number")));
    EXPECT_TRUE(error("trace", Op::Less, "full").contains(QStringLiteral("“full”")));
}

TEST_F(FilterValueTest, NothingHoldsOfNaNOrOfWhatIsAbsent) {
    for (const Op op : {Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual}) {
        EXPECT_FALSE(holds("loss", op, "0.5")) << "NaN " << operatorText(op).toStdString();
        EXPECT_FALSE(holds("accuracy", op, "0.5")) << "absent " << operatorText(op).toStdString();
        EXPECT_FALSE(holds("scale", op, "0.5")) << "NaN in the configuration";
    }
    const auto delay = make("delay", Op::NotEqual, "5");
    EXPECT_TRUE(delay->holds(*run_));
    EXPECT_FALSE(delay->holds(*makeRun("other", "sync_sgd", "[algorithm]\nname = \"sync_sgd\"\n")))
        << "a run without the key, with the place of the key in another list of keys";
    EXPECT_TRUE(delay->holds(*run_));
}

TEST_F(FilterValueTest, NaNAndInfinityCanBeAskedFor) {
    EXPECT_TRUE(holds("loss", Op::Equal, "NaN"));
    EXPECT_FALSE(holds("loss", Op::NotEqual, "nan"));
    EXPECT_FALSE(holds("hidden", Op::Equal, "nan"));
    EXPECT_TRUE(holds("hidden", Op::NotEqual, "nan"));
    EXPECT_FALSE(holds("accuracy", Op::Equal, "nan")) << "absent";
    EXPECT_FALSE(holds("accuracy", Op::NotEqual, "nan")) << "absent";
    EXPECT_TRUE(holds("hidden", Op::Less, "∞"));
    EXPECT_FALSE(holds("hidden", Op::Equal, "inf"));
    row_.finalLoss = std::numeric_limits<double>::infinity();
    row_.lossIsNaN = false;
    update();
    EXPECT_TRUE(holds("loss", Op::Equal, "∞"));
    EXPECT_FALSE(holds("loss", Op::Equal, "2"));
    EXPECT_TRUE(holds("loss", Op::Greater, "2"));
    EXPECT_TRUE(make("loss", Op::Less, "nan").error().contains(QStringLiteral("use = or !=")));
}

TEST_F(FilterValueTest, ADayIsAllOfItsInstants) {
    const QDateTime noon(QDate(2020, 11, 20), QTime(12, 30, 15));
    row_.startedAt = noon.toUTC().toString(Qt::ISODateWithMs).toStdString();
    update();
    EXPECT_TRUE(holds("started", Op::Equal, "2020-11-20"));
    EXPECT_TRUE(holds("started", Op::GreaterEqual, "2020-11-20"));
    EXPECT_FALSE(holds("started", Op::Greater, "2020-11-20"));
    EXPECT_TRUE(holds("started", Op::Greater, "2020-11-19"));
    EXPECT_TRUE(holds("started", Op::Less, "2020-11-20 12:31"));
    EXPECT_TRUE(holds("started", Op::Equal, "2020-11-20 12:30"));
    EXPECT_FALSE(holds("started", Op::Equal, "2020-11-20 12:29"));
    EXPECT_TRUE(holds("started", Op::Less, "today"));
    EXPECT_TRUE(error("started", Op::Less, "soon").contains(QStringLiteral("2026-11-20")));
}

TEST_F(FilterValueTest, KnowsUnits) {
    for (const char* unit : {"%", "ms", "µs", "min", "GB", "Mbps", "MB/s"})
        EXPECT_TRUE(isUnit(QString::fromUtf8(unit)));
    for (const char* word : {"", "dasgd", "and", "5"}) EXPECT_FALSE(isUnit(QString::fromUtf8(word))) << word;
}

}  // namespace
}  // namespace dasgd::gui

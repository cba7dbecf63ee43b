#include "gui/experiment/model/document/experiment_edits.h"

#include <gtest/gtest.h>

#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

const ExperimentDocument kEditedText(QStringLiteral("[algorithm]\nname = \"dasgd\"\nperiod = 6  # long\ndelay = 2\n"));

TEST(ExperimentEdits, AFieldIsWrittenAndRemoved) {
    const ExperimentSchema& schema = smallSchema();
    const FieldInfo& period = *schema.section("algorithm")->fieldsOf("dasgd")[1];
    EXPECT_EQ(withField(kEditedText, schema, "algorithm.period", period, "8"),
              QStringLiteral("[algorithm]\nname = \"dasgd\"\nperiod = 8  # long\ndelay = 2\n"));
    EXPECT_EQ(withField(kEditedText, schema, "algorithm.delay", period, {}),
              QStringLiteral("[algorithm]\nname = \"dasgd\"\nperiod = 6  # long\n"));
}

TEST(ExperimentEdits, FieldsThatHaveTheValueAreNotWritten) {
    EXPECT_EQ(withFields(kEditedText, smallSchema(), {{"algorithm.period", "6"}, {"algorithm.nonsense", "1"}}),
              kEditedText.text());
    EXPECT_EQ(withFields(kEditedText, smallSchema(), {{"algorithm.local_weight", "0.25"}}), kEditedText.text())
        << "by default";
}

TEST(ExperimentEdits, AValueIsThatOfTheTextElseTheDefault) {
    EXPECT_EQ(effectiveText(kEditedText, smallSchema(), "algorithm", "period"), QStringLiteral("6"));
    EXPECT_EQ(effectiveText(kEditedText, smallSchema(), "cluster", "backend"), QStringLiteral("gloo"));
    EXPECT_EQ(effectiveText(kEditedText, smallSchema(), "cluster", "nonsense"), QString());
}

TEST(ExperimentEdits, ASectionThatIsSetNamesWhatItRemovedAndWhatOverridesIt) {
    const ExperimentDocument swept(kEditedText.text() + QStringLiteral("\n[sweep]\n\"algorithm.delay\" = [1, 2]\n"));
    const EditedText edited = withSection(swept, smallSchema(), "algorithm", "{ name = \"dasgd\", delay = 3 }");
    EXPECT_FALSE(edited.text.contains(QStringLiteral("period"))) << edited.text.toStdString();
    ASSERT_EQ(edited.notes.size(), 2);
    EXPECT_TRUE(edited.notes[0].contains(QStringLiteral("period")));
    EXPECT_TRUE(edited.notes[1].contains(QStringLiteral("algorithm.delay")));
    EXPECT_EQ(withSection(swept, smallSchema(), "algorithm", "{ name = ").text, swept.text()) << "no table";
}

}  // namespace
}  // namespace dasgd::gui

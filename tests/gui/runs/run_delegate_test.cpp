#include "gui/runs/run_delegate.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>

#include "gui/kit/parts/parts.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class RunDelegateTest : public SessionBench {
protected:
    QImage cell(const QString& id, RunTableModel::Column column) {
        QImage image(140, 36, QImage::Format_RGB32);
        image.fill(testLook().theme().panel);
        QPainter painter(&image);
        QStyleOptionViewItem option;
        option.rect = image.rect();
        option.font = interFont(13);
        option.fontMetrics = QFontMetrics(option.font);
        RunDelegate(session_, testLook())
            .paint(&painter, option, session_.runs().index(session_.runs().rowOf(id), column));
        return image;
    }
    static bool holds(const QImage& image, const QColor& color) {
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                if (image.pixelColor(x, y) == color) return true;
            }
        }
        return false;
    }
};

TEST_F(RunDelegateTest, AnAlgorithmHasTheColourOfItsCurve) {
    look();
    const CurveStyle own = session_.styleOf(*session_.current());
    const QImage image = cell(id_, RunTableModel::Algorithm);
    EXPECT_TRUE(holds(image, testLook().theme().curves[static_cast<std::size_t>(own.color)]));
    EXPECT_FALSE(
        holds(cell(other_, RunTableModel::Algorithm), testLook().theme().curves[static_cast<std::size_t>(own.color)]));
}

// Dash and marker too, as in the legends: there are more configurations than colours.
TEST_F(RunDelegateTest, TwoConfigurationsNeverLookAlike) {
    look({.delay = 1, .steps = 8});
    const QString second = workspace_.record({.delay = 2, .steps = 8}),
                  repeated = workspace_.record({.seed = 2, .delay = 2, .steps = 8});
    ASSERT_TRUE(eventually([&] { return session_.runs().find(repeated) != nullptr; }));
    const auto sample = [&](const QString& id) { return cell(id, RunTableModel::Algorithm); };
    EXPECT_NE(sample(id_), sample(second));
    EXPECT_EQ(sample(second), sample(repeated)) << "another seed is the same configuration";
}

TEST_F(RunDelegateTest, TheStateIsAPill) {
    look();
    EXPECT_TRUE(holds(cell(id_, RunTableModel::Status),
                      StatePill::colorsOf(QStringLiteral("finished"), testLook().theme()).second));
}

}  // namespace
}  // namespace dasgd::gui

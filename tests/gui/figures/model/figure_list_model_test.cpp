#include "gui/figures/model/figure_list_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QTemporaryDir>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class FigureListTest : public ::testing::Test {
protected:
    FigureListTest() {
        EXPECT_TRUE(eventually([this] { return library_.loaded(); }));
        FigureSpec loss, scaling;
        loss.title = QStringLiteral("Convergence");
        scaling.venue = QStringLiteral("ieee");
        scaling.width = FigureWidth::Column;
        library_.add(loss, QStringLiteral("a"));
        library_.add(scaling, QStringLiteral("b"));
    }
    QString words(int row) { return list_.index(row).data(FigureListModel::WordsRole).toString(); }
    QTemporaryDir folder_;
    FigureLibrary library_{folder_.path().toStdString()};
    FigureListModel list_{library_};
    QAbstractItemModelTester tester_{&list_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(FigureListTest, SaysTitleAndVenue) {
    ASSERT_EQ(list_.rowCount(), 2);
    EXPECT_EQ(list_.index(0).data().toString(), QStringLiteral("Convergence"));
    EXPECT_EQ(words(0), QStringLiteral("NeurIPS 5.50 in"));
    EXPECT_EQ(list_.index(1).data().toString(), QStringLiteral("b"));
    EXPECT_EQ(words(1), QStringLiteral("IEEE 3.49 in"));
    list_.setFilter(QStringLiteral("conv"));
    EXPECT_EQ(list_.rowCount(), 1);
    EXPECT_EQ(list_.rowOf(QStringLiteral("b")), -1);
}

// "Make figure" on the same page twice makes two figures of one title.
TEST_F(FigureListTest, FiguresOfOneTitleAreToldApartByTheirNames) {
    FigureSpec again;
    again.title = QStringLiteral("Convergence");
    library_.add(again, QStringLiteral("a"));
    ASSERT_EQ(list_.rowCount(), 3);
    EXPECT_EQ(words(0), QStringLiteral("a · NeurIPS 5.50 in"));
    EXPECT_EQ(words(1), QStringLiteral("a-2 · NeurIPS 5.50 in"));
    EXPECT_EQ(library_.titleOf(QStringLiteral("a-2")), QStringLiteral("Convergence (a-2)"));
    EXPECT_EQ(words(2), QStringLiteral("IEEE 3.49 in"));
    library_.remove(QStringLiteral("a-2"));
    EXPECT_EQ(words(0), QStringLiteral("NeurIPS 5.50 in"));
    EXPECT_EQ(library_.titleOf(QStringLiteral("a")), QStringLiteral("Convergence"));
}

TEST_F(FigureListTest, NewRunsAreNewsUntilTheyAreLookedAt) {
    library_.news().setStates({{.name = QStringLiteral("a"), .runs = 3}, {.name = QStringLiteral("b"), .runs = 1}});
    EXPECT_EQ(words(0), QStringLiteral("NeurIPS 5.50 in"));
    library_.news().setStates({{.name = QStringLiteral("a"), .runs = 5}, {.name = QStringLiteral("b"), .runs = 2}});
    EXPECT_EQ(words(0), QStringLiteral("redrawn: 2 new runs"));
    EXPECT_EQ(words(1), QStringLiteral("redrawn: 1 new run"));
    library_.news().look(QStringLiteral("a"));
    EXPECT_EQ(words(0), QStringLiteral("NeurIPS 5.50 in"));
    EXPECT_EQ(words(1), QStringLiteral("redrawn: 1 new run"));
}

TEST_F(FigureListTest, ALostRunAndAWrongFilterAreSaid) {
    library_.news().setStates({{.name = QStringLiteral("a"), .runs = 1, .missing = {QStringLiteral("x")}},
                               {.name = QStringLiteral("b"), .error = QStringLiteral("no such field")}});
    EXPECT_EQ(words(0), QStringLiteral("a run of it is gone"));
    EXPECT_EQ(words(1), QStringLiteral("its filter is wrong"));
    EXPECT_TRUE(list_.index(0).data(Qt::AccessibleTextRole).toString().contains(QLatin1String("gone")));
}

}  // namespace
}  // namespace dasgd::gui

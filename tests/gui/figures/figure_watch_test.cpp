#include "gui/figures/figure_watch.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(FigureWatch, TellsTheLibraryOfRunsThatComeWithNoPageOpen) {
    Workspace workspace;
    workspace.record({.seed = 1, .steps = 8});
    Feed feed(workspace.path());
    const Session session(feed);  // reads the runs
    FigureLibrary library(workspace.path());
    const FigureWatch watch(feed, library);
    FigureSpec spec;
    spec.filter = QStringLiteral("dasgd");
    const QString name = library.add(spec, QStringLiteral("a"));
    const auto runs = [&] {
        const FigureState* state = library.news().stateOf(name);
        return state ? state->runs : -1;
    };
    ASSERT_TRUE(eventually([&] { return runs() == 1; }));
    library.news().look(name);
    workspace.record({.seed = 2, .steps = 8});
    ASSERT_TRUE(eventually([&] { return runs() == 2; }));
    EXPECT_EQ(library.news().newsOf(name), QStringLiteral("1 new run"));
}

TEST(FigureWatch, KnowsTheFiguresThatWereThereBeforeIt) {
    Workspace workspace;
    workspace.record({.steps = 8});
    Feed feed(workspace.path());
    const Session session(feed);
    FigureLibrary library(workspace.path());
    FigureSpec spec;
    spec.filter = QStringLiteral("delya > 3");
    const QString name = library.add(spec, QStringLiteral("a"));
    const FigureWatch watch(feed, library);
    ASSERT_TRUE(eventually([&] { return library.news().stateOf(name) != nullptr; }));
    EXPECT_FALSE(library.news().stateOf(name)->error.isEmpty()) << "its filter names no field";
}

}  // namespace
}  // namespace dasgd::gui

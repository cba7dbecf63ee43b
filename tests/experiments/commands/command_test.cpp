// Properties that all commands share.
#include "experiments/commands/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "experiments/run/session/run_session.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/paths.h"

namespace dasgd::experiments {
namespace {

// A command that the linker dropped, or whose file was not found, would be missing here.
TEST(Command, EveryFileOfTheFolderIsACommand) {
    std::vector<std::string> files, names;
    const auto folder = std::filesystem::path(test::kSourceDir) / "experiments" / "commands";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        std::string name = entry.path().stem().string();
        if (entry.path().extension() != ".cpp" || name == "command") continue;
        std::ranges::replace(name, '_', '-');
        files.push_back(std::move(name));
    }
    int order = 0;
    for (const Command& command : CommandRegistry::entries()) {
        names.emplace_back(command.name);
        EXPECT_GT(command.order, order) << command.name << " has no place of its own in --help";
        order = command.order;
    }
    // Parts of the command queue, which calls them: it does not link without one.
    for (const char* part : {"queue-add", "queue-moves", "queue-work"}) EXPECT_EQ(std::erase(files, part), 1U) << part;
    EXPECT_THAT(names, ::testing::UnorderedElementsAreArray(files));
}

TEST(Command, HelpListsEveryCommandThatHasASummary) {
    const test::DasgdFolder folder;
    const std::string help = folder.run({"--help"}).out;
    for (const Command& command : CommandRegistry::entries()) {
        const std::string line = std::string("\n  ") + command.name + " ";
        EXPECT_EQ(help.find(line) != std::string::npos, command.summary != nullptr) << command.name;
    }
}

TEST(Command, FindsTheWorkspace) {
    const auto parsed = [](const std::string& arguments) {
        CLI::App app;
        std::string workspace;
        addWorkspaceOption(app, workspace);
        app.parse(arguments);
        return workspace;
    };
    ::unsetenv("DASGD_WORKSPACE");
    EXPECT_EQ(parsed(""), "dasgd-workspace");
    ::setenv("DASGD_WORKSPACE", "from-env", 1);
    EXPECT_EQ(parsed(""), "from-env");
    EXPECT_EQ(parsed("--workspace given"), "given");
}

TEST(Command, TakesOneAssignmentAfterEachSet) {
    CLI::App app;
    Overrides overrides;
    std::string file;
    addSetOption(app, overrides);
    app.add_option("FILE", file);
    app.parse("--set a=1 -s b=[1,2] e.toml");
    EXPECT_EQ(overrides.set, (std::vector<std::string>{"a=1", "b=[1,2]"}));
    EXPECT_EQ(file, "e.toml");
}

TEST(Command, RefusesOnOneCleanLine) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(refuse({"bad \x1b[31m"}), kWrongInput);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "dasgd: bad \\x1b[31m\n");
}

// Until a run has begun, an error is the input's fault; from then on it is the run's. Here the run's folder cannot be
// made.
TEST(Command, FailsAsTheInputUntilARunHasBegun) {
    const test::DasgdFolder folder;
    StopSignals signals;
    const auto session = RunSession::open(folder.workspace().string(), folder.path(), signals, Progress::Style::Silent);
    ASSERT_TRUE(session) << session.error().message;
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(failed(**session, {"wrong"}), kWrongInput);
    std::filesystem::remove_all(folder.workspace() / "runs");
    folder.write("w/runs", "");
    const auto launched = (*session)->run({.algorithm = "dasgd", .backend = "gloo", .workers = 1}, "title");
    EXPECT_TRUE(!launched || launched->status == "failed");
    EXPECT_EQ(failed(**session, {"lost"}), kRunFailed);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "dasgd: wrong\ndasgd: lost\n");
}

}  // namespace
}  // namespace dasgd::experiments

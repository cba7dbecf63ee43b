// Properties of every backend: where its ranks are, and which parts of a document it refuses.
#include "core/backends/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/support/document.h"
#include "tests/support/paths.h"

namespace dasgd::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Layout, EveryRankIsInOneProcessOfEveryBackend) {
    for (const std::string& name : backendNames()) {
        for (const int ranks : {1, 2, 7}) {
            const Layout layout = layoutOf(name, ranks).value();
            std::multiset<int> found;
            for (const auto& process : layout.processes) {
                EXPECT_TRUE(std::ranges::is_sorted(process));
                found.insert(process.begin(), process.end());
            }
            EXPECT_EQ(found.size(), static_cast<std::size_t>(ranks)) << name;
            EXPECT_EQ(std::set<int>(found.begin(), found.end()).size(), found.size()) << name;
            EXPECT_EQ(*found.rbegin(), ranks - 1) << name;
        }
    }
}

TEST(Layout, JournalsAreOfRanksOrOfProcesses) {
    Layout layout{.processes = {{0, 1}, {2}}};
    EXPECT_THAT(layout.journals(), ElementsAre(0, 1, 2));
    EXPECT_FALSE(layout.isProcessARank());
    layout.sharedJournal = true;
    EXPECT_THAT(layout.journals(), ElementsAre(0, 2));
    EXPECT_TRUE(Layout::processARank(3).isProcessARank());
}

TEST(Layout, AnUnknownBackendIsAnErrorThatListsThoseThereAre) {
    const auto unknown = layoutOf("no-such-backend", 2);
    ASSERT_FALSE(unknown);
    EXPECT_THAT(unknown.error().message, AllOf(HasSubstr("no-such-backend"), HasSubstr("gloo: processes"),
                                               HasSubstr("threads: "), HasSubstr("virtual: ")));
}

// A source with a header of its own is a helper of its folder; every other one is a backend of its name.
TEST(Backends, EveryFileIsLinked) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(kSourceDir) / "core/backends")) {
        std::filesystem::path file = entry.path();
        if (file.extension() != ".cpp" || std::filesystem::exists(file.replace_extension(".h"))) continue;
        files.push_back(file.stem().string());
    }
    EXPECT_THAT(backendNames(), testing::UnorderedElementsAreArray(files));
}

// Each of the simulated cluster's sections, by each backend.
TEST(BackendCheck, SimulatedSectionsBelongToSimulatedTime) {
    for (const std::string& name : backendNames()) {
        const auto backend = BackendRegistry::find(name)->create(Value(), {}).value();
        const ClusterParams cluster{.backend = name};
        EXPECT_TRUE(backend->check(Value(), cluster)) << name;
        for (const char* section : {"network", "compute", "faults"}) {
            const Status answer = backend->check(table({{section, table({})}}), cluster);
            EXPECT_EQ(answer.has_value(), backend->layout(2).timeSimulated) << name << " " << section;
            if (!answer) {
                EXPECT_THAT(answer.error().message,
                            AllOf(HasSubstr(section), HasSubstr(name), HasSubstr("backend = \"virtual\"")));
            }
        }
    }
}

TEST(BackendCheck, OnlyRanksOnGpusAskSomethingOfTheMachine) {
    for (const std::string& name : backendNames()) {
        const auto backend = BackendRegistry::find(name)->create(Value(), {}).value();
        if (backend->layout(2).onGpus) continue;
        EXPECT_EQ(backend->checkMachine({.backend = name}).value(), "") << name;
        EXPECT_THAT(ownFieldsOf(name), testing::IsEmpty()) << name;
    }
    EXPECT_THAT(ownFieldsOf("nccl"), testing::Contains("ranks_per_gpu"));
    EXPECT_THAT(ownFieldsOf("no-such-backend"), testing::IsEmpty());
}

TEST(BackendCheck, ALinkIsEmulatedWhereTimeIsRealAndTheHostWaits) {
    for (const std::string& name : backendNames()) {
        const auto backend = BackendRegistry::find(name)->create(Value(), {}).value();
        const ClusterParams cluster{.backend = name, .link = LinkParams()};
        const Value document = table({{"cluster", table({{"link", table({})}})}});
        const Layout layout = backend->layout(2);
        EXPECT_EQ(backend->check(document, cluster).has_value(), !layout.timeSimulated && !layout.onGpus) << name;
    }
}

}  // namespace
}  // namespace dasgd::test

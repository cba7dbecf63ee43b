// Every plug-in of the source tree is in the program: what the linker drops is missed by nobody until a user asks for
// it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "tests/support/paths.h"

namespace dasgd {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// Names in lines like `const ModelRegistry::Add<LeNet> kAdd{"lenet", …` or `const AddWithSyncSteps<Bmuf, …> kAdd{…`.
std::vector<std::string> registeredIn(const fs::path& file) {
    const std::string content = contentOf(file);
    static const std::regex pattern(R"re((?:Registry(?:<\w+>)?::Add|AddWith\w+)<[^;{]*>\s+k\w+\{\s*"([^"]+)")re");
    std::vector<std::string> names;
    for (std::sregex_iterator it(content.begin(), content.end(), pattern), end; it != end; ++it) {
        names.push_back((*it)[1]);
    }
    return names;
}

template <class T>
void expectAllLinked(const std::string& folder) {
    std::size_t plugins = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(test::kSourceDir) / "core" / folder)) {
        const fs::path& file = entry.path();
        // A source with a header of its own is a helper of its folder.
        if (file.extension() != ".cpp" || fs::exists(fs::path(file).replace_extension(".h"))) continue;
        const auto names = registeredIn(file);
        EXPECT_FALSE(names.empty()) << file << " registers nothing";
        for (const std::string& name : names) EXPECT_TRUE(Registry<T>::find(name)) << name << " of " << file;
        plugins += names.size();
    }
    EXPECT_EQ(Registry<T>::names().size(), plugins) << folder << ": a plug-in comes from elsewhere";
}

TEST(PluginsTest, EveryAlgorithmIsLinked) { expectAllLinked<Algorithm>("algorithms"); }
TEST(PluginsTest, EveryModelIsLinked) { expectAllLinked<Model>("models"); }
TEST(PluginsTest, EveryDatasetIsLinked) { expectAllLinked<Dataset>("datasets"); }

TEST(PluginsTest, EveryOptimizerIsLinked) { expectAllLinked<Optimizer>("optimizers"); }
TEST(PluginsTest, EveryScheduleIsLinked) { expectAllLinked<Schedule>("schedules"); }

TEST(PluginsTest, EveryGraphIsLinked) { expectAllLinked<Graph>("graphs"); }

TEST(PluginsTest, EveryPluginSaysWhatItIs) {
    for (const SchemaSection& section : describeExperiment().sections) {
        for (const auto& plugin : section.plugins) EXPECT_FALSE(plugin.summary.empty()) << plugin.name;
    }
}

}  // namespace
}  // namespace dasgd

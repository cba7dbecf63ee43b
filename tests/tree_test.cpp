// The budgets and habits that CONTRIBUTING.md lists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "core/base/metric_names.h"
#include "tests/support/paths.h"
#include "tests/support/source_tree.h"

namespace {

using namespace dasgd::test;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Words that tell of unfinished work, or of the machine that the work was done on.
Names habitViolations(std::string_view path, std::string_view text) {
    // Put together from halves, so that this file does not report itself.
    static const Names kUnfinished{
        "TO"
        "DO",
        "FIX"
        "ME",
        "#if"
        " 0",
        "DISABLED"
        "_"};
    static const Names kPeoplesFolders{"home/", "root/", "Users/", "work/", "workspace/", "scratch/"};
    Names violations;
    for (const std::string& word : kUnfinished) {
        if (text.find(word) != std::string_view::npos) violations.push_back(std::string(path) + " holds " + word);
    }
    for (auto slash = text.find('/'); slash != std::string_view::npos; slash = text.find('/', slash + 1)) {
        const char before = slash == 0 ? ' ' : text[slash - 1];
        const bool begins = std::string_view(" \t\n\"'=:(`").find(before) != std::string_view::npos;
        if (begins && startsWithAny(text.substr(slash + 1), kPeoplesFolders)) {
            violations.push_back(std::string(path) + " names a machine's path: " + std::string(text.substr(slash, 40)));
        }
    }
    return violations;
}

TEST(Tree, IncludesStartAtTheRoot) {
    EXPECT_THAT(everyViolation([](const File& file) {
                    Names wrong;
                    std::istringstream lines(isSource(file) ? file.text : "");
                    for (std::string line; std::getline(lines, line);) {
                        const std::string path = line.starts_with("#include") ? between(line, "\"", "\"") : "";
                        if (path.empty() || path.ends_with(".moc")) continue;
                        if (!fs::exists(fs::path(kSourceDir) / path)) wrong.push_back(file.path + ": " + line);
                    }
                    return wrong;
                }),
                IsEmpty());
}

std::string testOf(const std::string& source) {
    const fs::path path = source;
    return "tests/" + (path.parent_path() / path.stem()).generic_string() + "_test.cpp";
}

TEST(Tree, EverySourceHasItsTestInTheMirror) {
    EXPECT_THAT(everyViolation([&](const File& file) {
                    const fs::path path = file.path;
                    const bool counts =
                        path.extension() == ".cpp" && layerOf(file.path) && path.filename() != "main.cpp";
                    const bool tested = !counts || std::ranges::count(tree(), testOf(file.path), &File::path) > 0;
                    return tested ? Names{} : Names{testOf(file.path) + " is missing"};
                }),
                IsEmpty());
}

// A test belongs to one source, or to several of its folder together. Fault cases belong to the whole program.
TEST(Tree, EveryTestIsOfSomethingInTheFolderThatItMirrors) {
    EXPECT_THAT(everyViolation([&](const File& file) {
                    const fs::path path = fs::path(file.path).lexically_relative("tests");
                    if (!file.path.ends_with("_test.cpp") || path.parent_path().empty()) return Names{};
                    if (*path.begin() == "faults") return Names{};
                    const bool mirrors = std::ranges::any_of(tree(), [&](const File& other) {
                        return fs::path(other.path).parent_path() == path.parent_path();
                    });
                    return mirrors ? Names{} : Names{file.path + " mirrors no folder"};
                }),
                IsEmpty());
}

bool isTest(const std::string& path) { return path.ends_with("_test.cpp"); }

bool anyHolds(const std::string& text, bool (*among)(const std::string& path)) {
    return std::ranges::any_of(
        tree(), [&](const File& file) { return among(file.path) && file.text.find(text) != std::string::npos; });
}

// True if the line of tests/long_tests.txt names a test: with * in front one with parameters, perhaps one of them by
// its number, or by the word that the suite names it with.
bool namesATest(const std::string& line) {
    static const std::regex kLine(R"((\*?)(\w+)\.(\w+)(?:/(?:\d+|(\w+)))?( sanitizers)? *(?:#.*)?)");
    std::smatch words;
    if (!std::regex_match(line, words, kLine)) return false;
    const std::string word = words[4];
    const auto mayName = [](const std::string& path) { return isTest(path) || path.ends_with(".h"); };
    if (!word.empty() && !anyHolds("\"" + word + "\"", mayName)) return false;
    const std::string declared = words[2].str() + ", " + words[3].str() + ")";
    const bool hasParameters = anyHolds("TEST_P(" + declared, isTest);
    return words[1].length() > 0 ? hasParameters : !hasParameters && anyHolds("(" + declared, isTest);
}

// A test that was renamed would run in every check again, unseen.
TEST(Tree, EveryLongTestIsThere) {
    const auto list = std::ranges::find(tree(), "tests/long_tests.txt", &File::path);
    ASSERT_NE(list, tree().end());
    std::istringstream lines(list->text);
    Names wrong;
    int listed = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        ++listed;
        if (!namesATest(line)) wrong.push_back(line);
    }
    EXPECT_THAT(wrong, IsEmpty());
    EXPECT_GT(listed, 0);
}

// A literal elsewhere would be spelled wrong unnoticed.
TEST(Tree, NamesOfMetricsAreSpelledOutInOnePlace) {
    EXPECT_THAT(everyViolation([](const File& file) {
                    Names found;
                    const bool ours = isSource(file) && layerOf(file.path) && file.path != "core/base/metric_names.h";
                    std::istringstream lines(ours ? file.text : "");
                    for (std::string line; std::getline(lines, line);) {
                        const std::string code = line.substr(0, line.find("//"));
                        const auto spelled = [&](std::string_view name) {
                            std::string quoted = "\"";
                            quoted += name;
                            return code.find(quoted) != std::string::npos;
                        };
                        if (std::ranges::any_of(dasgd::metrics::kNames, spelled)) {
                            found.push_back(file.path + ": " + line);
                        }
                    }
                    return found;
                }),
                IsEmpty());
}

TEST(Tree, EveryModuleHasAShortReadme) {
    EXPECT_THAT(everyViolation([](const File& file) {
                    const Layer* layer = layerOf(file.path);
                    if (!layer || file.path != layer->folder + "/CMakeLists.txt") return Names{};
                    const std::string readme = fs::path(file.path).replace_filename("README.md").generic_string();
                    const auto found = std::ranges::find(tree(), readme, &File::path);
                    if (found == tree().end()) return Names{readme + " is missing"};
                    const auto lines = std::ranges::count(found->text, '\n');
                    return lines <= 40 ? Names{} : Names{readme + " has " + std::to_string(lines) + " lines"};
                }),
                IsEmpty());
}

std::int64_t linesOf(const std::string& path) {
    const auto found = std::ranges::find(tree(), path, &File::path);
    return found == tree().end() ? 0 : std::ranges::count(found->text, '\n');
}

TEST(Tree, TheWayInIsShort) {
    EXPECT_GT(linesOf("README.md"), 0);
    EXPECT_LE(linesOf("README.md"), 150);
    EXPECT_GT(linesOf("CONTRIBUTING.md"), 0);
    EXPECT_LE(linesOf("CONTRIBUTING.md"), 80);
}

// Tests mirror the sources, whose folders have the READMEs.
bool mirrorsAFolder(const std::string& folder) {
    static const Names kOwn{"tests/support", "tests/bench", "tests/faults"};
    return isUnder(folder, "tests") && std::ranges::count(kOwn, folder) == 0;
}

TEST(Tree, EveryFolderOfMoreThanFiveFilesHasAReadme) {
    std::map<std::string, int> files;
    for (const File& file : tree()) {
        const fs::path path = file.path;
        if (path.filename() != "README.md") ++files[path.parent_path().generic_string()];
    }
    Names wrong;
    for (const auto& [folder, count] : files) {
        // The rooms of these two stand in the tables of their own READMEs.
        const bool isToldAbove = startsWithAny(folder, {"gui/", "experiments/"});
        if (folder.empty() || count <= 5 || mirrorsAFolder(folder) || isToldAbove) continue;
        const std::int64_t lines = linesOf(folder + "/README.md");
        if (lines < 5 || lines > 40) wrong.push_back(folder + "/README.md has " + std::to_string(lines) + " lines");
    }
    EXPECT_THAT(wrong, IsEmpty());
    EXPECT_GT(files.size(), 50U);
}

TEST(Tree, FilesKeepToTheirBudget) {
    EXPECT_THAT(everyViolation([](const File& file) {
                    const bool counts = isSource(file) || file.path == "lab" || file.path.ends_with(".sh") ||
                                        file.path.ends_with(".cmake") || file.path.ends_with("CMakeLists.txt");
                    const auto lines = counts ? std::ranges::count(file.text, '\n') : 0;
                    return lines <= 600 ? Names{} : Names{file.path + " has " + std::to_string(lines) + " lines"};
                }),
                IsEmpty());
}

// A folder with more files is two folders, unless it grows by a file for each plug-in, or for each suite.
TEST(Tree, FoldersKeepToTheirBudget) {
    static const Names kPlugins{"core/algorithms",      "core/backends",     "core/compression/operators",
                                "core/datasets",        "core/graphs",       "core/models",
                                "core/optimizers",      "core/schedules",    "core/sim/topologies",
                                "experiments/commands", "experiments/suites"};
    std::map<std::string, int> files;
    for (const File& file : tree()) {
        const std::string folder = fs::path(file.path).parent_path().generic_string();
        const bool counts = isUnderAny(folder, {"core", "storage", "experiments"});
        if (counts && std::ranges::count(kPlugins, folder) == 0) ++files[folder];
    }
    Names tooLarge;
    for (const auto& [folder, count] : files) {
        if (count > 25) tooLarge.push_back(folder + " has " + std::to_string(count) + " files");
    }
    EXPECT_GT(files["core/base"], 0);
    EXPECT_THAT(tooLarge, IsEmpty());
}

// The tests over the registries take up what a plug-in's own test registers: settings, and of an algorithm its serial
// rule.
TEST(Tree, TheTestOfAnAlgorithmOrAModelRegistersItsTrial) {
    const std::vector<std::array<std::string, 3>> kinds{
        {"core/algorithms/", "AlgorithmRegistry::Add<|AddWithSyncSteps<", "AlgorithmTrial::Add"},
        {"core/models/", "ModelRegistry::Add<", "ModelTrial::Add"}};
    int plugins = 0;
    EXPECT_THAT(everyViolation([&](const File& file) {
                    for (const auto& [folder, registers, trial] : kinds) {
                        const bool isPlugin = file.path.starts_with(folder) && file.path.ends_with(".cpp") &&
                                              std::regex_search(file.text, std::regex("^const (" + registers + ")",
                                                                                      std::regex::multiline));
                        if (!isPlugin) continue;
                        ++plugins;
                        const auto test = std::ranges::find(tree(), testOf(file.path), &File::path);
                        const bool has = test != tree().end() && test->text.find(trial) != std::string::npos;
                        if (!has) return Names{testOf(file.path) + " has no " + trial};
                    }
                    return Names{};
                }),
                IsEmpty());
    EXPECT_GT(plugins, 40);
}

// The lines include reference, fields and registration; what the family has in common is in its engines.
TEST(Tree, AnAlgorithmOfTheCoreFamilyTakesSixtyLinesAtTheMedian) {
    std::vector<std::int64_t> lines;
    for (const char* name :
         {"averaging/adacomm", "averaging/cocod_sgd", "averaging/dga", "averaging/easgd", "averaging/loscar",
          "gossip/oldsgd", "averaging/overlap_local_sgd", "averaging/post_local_sgd", "slow/bmuf", "slow/co2",
          "slow/diloco", "slow/eager_diloco", "slow/slowmo", "slow/streaming_diloco"}) {
        const auto file = std::ranges::find(tree(), "core/algorithms/" + std::string(name) + ".cpp", &File::path);
        ASSERT_NE(file, tree().end()) << name;
        lines.push_back(std::ranges::count(file->text, '\n'));
    }
    std::ranges::sort(lines);
    EXPECT_LE(lines[6] + lines[7], 2 * 60);
}

TEST(Tree, NothingIsUnfinishedAndNoMachineIsNamed) {
    EXPECT_THAT(everyViolation([](const File& file) { return habitViolations(file.path, file.text); }), IsEmpty());
    EXPECT_THAT(habitViolations("a.cpp", std::string("// TO") + "DO: later\n"), SizeIs(1));
    EXPECT_THAT(habitViolations("a.cpp", std::string("open(\"/ho") + "me/ada/data\");"), SizeIs(1));
    EXPECT_THAT(habitViolations("a.cpp", "#include \"core/base/ids.h\"\n// tests/gui/home/x, /proc/self, a/work/b\n"),
                IsEmpty());
}

// Two sources of a program that include it would each bring its tests.
TEST(Tree, NoHeaderHasTests) {
    EXPECT_THAT(everyViolation([](const File& file) {
                    const bool header = file.path.ends_with(".h");
                    return header && file.text.find("\nTEST") != std::string::npos ? Names{file.path} : Names{};
                }),
                IsEmpty());
}

TEST(Tree, OnlyDeviceTestsMaySkip) {
    const std::string skip = std::string("GTEST") + "_SKIP", qtSkip = std::string("QS") + "KIP";
    EXPECT_THAT(everyViolation([&](const File& file) {
                    const bool device =
                        file.path.find("nccl") != std::string::npos || file.path.find("cuda") != std::string::npos;
                    // TeX Live takes 230 MB: `./lab test` installs it, and who runs a program by hand need not have it.
                    const bool large = file.path == "tests/gui/figures/tex/pgfplots_test.cpp" ||
                                       file.path == "tests/gui/figures/tex/panels_tex_test.cpp" ||
                                       file.path == "tests/gui/figures/tex/latex_table_test.cpp";
                    // Network namespaces need root; sshd, SLURM, Open MPI and torchrun are nothing that a desk has to
                    // have.
                    const bool root = file.path == "tests/experiments/ranks/on_hosts_test.cpp" ||
                                      file.path == "tests/experiments/ranks/launchers_test.cpp" ||
                                      file.path == "tests/experiments/cluster/ssh/on_ssh_hosts_test.cpp" ||
                                      file.path == "tests/experiments/cluster/slurm/on_slurm_test.cpp" ||
                                      file.path == "tests/experiments/transport/mirror/over_sshd_test.cpp" ||
                                      file.path == "tests/experiments/ranks/records_route_test.cpp" ||
                                      file.path == "tests/faults/disk/fault_11_full_disk_test.cpp" ||
                                      file.path == "tests/faults/disk/fault_12_no_room_to_save_test.cpp" ||
                                      file.path == "tests/faults/peers/fault_20_clocks_test.cpp" ||
                                      file.path == "tests/storage/base/workspace_test.cpp" ||
                                      file.path == "tests/core/comm/gloo/local_peers_test.cpp";
                    // Python's safetensors is not there without PyPI.
                    const bool network = file.path == "tests/core/checkpoint/python_safetensors_test.cpp";
                    const bool skips = isSource(file) && (file.text.find(skip) != std::string::npos ||
                                                          file.text.find(qtSkip) != std::string::npos);
                    // Another test runs this one and checks its output.
                    const bool sample = file.path == "tests/support/isolated/sample.cpp";
                    return skips && !device && !large && !root && !network && !sample ? Names{file.path + " skips"}
                                                                                      : Names{};
                }),
                IsEmpty());
}

}  // namespace

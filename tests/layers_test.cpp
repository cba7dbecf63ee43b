// The arrows between the folders: which layer may see which. Every rule is also tried on a text that breaks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>

#include "tests/support/paths.h"
#include "tests/support/source_tree.h"

namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Libraries of others that only some folders may use.
struct Foreign {
    std::string name;
    Names headers;    // beginnings of included paths
    Names libraries;  // beginnings of linked targets
    Names users;
};
const std::vector<Foreign> kForeign{
    {"LibTorch",
     {"torch/", "ATen/", "c10/", "caffe2/", "gloo/", "nccl"},
     {"torch", "nccl", "gloo"},
     {"core/comm", "core/exec", "core/step", "core/sim", "core/models", "core/datasets", "core/optimizers",
      "core/schedules", "core/algorithms", "core/train", "experiments"}},
    {"SimGrid", {"simgrid/"}, {"simgrid"}, {"core/sim"}},
    {"pugixml", {"pugixml"}, {"pugixml"}, {"core/sim"}},
    {"spdlog", {"spdlog/"}, {"spdlog"}, {"core/base"}},
    {"Qt", {"Q"}, {"Qt6::"}, {"gui"}},
    {"QCustomPlot", {"qcustomplot"}, {"QCustomPlot"}, {"gui"}},
    {"SQLite", {"sqlite3", "SQLiteCpp"}, {"SQLite", "sqlite3"}, {"storage"}},
};

// What one of our folders may not see of the others; empty where nothing is wrong.
std::string backwardArrow(std::string_view path, std::string_view target) {
    const Layer* layer = layerOf(path);
    if (!layer || !layerOf(target) || isUnderAny(target, layer->sees)) return {};
    return layer->folder + " may not see " + std::string(target);
}

// A statement of SQL at the beginning of a string literal.
bool holdsSql(std::string_view line) {
    static const Names kBeginnings{"SELECT ", "INSERT ",       "UPDATE ",     "DELETE FROM ",
                                   "PRAGMA ", "CREATE TABLE ", "CREATE VIEW", "ATTACH "};
    for (auto quote = line.find('"'); quote != std::string_view::npos; quote = line.find('"', quote + 1)) {
        if (startsWithAny(line.substr(quote + 1), kBeginnings)) return true;
        if (line.substr(quote + 1).starts_with("select ") && line.find(" from ") != std::string_view::npos) return true;
    }
    return false;
}

std::string wrongForeign(std::string_view path, std::string_view name, Names Foreign::*beginnings) {
    for (const Foreign& foreign : kForeign) {
        if (startsWithAny(name, foreign.*beginnings) && !isUnderAny(path, foreign.users)) {
            return std::string(path) + " may not use " + foreign.name + " (" + std::string(name) + ")";
        }
    }
    return {};
}

void addIfSaid(Names& complaints, std::string complaint) {
    if (!complaint.empty()) complaints.push_back(std::move(complaint));
}

Names sourceComplaints(std::string_view path, std::string_view text) {
    Names complaints;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        if (!isUnder(path, "storage") && holdsSql(line)) {
            complaints.push_back(std::string(path) + " holds SQL: " + line);
        }
        if (!line.starts_with("#include")) continue;
        if (const std::string ours = between(line, "\"", "\""); !ours.empty()) {
            addIfSaid(complaints, backwardArrow(path, ours));
            addIfSaid(complaints, wrongForeign(path, ours, &Foreign::headers));
        }
        addIfSaid(complaints, wrongForeign(path, between(line, "<", ">"), &Foreign::headers));
    }
    return complaints;
}

std::string withoutComments(std::string_view cmake) {
    std::istringstream lines{std::string(cmake)};
    std::string kept;
    for (std::string line; std::getline(lines, line);) kept += line.substr(0, line.find('#')) + "\n";
    return kept;
}

// The words between the parentheses of every call of one of `commands`.
std::vector<Names> callsOf(const Names& commands, std::string_view cmake) {
    const std::string text = withoutComments(cmake);
    std::vector<Names> calls;
    for (const std::string& command : commands) {
        for (auto at = text.find(command + "("); at != std::string::npos; at = text.find(command + "(", at + 1)) {
            const auto from = at + command.size() + 1;
            std::istringstream words{text.substr(from, text.find(')', from) - from)};
            Names& call = calls.emplace_back();
            for (std::string word; words >> word;) call.push_back(word);
        }
    }
    return calls;
}

// Which folder each target of ours is made in.
using Targets = std::map<std::string, std::string>;

void addTargets(Targets& targets, const std::string& folder, std::string_view cmake) {
    static const Names kMakers{"dasgd_library", "dasgd_torch_library", "dasgd_plugins",
                               "add_library",   "add_executable",      "qt_add_executable"};
    for (const Names& call : callsOf(kMakers, cmake)) {
        if (call.empty()) continue;
        targets[call.front()] = folder;
        targets[call.front() + "_objects"] = folder;
    }
}

Names linkComplaints(const std::string& folder, std::string_view cmake, const Targets& targets) {
    static const Names kLinkers{"target_link_libraries", "dasgd_library", "dasgd_torch_library", "dasgd_plugins"};
    Names complaints;
    for (const Names& call : callsOf(kLinkers, cmake)) {
        for (const std::string& word : call) {
            const auto target = targets.find(word);
            if (target != targets.end()) addIfSaid(complaints, backwardArrow(folder, target->second));
            addIfSaid(complaints, wrongForeign(folder, word, &Foreign::libraries));
        }
    }
    return complaints;
}

TEST(Layers, NoSourceSeesAHigherLayer) {
    EXPECT_THAT(everyComplaint([](const File& file) {
                    return isSource(file) && layerOf(file.path) ? sourceComplaints(file.path, file.text) : Names{};
                }),
                IsEmpty());
}

TEST(Layers, NoLibraryLinksAHigherLayer) {
    std::map<std::string, std::string> cmakeOf;
    Targets targets;
    for (const File& file : tree()) {
        if (!file.path.ends_with("/CMakeLists.txt") || !layerOf(file.path)) continue;
        const std::string folder = fs::path(file.path).parent_path().generic_string();
        cmakeOf[folder] = file.text;
        addTargets(targets, folder, file.text);
    }
    ASSERT_EQ(targets["core_base"], "core/base") << "the tree was not found at " << kSourceDir;
    Names complaints;
    for (const auto& [folder, cmake] : cmakeOf) {
        for (std::string& complaint : linkComplaints(folder, cmake, targets)) complaints.push_back(complaint);
    }
    EXPECT_THAT(complaints, IsEmpty());
}

TEST(Layers, EveryBackwardArrowIsNoticed) {
    const Targets targets{{"core_step", "core/train"}, {"storage", "storage"}};
    EXPECT_THAT(sourceComplaints("core/base/value.cpp", "#include \"storage/recorder.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("storage/store.cpp", "#include \"core/train/worker.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("gui/models/runs.cpp", "#include \"core/comm/pending.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("gui/main.cpp", "#include <torch/torch.h>\n#include <ATen/Tensor.h>\n"), SizeIs(2));
    EXPECT_THAT(sourceComplaints("core/train/worker.cpp", "#include <QString>\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("experiments/list.cpp", "#include <sqlite3.h>\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("experiments/list.cpp", "query(\"SELECT run_id FROM run_list\");\n"), SizeIs(1));
    EXPECT_THAT(linkComplaints("gui", "target_link_libraries(gui_models PUBLIC\n  storage core_step)\n", targets),
                SizeIs(1));
    EXPECT_THAT(linkComplaints("gui", "target_link_libraries(dasgd-lab PRIVATE torch_cpu)\n", targets), SizeIs(1));
    EXPECT_THAT(linkComplaints("core/base", "dasgd_library(core_base SOURCES a.cpp LINKS Qt6::Core)\n", targets),
                SizeIs(1));
}

TEST(Layers, ForwardArrowsPass) {
    EXPECT_THAT(sourceComplaints("gui/main.cpp", "#include \"storage/run_reader.h\"\n#include <QApplication>\n"),
                IsEmpty());
    EXPECT_THAT(sourceComplaints("storage/store.cpp", "#include <SQLiteCpp/Database.h>\nq(\"SELECT 1\");\n"),
                IsEmpty());
    const Targets targets{{"core_step", "core/train"}, {"storage", "storage"}};
    EXPECT_THAT(linkComplaints("experiments", "target_link_libraries(dasgd PRIVATE core_step storage)\n", targets),
                IsEmpty());
    EXPECT_THAT(linkComplaints("gui", "# not torch_cpu\ndasgd_library(gui LINKS storage)\n", targets), IsEmpty());
}

// What the loader would bring in, libraries of libraries included.
[[maybe_unused]] std::string loadedLibraries(const std::string& program) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("ldd '" + program + "' 2>&1").c_str(), "r"), pclose);
    std::string text;
    std::array<char, 4096> chunk{};
    while (pipe && std::fgets(chunk.data(), chunk.size(), pipe.get())) text += chunk.data();
    return text;
}

TEST(Programs, TheWindowLoadsNoTorch) {
    if (std::string(kLabProgram).empty()) return;
    const std::string libraries = loadedLibraries(kLabProgram);
    EXPECT_THAT(libraries, HasSubstr("libQt6Core"));
    for (const char* engine : {"libtorch", "libc10", "libnccl", "libgloo"}) {
        EXPECT_THAT(libraries, Not(HasSubstr(engine)));
    }
}

TEST(Programs, TheEngineLoadsNoQt) {
    if (std::string(kProgram).empty()) return;
    const std::string libraries = loadedLibraries(kProgram);
    EXPECT_THAT(libraries, HasSubstr("libtorch_cpu"));
    EXPECT_THAT(libraries, Not(HasSubstr("libQt6")));
}

}  // namespace

// The arrows between the folders: which layer may see which. Every rule is also tried on a text that breaks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>

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
     {"core/tensors", "core/gpu", "core/comm", "core/exec", "core/backends", "core/step", "core/sim", "core/models",
      "core/datasets", "core/optimizers", "core/schedules", "core/compression", "core/algorithms", "core/experiment",
      "core/train", "experiments/ranks",
      // The versions in a run's provenance, and the trial of a model file in a process of its own.
      "experiments/run/record/provenance.cpp", "experiments/commands/internal/check_model.cpp"}},
    // Elsewhere its declarations are our own (core/device/device_api.h).
    {"CUDA", {"cuda", "driver_types", "c10/cuda/", "ATen/cuda/"}, {"CUDA::", "torch_cuda"}, {"core/gpu/cuda"}},
    {"SimGrid", {"simgrid/"}, {"simgrid"}, {"core/sim"}},
    {"pugixml", {"pugixml"}, {"pugixml"}, {"core/sim"}},
    {"spdlog", {"spdlog/"}, {"spdlog"}, {"core/base"}},
    {"Qt", {"Q"}, {"Qt6::"}, {"gui"}},
    {"QCustomPlot", {"qcustomplot"}, {"QCustomPlot"}, {"gui"}},
    {"SQLite", {"sqlite3", "SQLiteCpp"}, {"SQLite", "sqlite3"}, {"storage"}},
};

// Error if the file at `path` may not see `target`; empty where nothing is wrong.
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

void addIfSaid(Names& violations, std::string violation) {
    if (!violation.empty()) violations.push_back(std::move(violation));
}

Names sourceViolations(std::string_view path, std::string_view text) {
    Names violations;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        if (!isUnder(path, "storage") && holdsSql(line)) {
            violations.push_back(std::string(path) + " holds SQL: " + line);
        }
        if (!line.starts_with("#include")) continue;
        if (const std::string ours = between(line, "\"", "\""); !ours.empty()) {
            addIfSaid(violations, backwardArrow(path, ours));
            addIfSaid(violations, wrongForeign(path, ours, &Foreign::headers));
        }
        addIfSaid(violations, wrongForeign(path, between(line, "<", ">"), &Foreign::headers));
    }
    return violations;
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

// Folder in which each of our targets is made.
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

Names linkViolations(const std::string& folder, std::string_view cmake, const Targets& targets) {
    static const Names kLinkers{"target_link_libraries", "dasgd_library", "dasgd_torch_library", "dasgd_plugins"};
    Names violations;
    for (const Names& call : callsOf(kLinkers, cmake)) {
        for (const std::string& word : call) {
            const auto target = targets.find(word);
            if (target != targets.end()) addIfSaid(violations, backwardArrow(folder, target->second));
            addIfSaid(violations, wrongForeign(folder, word, &Foreign::libraries));
        }
    }
    return violations;
}

using Arrows = std::map<std::string, std::set<std::string>>;

// "a -> b -> a", of the first cycle that is found; "" where there is none.
std::string cycleIn(const Arrows& arrows) {
    std::set<std::string> done;
    std::vector<std::string> path;
    const std::function<std::string(const std::string&)> follow = [&](const std::string& node) -> std::string {
        if (const auto again = std::ranges::find(path, node); again != path.end()) {
            std::string text;
            for (auto step = again; step != path.end(); ++step) text += *step + " -> ";
            return text + node;
        }
        if (!done.insert(node).second) return {};
        path.push_back(node);
        const auto found = arrows.find(node);
        for (const std::string& next : found == arrows.end() ? std::set<std::string>{} : found->second) {
            if (std::string cycle = follow(next); !cycle.empty()) return cycle;
        }
        path.pop_back();
        return {};
    };
    for (const auto& [node, targets] : arrows) {
        if (std::string cycle = follow(node); !cycle.empty()) return cycle;
    }
    return {};
}

std::string folderOf(const std::string& path) { return fs::path(path).parent_path().generic_string(); }

void addIncludes(Arrows& arrows, const std::string& path, std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        const std::string target = line.starts_with("#include") ? between(line, "\"", "\"") : "";
        if (!layerOf(target) || folderOf(target) == folderOf(path)) continue;
        arrows[folderOf(path)].insert(folderOf(target));
    }
}

// An object library and the target that carries its objects are one.
std::string withoutObjects(const std::string& target) {
    const std::string suffix = "_objects";
    return target.ends_with(suffix) ? target.substr(0, target.size() - suffix.size()) : target;
}

void addLinks(Arrows& arrows, std::string_view cmake, const Targets& targets) {
    static const Names kLinkers{"target_link_libraries", "dasgd_library", "dasgd_torch_library", "dasgd_plugins"};
    for (const Names& call : callsOf(kLinkers, cmake)) {
        for (const std::string& word : call) {
            const std::string from = withoutObjects(call.front()), to = withoutObjects(word);
            if (targets.contains(to) && from != to) arrows[from].insert(to);
        }
    }
}

TEST(Layers, NoTwoFoldersNeedEachOther) {
    Arrows arrows;
    for (const File& file : tree()) {
        if (isSource(file) && layerOf(file.path)) addIncludes(arrows, file.path, file.text);
    }
    EXPECT_TRUE(arrows["storage/base"].contains("core/base"))
        << "the tree was not found at " << dasgd::test::kSourceDir;
    EXPECT_EQ(cycleIn(arrows), "");
}

TEST(Layers, NoTwoLibrariesLinkEachOther) {
    Targets targets;
    for (const File& file : tree()) {
        if (file.path.ends_with("CMakeLists.txt")) addTargets(targets, folderOf(file.path), file.text);
    }
    Arrows arrows;
    for (const File& file : tree()) {
        if (file.path.ends_with("CMakeLists.txt")) addLinks(arrows, file.text, targets);
    }
    EXPECT_TRUE(arrows["storage"].contains("core_journal"));
    EXPECT_EQ(cycleIn(arrows), "");
}

TEST(Layers, ACycleIsFoundWhereverItBegins) {
    Arrows includes;
    addIncludes(includes, "core/step/x.cpp", "#include \"core/base/check.h\"\n#include \"core/comm/y.h\"\n");
    addIncludes(includes, "core/comm/y.h", "#include \"core/comm/z.h\"\n#include <vector>\n");
    EXPECT_EQ(cycleIn(includes), "");
    addIncludes(includes, "core/comm/z.h", "#include \"core/step/x.h\"\n");
    EXPECT_EQ(cycleIn(includes), "core/comm -> core/step -> core/comm");
    EXPECT_EQ(cycleIn({{"a", {"b"}}, {"b", {"c", "d"}}, {"d", {"b"}}}), "b -> d -> b");
    Arrows links;
    const Targets targets{{"one", "core"}, {"two", "core"}, {"two_objects", "core"}};
    addLinks(links, "dasgd_library(one SOURCES one.cpp LINKS two)\ntarget_link_libraries(two_objects PUBLIC one)\n",
             targets);
    EXPECT_EQ(cycleIn(links), "one -> two -> one");
}

TEST(Layers, EverySourceOfTheProductIsInOne) {
    EXPECT_THAT(everyViolation([](const File& file) {
                    const bool isProduct = isUnderAny(file.path, {"core", "storage", "experiments", "gui"});
                    return isProduct && isSource(file) && !layerOf(file.path) ? Names{file.path} : Names{};
                }),
                IsEmpty());
}

TEST(Layers, NoSourceSeesAHigherLayer) {
    EXPECT_THAT(everyViolation([](const File& file) {
                    return isSource(file) && layerOf(file.path) ? sourceViolations(file.path, file.text) : Names{};
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
    Names violations;
    for (const auto& [folder, cmake] : cmakeOf) {
        for (std::string& violation : linkViolations(folder, cmake, targets)) violations.push_back(violation);
    }
    EXPECT_THAT(violations, IsEmpty());
}

TEST(Layers, EveryBackwardArrowIsNoticed) {
    const Targets targets{{"core_step", "core/train"}, {"storage", "storage"}};
    EXPECT_THAT(sourceViolations("core/base/schema/value.cpp", "#include \"storage/write/recorder.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceViolations("storage/write/store.cpp", "#include \"core/train/worker.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceViolations("gui/runs/model/runs.cpp", "#include \"core/comm/pending.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceViolations("gui/window/main.cpp", "#include <torch/torch.h>\n#include <ATen/Tensor.h>\n"),
                SizeIs(2));
    EXPECT_THAT(sourceViolations("gui/data/runs/a.cpp", "#include \"gui/kit/theme/theme.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceViolations("gui/kit/plots/a.cpp", "#include \"gui/kit/parts/parts.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceViolations("core/train/worker.cpp", "#include <QString>\n"), SizeIs(1));
    EXPECT_THAT(sourceViolations("experiments/list.cpp", "#include <sqlite3.h>\n"), SizeIs(1));
    EXPECT_THAT(sourceViolations("core/device/device.cpp", "#include <cuda_runtime_api.h>\n"), SizeIs(1));
    EXPECT_THAT(sourceViolations("experiments/list.cpp", "query(\"SELECT run_id FROM run_list\");\n"), SizeIs(1));
    EXPECT_THAT(linkViolations("gui", "target_link_libraries(gui_data PUBLIC\n  storage core_step)\n", targets),
                SizeIs(1));
    EXPECT_THAT(linkViolations("gui", "target_link_libraries(dasgd-lab PRIVATE torch_cpu)\n", targets), SizeIs(1));
    EXPECT_THAT(linkViolations("core/base", "dasgd_library(core_base SOURCES a.cpp LINKS Qt6::Core)\n", targets),
                SizeIs(1));
}

TEST(Layers, ForwardArrowsPass) {
    EXPECT_THAT(
        sourceViolations("gui/window/main.cpp", "#include \"storage/read/run_reader.h\"\n#include <QApplication>\n"),
        IsEmpty());
    EXPECT_THAT(sourceViolations("storage/write/store.cpp", "#include <SQLiteCpp/Database.h>\nq(\"SELECT 1\");\n"),
                IsEmpty());
    const Targets targets{{"core_step", "core/train"}, {"storage", "storage"}};
    EXPECT_THAT(linkViolations("experiments", "target_link_libraries(dasgd PRIVATE core_step storage)\n", targets),
                IsEmpty());
    EXPECT_THAT(linkViolations("gui", "# not torch_cpu\ndasgd_library(gui LINKS storage)\n", targets), IsEmpty());
}

// Output of ldd: the libraries that the loader would bring in, those of libraries included.
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

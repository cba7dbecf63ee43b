// The shape of the tree: which layer may see which, and the budgets and habits that CONTRIBUTING.md lists.
// Every rule is also tried on a text that breaks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// What the sources of a folder may include and link, the longest matching folder first.
struct Layer {
    std::string folder;
    Names sees;
};
const std::vector<Layer> kLayers{
    {"core/base", {"core/base"}},
    {"core/comm", {"core/base", "core/comm"}},
    {"core/models", {"core/base", "core/models"}},
    {"core/datasets", {"core/base", "core/models", "core/datasets"}},
    {"core/algorithms", {"core/base", "core/comm", "core/train", "core/algorithms"}},
    {"core/train", {"core"}},
    {"storage", {"core/base", "storage"}},
    {"experiments", {"core", "storage", "experiments"}},
    {"gui", {"core/base", "storage", "gui"}},
};

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
     {"core/comm", "core/models", "core/datasets", "core/algorithms", "core/train", "experiments"}},
    {"Qt", {"Q"}, {"Qt6::"}, {"gui"}},
    {"QCustomPlot", {"qcustomplot"}, {"QCustomPlot"}, {"gui"}},
    {"SQLite", {"sqlite3", "SQLiteCpp"}, {"SQLite", "sqlite3"}, {"storage"}},
};

bool isUnder(std::string_view path, std::string_view folder) {
    return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

bool isUnderAny(std::string_view path, const Names& folders) {
    return std::ranges::any_of(folders, [&](const std::string& folder) { return isUnder(path, folder); });
}

bool startsWithAny(std::string_view text, const Names& beginnings) {
    return std::ranges::any_of(beginnings, [&](const std::string& beginning) { return text.starts_with(beginning); });
}

const Layer* layerOf(std::string_view path) {
    const auto found = std::ranges::find_if(kLayers, [&](const Layer& layer) { return isUnder(path, layer.folder); });
    return found == kLayers.end() ? nullptr : &*found;
}

// What one of our folders may not see of the others; empty where nothing is wrong.
std::string backwardArrow(std::string_view path, std::string_view target) {
    const Layer* layer = layerOf(path);
    if (!layer || !layerOf(target) || isUnderAny(target, layer->sees)) return {};
    return layer->folder + " may not see " + std::string(target);
}

std::string between(std::string_view line, std::string_view open, std::string_view close) {
    const auto from = line.find(open);
    if (from == std::string_view::npos) return {};
    const auto to = line.find(close, from + open.size());
    if (to == std::string_view::npos) return {};
    return std::string(line.substr(from + open.size(), to - from - open.size()));
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

// The folder that a target of ours lives in: core_train → core/train, gui_models → gui.
std::string folderOfTarget(std::string_view target) {
    if (target.ends_with("_objects")) target.remove_suffix(std::string_view("_objects").size());
    if (target.starts_with("core_")) return "core/" + std::string(target.substr(5));
    for (const std::string folder : {"storage", "experiments", "gui"}) {
        if (target == folder || target.starts_with(folder + "_")) return folder;
    }
    return {};
}

std::string withoutComments(std::string_view cmake) {
    std::istringstream lines{std::string(cmake)};
    std::string kept;
    for (std::string line; std::getline(lines, line);) kept += line.substr(0, line.find('#')) + "\n";
    return kept;
}

Names linkComplaints(std::string_view folder, std::string_view cmake) {
    static const Names kCommands{"target_link_libraries(", "dasgd_library(", "dasgd_torch_library(", "dasgd_plugins("};
    const std::string text = withoutComments(cmake);
    Names complaints;
    for (const std::string& command : kCommands) {
        for (auto at = text.find(command); at != std::string::npos; at = text.find(command, at + 1)) {
            const auto from = at + command.size();
            std::istringstream words{text.substr(from, text.find(')', from) - from)};
            std::string ownTarget;
            words >> ownTarget;
            for (std::string word; words >> word;) {
                const std::string target = folderOfTarget(word);
                if (!target.empty()) addIfSaid(complaints, backwardArrow(folder, target));
                addIfSaid(complaints, wrongForeign(folder, word, &Foreign::libraries));
            }
        }
    }
    return complaints;
}

// Words that tell of unfinished work, or of the machine that the work was done on.
Names habitComplaints(std::string_view path, std::string_view text) {
    // Put together from halves, so that this file does not complain about itself.
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
    Names complaints;
    for (const std::string& word : kUnfinished) {
        if (text.find(word) != std::string_view::npos) complaints.push_back(std::string(path) + " holds " + word);
    }
    for (auto slash = text.find('/'); slash != std::string_view::npos; slash = text.find('/', slash + 1)) {
        const char before = slash == 0 ? ' ' : text[slash - 1];
        const bool begins = std::string_view(" \t\n\"'=:(`").find(before) != std::string_view::npos;
        if (begins && startsWithAny(text.substr(slash + 1), kPeoplesFolders)) {
            complaints.push_back(std::string(path) + " names a machine's path: " + std::string(text.substr(slash, 40)));
        }
    }
    return complaints;
}

struct File {
    std::string path;  // from the root, with /
    std::string text;
};

// Every text file of the tree that is ours to keep: no build, no installed part, no licence text.
const std::vector<File>& tree() {
    static const std::vector<File> kFiles = [] {
        static const Names kTops{"core", "storage", "experiments", "gui", "tests", "resources", ".ci", ".github"};
        const fs::path root = DASGD_SOURCE_DIR;
        std::vector<fs::path> paths;
        for (const auto& entry : fs::directory_iterator(root)) {
            const fs::path name = entry.path().filename();
            if (entry.is_regular_file() && name != "LICENSE" && name != ".git") paths.push_back(entry.path());
        }
        for (const std::string& top : kTops) {
            if (!fs::exists(root / top)) continue;
            for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
                if (entry.is_regular_file()) paths.push_back(entry.path());
            }
        }
        std::vector<File> files;
        for (const fs::path& path : paths) {
            std::ifstream stream(path, std::ios::binary);
            std::ostringstream text;
            text << stream.rdbuf();
            if (text.view().find('\0') != std::string_view::npos) continue;
            files.push_back({path.lexically_relative(root).generic_string(), text.str()});
        }
        return files;
    }();
    return kFiles;
}

bool isSource(const File& file) { return file.path.ends_with(".h") || file.path.ends_with(".cpp"); }

Names everyComplaint(auto&& complaintsAbout) {
    Names all;
    for (const File& file : tree()) {
        for (std::string& complaint : complaintsAbout(file)) all.push_back(std::move(complaint));
    }
    return all;
}

TEST(Layers, NoSourceSeesAHigherLayer) {
    EXPECT_THAT(everyComplaint([](const File& file) {
                    return isSource(file) && layerOf(file.path) ? sourceComplaints(file.path, file.text) : Names{};
                }),
                IsEmpty());
}

TEST(Layers, NoLibraryLinksAHigherLayer) {
    int files = 0;
    EXPECT_THAT(everyComplaint([&](const File& file) {
                    if (!file.path.ends_with("/CMakeLists.txt") || !layerOf(file.path)) return Names{};
                    ++files;
                    return linkComplaints(fs::path(file.path).parent_path().generic_string(), file.text);
                }),
                IsEmpty());
    EXPECT_GE(files, 6) << "the tree was not found at " DASGD_SOURCE_DIR;
}

TEST(Layers, EveryBackwardArrowIsNoticed) {
    EXPECT_THAT(sourceComplaints("core/base/value.cpp", "#include \"storage/recorder.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("storage/store.cpp", "#include \"core/train/worker.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("gui/models/runs.cpp", "#include \"core/comm/pending.h\"\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("gui/main.cpp", "#include <torch/torch.h>\n#include <ATen/Tensor.h>\n"), SizeIs(2));
    EXPECT_THAT(sourceComplaints("core/train/worker.cpp", "#include <QString>\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("experiments/list.cpp", "#include <sqlite3.h>\n"), SizeIs(1));
    EXPECT_THAT(sourceComplaints("experiments/list.cpp", "query(\"SELECT run_id FROM run_list\");\n"), SizeIs(1));
    EXPECT_THAT(linkComplaints("gui", "target_link_libraries(gui_models PUBLIC\n  storage core_train)\n"), SizeIs(1));
    EXPECT_THAT(linkComplaints("gui", "target_link_libraries(dasgd-lab PRIVATE torch_cpu)\n"), SizeIs(1));
    EXPECT_THAT(linkComplaints("core/base", "dasgd_library(core_base SOURCES a.cpp LINKS Qt6::Core)\n"), SizeIs(1));
}

TEST(Layers, ForwardArrowsPass) {
    EXPECT_THAT(sourceComplaints("gui/main.cpp", "#include \"storage/run_reader.h\"\n#include <QApplication>\n"),
                IsEmpty());
    EXPECT_THAT(sourceComplaints("storage/store.cpp", "#include <SQLiteCpp/Database.h>\nq(\"SELECT 1\");\n"),
                IsEmpty());
    EXPECT_THAT(linkComplaints("experiments", "# torch\ntarget_link_libraries(dasgd PRIVATE core_train storage)\n"),
                IsEmpty());
}

TEST(Tree, IncludesStartAtTheRoot) {
    EXPECT_THAT(everyComplaint([](const File& file) {
                    Names wrong;
                    std::istringstream lines(isSource(file) ? file.text : "");
                    for (std::string line; std::getline(lines, line);) {
                        const std::string path = line.starts_with("#include") ? between(line, "\"", "\"") : "";
                        if (path.empty() || path.ends_with(".moc")) continue;
                        if (!fs::exists(fs::path(DASGD_SOURCE_DIR) / path)) wrong.push_back(file.path + ": " + line);
                    }
                    return wrong;
                }),
                IsEmpty());
}

TEST(Tree, EverySourceHasATestOfItsName) {
    Names tests;
    for (const File& file : tree()) {
        if (isUnder(file.path, "tests")) tests.push_back(fs::path(file.path).filename().string());
    }
    EXPECT_THAT(everyComplaint([&](const File& file) {
                    const fs::path path = file.path;
                    const bool counts =
                        path.extension() == ".cpp" && layerOf(file.path) && path.filename() != "main.cpp";
                    const bool tested = !counts || std::ranges::count(tests, path.stem().string() + "_test.cpp") > 0;
                    return tested ? Names{} : Names{file.path + " has no test of its name"};
                }),
                IsEmpty());
}

TEST(Tree, EveryModuleHasAShortReadme) {
    EXPECT_THAT(everyComplaint([](const File& file) {
                    if (!file.path.ends_with("/CMakeLists.txt") || !layerOf(file.path)) return Names{};
                    const std::string readme = fs::path(file.path).replace_filename("README.md").generic_string();
                    const auto found = std::ranges::find(tree(), readme, &File::path);
                    if (found == tree().end()) return Names{readme + " is missing"};
                    const auto lines = std::ranges::count(found->text, '\n');
                    return lines <= 40 ? Names{} : Names{readme + " has " + std::to_string(lines) + " lines"};
                }),
                IsEmpty());
}

TEST(Tree, FilesKeepToTheirBudget) {
    EXPECT_THAT(everyComplaint([](const File& file) {
                    const bool counts = isSource(file) || file.path == "lab" || file.path.ends_with(".sh") ||
                                        file.path.ends_with(".cmake") || file.path.ends_with("CMakeLists.txt");
                    const auto lines = counts ? std::ranges::count(file.text, '\n') : 0;
                    return lines <= 400 ? Names{} : Names{file.path + " has " + std::to_string(lines) + " lines"};
                }),
                IsEmpty());
}

TEST(Tree, NothingIsUnfinishedAndNoMachineIsNamed) {
    EXPECT_THAT(everyComplaint([](const File& file) { return habitComplaints(file.path, file.text); }), IsEmpty());
    EXPECT_THAT(habitComplaints("a.cpp", std::string("// TO") + "DO: later\n"), SizeIs(1));
    EXPECT_THAT(habitComplaints("a.cpp", std::string("open(\"/ho") + "me/ada/data\");"), SizeIs(1));
    EXPECT_THAT(habitComplaints("a.cpp", "#include \"core/base/ids.h\"\n// tests/gui/home/x, /proc/self, a/work/b\n"),
                IsEmpty());
}

TEST(Tree, OnlyDeviceTestsMaySkip) {
    const std::string skip = std::string("GTEST") + "_SKIP", qtSkip = std::string("QS") + "KIP";
    EXPECT_THAT(everyComplaint([&](const File& file) {
                    const bool device =
                        file.path.find("nccl") != std::string::npos || file.path.find("cuda") != std::string::npos;
                    const bool skips = isSource(file) && (file.text.find(skip) != std::string::npos ||
                                                          file.text.find(qtSkip) != std::string::npos);
                    return skips && !device ? Names{file.path + " skips"} : Names{};
                }),
                IsEmpty());
}

// What the loader would bring in, libraries of libraries included.
[[maybe_unused]] std::string loadedLibraries(const std::string& program) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("ldd '" + program + "' 2>&1").c_str(), "r"), pclose);
    std::string text;
    std::array<char, 4096> chunk{};
    while (pipe && std::fgets(chunk.data(), chunk.size(), pipe.get())) text += chunk.data();
    return text;
}

#ifdef DASGD_LAB_PROGRAM
TEST(Programs, TheWindowLoadsNoTorch) {
    const std::string libraries = loadedLibraries(DASGD_LAB_PROGRAM);
    EXPECT_THAT(libraries, HasSubstr("libQt6Core"));
    for (const char* engine : {"libtorch", "libc10", "libnccl", "libgloo"}) {
        EXPECT_THAT(libraries, Not(HasSubstr(engine)));
    }
}
#endif

#ifdef DASGD_PROGRAM
TEST(Programs, TheEngineLoadsNoQt) {
    const std::string libraries = loadedLibraries(DASGD_PROGRAM);
    EXPECT_THAT(libraries, HasSubstr("libtorch_cpu"));
    EXPECT_THAT(libraries, Not(HasSubstr("libQt6")));
}
#endif

}  // namespace

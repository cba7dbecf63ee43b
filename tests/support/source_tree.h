// The files of the tree as text, for tests of its shape.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/paths.h"

namespace dasgd::test {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// Folders whose headers and libraries the sources of a folder may use; the longest matching folder comes first.
struct Layer {
    std::string folder;
    Names sees;
};
inline const std::vector<Layer> kLayers{
    {"core/base", {"core/base"}},
    {"core/journal", {"core/base", "core/journal"}},
    {"core/analysis", {"core/base", "core/analysis"}},
    {"core/cost", {"core/base", "core/cost"}},
    {"core/device", {"core/base", "core/device"}},
    {"core/graphs", {"core/base", "core/graphs"}},
    {"core/tensors", {"core/base", "core/tensors"}},
    {"core/gpu", {"core/base", "core/device", "core/gpu"}},
    {"core/comm", {"core/base", "core/cost", "core/device", "core/comm"}},
    {"core/exec", {"core/base", "core/analysis", "core/device", "core/comm", "core/exec"}},
    {"core/step", {"core/base", "core/comm", "core/gpu", "core/exec", "core/tensors", "core/step"}},
    {"core/sim", {"core/base", "core/cost", "core/comm", "core/exec", "core/sim"}},
    {"core/backends",
     {"core/base", "core/cost", "core/device", "core/gpu", "core/comm", "core/exec", "core/sim", "core/backends"}},
    {"core/models", {"core/base", "core/tensors", "core/models"}},
    {"core/datasets", {"core/base", "core/gpu", "core/models", "core/datasets"}},
    {"core/checkpoint", {"core/base", "core/datasets/formats", "core/checkpoint"}},
    {"core/optimizers", {"core/base", "core/tensors", "core/step", "core/optimizers"}},
    {"core/schedules", {"core/base", "core/schedules"}},
    {"core/compression", {"core/base", "core/cost", "core/comm", "core/exec", "core/step", "core/compression"}},
    {"core/algorithms",
     {"core/base", "core/cost", "core/gpu", "core/comm", "core/exec", "core/tensors", "core/step", "core/optimizers",
      "core/graphs", "core/compression", "core/algorithms"}},
    {"core/experiment",
     {"core/base", "core/cost", "core/comm", "core/exec", "core/step", "core/sim", "core/backends", "core/models",
      "core/datasets", "core/optimizers", "core/schedules", "core/graphs", "core/compression", "core/algorithms",
      "core/experiment"}},
    {"core/train", {"core"}},
    {"storage", {"core/base", "core/journal", "core/analysis", "storage"}},
    {"experiments/base", {"core/base", "core/analysis", "experiments/base"}},
    // The doors to the engine: the rest of the commands compiles without torch.
    {"experiments/config/checked_experiment.cpp", {"core", "experiments/base", "experiments/config"}},
    {"experiments/config/schema.cpp", {"core", "experiments/config"}},
    {"experiments/config/model_check.h", {"core/base", "core/models", "experiments/config"}},
    {"experiments/config/model_check.cpp", {"core/base", "core/models", "experiments/base", "experiments/config"}},
    {"experiments/config",
     {"core/base", "core/analysis", "core/cost", "core/backends/layout.h", "experiments/base", "experiments/config"}},
    {"experiments/tools/traces",
     {"core/base", "core/analysis", "storage", "experiments/base", "experiments/tools/traces"}},
    {"experiments/tools/report",
     {"core/base", "core/analysis", "storage", "experiments/base", "experiments/config", "experiments/tools/traces",
      "experiments/tools/report"}},
    {"experiments/tools/published",
     {"core/base", "storage", "experiments/base", "experiments/config", "experiments/tools/published"}},
    {"experiments/tools/tune",
     {"core/base", "core/analysis", "experiments/base", "experiments/config", "experiments/tools/tune"}},
    {"experiments/run/queue",
     {"core/base", "core/analysis", "storage", "experiments/base", "experiments/config", "experiments/run"}},
    {"experiments/run",
     {"core/base", "core/analysis", "core/checkpoint", "core/device", "storage", "experiments/base",
      "experiments/config", "experiments/tools/report", "experiments/run"}},
    {"experiments/tools/calibrate",
     {"core/base", "core/analysis", "core/cost", "storage", "experiments/base", "experiments/config",
      "experiments/tools/report", "experiments/run", "experiments/tools/calibrate"}},
    {"experiments/tools/advise",
     {"core/base", "core/analysis", "core/cost", "core/sim/compute/jitter.h", "storage", "experiments/base",
      "experiments/config", "experiments/tools/report", "experiments/run", "experiments/tools/calibrate",
      "experiments/tools/advise"}},
    {"experiments/tools/forecast",
     {"core/base", "core/analysis", "core/cost", "core/backends/layout.h", "storage", "experiments/base",
      "experiments/config", "experiments/tools/advise", "experiments/run", "experiments/tools/calibrate",
      "experiments/tools/forecast"}},
    {"experiments/transport/mirror",
     {"core/base", "storage", "experiments/base", "experiments/transport/pipe", "experiments/transport/mirror"}},
    {"experiments/transport", {"core", "storage", "experiments/base", "experiments/transport"}},
    {"experiments/cluster",
     {"core/base", "core/analysis", "core/backends/layout.h", "core/comm/gloo/interface.h", "storage",
      "experiments/base", "experiments/config", "experiments/tools/report", "experiments/run", "experiments/transport",
      "experiments/cluster"}},
    {"experiments/ranks",
     {"core", "storage", "experiments/base", "experiments/config", "experiments/tools/report", "experiments/run",
      "experiments/transport", "experiments/ranks"}},
    {"experiments", {"core", "storage", "experiments"}},
    {"gui/kit/words", {"core/base", "gui/kit/words"}},
    // Graphs are drawn from a run's settings by the engine's own functions, which need nothing else of it.
    {"gui/kit/curves", {"core/base", "core/graphs", "storage", "gui/kit/words", "gui/kit/curves"}},
    {"gui/kit/theme", {"core/base", "gui/kit/words", "gui/kit/curves", "gui/kit/theme"}},
    {"gui/kit/plots",
     {"core/base", "core/analysis", "gui/kit/words", "gui/kit/curves", "gui/kit/theme", "gui/kit/plots"}},
    {"gui/kit/parts", {"core/base", "gui/kit/words", "gui/kit/theme", "gui/kit/parts"}},
    {"gui/data", {"core/base", "core/analysis", "storage", "gui/kit/words", "gui/kit/curves", "gui/data"}},
    {"gui/experiment/model",
     {"core/base", "core/analysis", "core/cost", "storage", "gui/kit/words", "gui/kit/curves", "gui/data",
      "gui/experiment/model"}},
    {"gui/runs/model",
     {"core/base", "core/analysis", "storage", "gui/kit/words", "gui/kit/curves", "gui/data", "gui/runs/model"}},
    {"gui/run/model",
     {"core/base", "core/analysis", "storage", "gui/kit/words", "gui/kit/curves", "gui/data", "gui/run/model"}},
    {"gui/timeline/model",
     {"core/base", "core/analysis", "storage", "gui/kit/words", "gui/kit/curves", "gui/data", "gui/timeline/model"}},
    {"gui/compare/model",
     {"core/base", "core/analysis", "storage", "gui/kit/words", "gui/kit/curves", "gui/data", "gui/compare/model"}},
    {"gui/scaling/model",
     {"core/base", "core/analysis", "storage", "gui/kit/words", "gui/kit/curves", "gui/data", "gui/experiment/model",
      "gui/scaling/model"}},
    // A figure stands for what a page shows: its specification knows the models of the pages, and the pages know it.
    {"gui/figures/model",
     {"core/base", "core/analysis", "storage", "gui/kit/words", "gui/kit/curves", "gui/data", "gui/compare/model",
      "gui/scaling/model", "gui/figures/model"}},
    {"gui/figures/export",
     {"core/base", "core/analysis", "storage", "gui/kit", "gui/data", "gui/figures/model", "gui/figures/export"}},
    {"gui/timeline",
     {"core/base", "core/analysis", "storage", "gui/kit", "gui/data", "gui/figures/model", "gui/figures/export",
      "gui/timeline"}},
    {"gui/run",
     {"core/base", "core/analysis", "storage", "gui/kit", "gui/data", "gui/experiment/model", "gui/compare/model",
      "gui/figures/model", "gui/figures/export", "gui/scaling/model", "gui/scaling/reports", "gui/timeline",
      "gui/run"}},
    {"gui/runs",
     {"core/base", "core/analysis", "storage", "gui/kit", "gui/data", "gui/experiment/model", "gui/figures/model",
      "gui/figures/export", "gui/scaling/reports", "gui/run", "gui/runs"}},
    {"gui/compare",
     {"core/base", "core/analysis", "storage", "gui/kit", "gui/data", "gui/figures/model", "gui/figures/export",
      "gui/compare"}},
    {"gui/scaling",
     {"core/base", "core/analysis", "storage", "gui/kit", "gui/data", "gui/experiment/model", "gui/figures/model",
      "gui/figures/export", "gui/scaling"}},
    {"gui/experiment",
     {"core/base", "core/analysis", "core/cost", "storage", "gui/kit", "gui/data", "gui/scaling/model",
      "gui/scaling/reports", "gui/timeline", "gui/experiment"}},
    {"gui/figures",
     {"core/base", "core/analysis", "core/cost", "storage", "gui/kit", "gui/data", "gui/compare", "gui/experiment/form",
      "gui/experiment", "gui/scaling/model", "gui/timeline", "gui/figures"}},
    {"gui/window", {"core/base", "core/analysis", "storage", "gui"}},
    {"gui", {"core/base", "core/analysis", "core/cost", "core/graphs", "storage", "gui"}},
};

inline bool isUnder(std::string_view path, std::string_view folder) {
    return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

inline bool isUnderAny(std::string_view path, const Names& folders) {
    return std::ranges::any_of(folders, [&](const std::string& folder) { return isUnder(path, folder); });
}

inline bool startsWithAny(std::string_view text, const Names& beginnings) {
    return std::ranges::any_of(beginnings, [&](const std::string& beginning) { return text.starts_with(beginning); });
}

inline const Layer* layerOf(std::string_view path) {
    const auto found = std::ranges::find_if(kLayers, [&](const Layer& layer) { return isUnder(path, layer.folder); });
    return found == kLayers.end() ? nullptr : &*found;
}

inline std::string between(std::string_view line, std::string_view open, std::string_view close) {
    const auto from = line.find(open);
    if (from == std::string_view::npos) return {};
    const auto to = line.find(close, from + open.size());
    if (to == std::string_view::npos) return {};
    return std::string(line.substr(from + open.size(), to - from - open.size()));
}

struct File {
    std::string path;  // from the root, with /
    std::string text;
};

// Every text file of the tree that is ours to keep: no build, no installed part, no licence text.
inline const std::vector<File>& tree() {
    static const std::vector<File> kFiles = [] {
        static const Names kTops{"core", "storage", "experiments", "gui", "tests", "resources", ".ci", ".github"};
        const fs::path root = kSourceDir;
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

inline bool isSource(const File& file) { return file.path.ends_with(".h") || file.path.ends_with(".cpp"); }

Names everyViolation(auto&& violationsOf) {
    Names all;
    for (const File& file : tree()) {
        for (std::string& violation : violationsOf(file)) all.push_back(std::move(violation));
    }
    return all;
}

}  // namespace dasgd::test

#include "core/experiment/stages_check.h"

#include <string>

#include "core/algorithms/extensions.h"
#include "core/experiment/algorithm_names.h"

namespace dasgd {

Status checkStages(const Value& document, const Experiment& experiment) {
    const std::int64_t stages = experiment.cluster.stages, workers = experiment.cluster.workers;
    if (stages == 1) return {};
    const auto refuse = [&](const char* section, const char* key, const std::string& why) {
        return document.find(section)->find(key)->error(why);
    };
    if (workers % stages != 0) {
        return refuse("cluster", "stages",
                      "stages is " + std::to_string(stages) + ", and workers is " + std::to_string(workers) +
                          ": each replica of the model takes " + std::to_string(stages) +
                          " ranks; choose a number of stages that divides workers");
    }
    const auto algorithm = experiment.makeAlgorithm();
    if (!dynamic_cast<const TrainsStages*>(algorithm.get())) {
        return refuse("cluster", "stages",
                      experiment.algorithmName +
                          " trains whole models: set stages = 1, or choose an algorithm of stages: " +
                          algorithmsWith<TrainsStages>());
    }
    if (experiment.layout.onGpus) {
        return refuse("cluster", "stages",
                      "stages are trained on the host yet: set backend = \"gloo\", \"threads\" or \"virtual\"");
    }
    if (experiment.train.gradientClip > 0) {
        return refuse("train", "gradient_clip",
                      "gradients are clipped by the norm of all of them, and with stages each rank has a part of them: "
                      "remove gradient_clip, or set stages = 1 in [cluster]");
    }
    if (experiment.train.autocasts()) {
        return refuse("train", "autocast",
                      "stages send each other values of train.precision: remove autocast, or set stages = 1 in "
                      "[cluster]");
    }
    return {};
}

}  // namespace dasgd

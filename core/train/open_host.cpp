#include "core/train/open_host.h"

#include "core/base/check.h"
#include "core/train/steps/measure_step.h"

namespace dasgd {

Result<std::unique_ptr<RankHost>> openHost(const Experiment& experiment, const TrainingData* data,
                                           HostRequest request) {
    request.cluster = &experiment.cluster;
    if (!experiment.timeSimulated()) return experiment.backend->open(request);
    DASGD_CHECK(data && "simulated time is made from the experiment's data");
    const Plan plan = planSteps(experiment, data->splits.train.count());
    const SimulatedCluster simulated{.topology = *experiment.topology,
                                     .network = experiment.network,
                                     .compute = experiment.compute,
                                     .faults = experiment.faults,
                                     .stepTimes = [&] { return stepTimesOf(experiment, *data); },
                                     .stepsPerEpoch = plan.meanEpochSteps(),
                                     .microBatches = experiment.train.accumulate};
    request.simulated = &simulated;
    return experiment.backend->open(request);
}

}  // namespace dasgd

// One rank from its start to its last record.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/control.h"
#include "core/base/event.h"
#include "core/comm/communicator.h"
#include "core/exec/cpu_executor.h"
#include "core/exec/executor.h"
#include "core/experiment/experiment.h"
#include "core/gpu/tensor_device.h"
#include "core/train/data/training_data.h"
#include "core/train/rank_checkpoints.h"

namespace dasgd {

class EvaluationBoard;

struct WorkerEnvironment {
    Communicator& comm;
    Clock& clock;
    EventSink& sink;
    StepGate* control = nullptr;  // null: nobody can stop the run
    MakeExecutor executor = onProcessor();
    const TrainingData* data = nullptr;  // null: the rank loads its own
    // shared by all ranks; set where time is simulated, unless nothing is computed
    EvaluationBoard* evaluations = nullptr;
    TensorDevice* device = nullptr;                      // null: it computes on the CPU
    const CheckpointEnvironment* checkpoints = nullptr;  // null: nothing is saved
    std::string host;                    // host that it runs on, for its first state record; "": on no host of its own
    std::filesystem::path profileTrace;  // record.profile is also written there; "": nowhere
};

struct WorkerOutcome {
    enum class Kind { Finished, Stopped, Failed };
    Kind kind = Kind::Finished;
    std::int64_t step = 0;
    std::string error;  // for Failed: the activity, the error and the step
};

// Trains to the end, a stop or a failure. Catches every exception; the sink's last state agrees with the outcome.
WorkerOutcome runWorker(const Experiment& experiment, const WorkerEnvironment& environment);

}  // namespace dasgd

// Counts a model's floating-point operations by observing one pass.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/models/model.h"
#include "core/sim/compute/layer_work.h"
#include "core/train/data/training_data.h"

namespace dasgd {

// Work of one sample, listed under the trainable parameters of `model` in registration order. Runs the loss on `batch`,
// which has `samples` of them, and counts the convolutions, matrix products, attentions and LSTM layers it sees, once
// under each parameter that takes part; a product of no parameter (of queries and keys, say) counts under the parameter
// before it. Backward: as much again for the parameter, and as much for the layer's input, unless that is the data.
// Afterwards the model is unchanged but for the statistics in its buffers and the state of a recurrent network.
[[nodiscard]] LayerWork countFlops(Model& model, const Batch& batch, std::int64_t samples);

// Work of the experiment's model, counted on a few of its samples. Errors: the model cannot be built.
[[nodiscard]] Result<LayerWork> layerWorkOf(const Experiment& experiment, const TrainingData& data);

}  // namespace dasgd

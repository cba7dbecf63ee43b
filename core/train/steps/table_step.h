// Lookups in embedding tables that the algorithm has divided among the ranks, on both sides of a rank's own passes.
#pragma once

#include <ATen/ops/empty.h>

#include <cstdint>
#include <optional>

#include "core/algorithms/extensions.h"
#include "core/experiment/experiment.h"
#include "core/models/embedding_tables.h"
#include "core/step/step_context.h"

namespace dasgd {

class TableStep {
public:
    // `model`: null where nothing is computed. Both outlive the step.
    TableStep(DividesTables& algorithm, HasEmbeddingTables* model, const Categories& categories)
        : algorithm_(algorithm), model_(model), categories_(categories) {
        algorithm_.setTables(categories_.features);
    }
    void beforeForward(StepContext& context, const Batch& batch, std::int64_t samples) {
        const at::Tensor rows = model_ ? model_->rowsOf(batch.inputs)
                                       : at::empty({samples, categories_.features, categories_.lookups},
                                                   context.params().weights().options());
        pooled_ = algorithm_.lookUp(context, rows);
        if (model_) model_->takePooled(pooled_.requires_grad_());
    }
    void afterBackward(StepContext& context) {
        algorithm_.addGradients(context, model_ ? pooled_.grad() : pooled_);
        pooled_ = at::Tensor();
    }

private:
    DividesTables& algorithm_;
    HasEmbeddingTables* model_;
    Categories categories_;
    at::Tensor pooled_;  // of the micro-batch under way
};

// Nullopt where the model has no tables, or the algorithm divides none.
[[nodiscard]] inline std::optional<TableStep> tableStep(const Experiment& experiment, Algorithm& algorithm,
                                                        Model* model) {
    auto* divides = dynamic_cast<DividesTables*>(&algorithm);
    const Categories categories = experiment.model->naturalInput().categories;
    if (!divides || categories.features == 0) return std::nullopt;
    return TableStep(*divides, dynamic_cast<HasEmbeddingTables*>(model), categories);
}

}  // namespace dasgd

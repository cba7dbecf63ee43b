// Choice of the layers that are whole on every rank and of those that the ranks divide, within a limit of memory: the
// planner of OSDP (Jiang et al., "OSDP: Optimal Sharded Data Parallel for Distributed Deep Learning", arXiv
// 2209.13258). Pure.
//
// A whole layer costs an all-reduce of its gradient each step. A divided one (ZeRO stage 3, FSDP) costs two all-gathers
// of its weights, before either pass, and a reduce-scatter of its gradient: half as much again on the wire, and takes
// 1/P of the memory, plus the whole layer while it computes. The plan has the least sum of these times; how much of
// them computing hides is not counted, as in the paper's model.
//
// The authors publish 192.3 against 158.0 sequences a second for GPT-2 with 48 layers in 8 GB, and 1,262 against 453
// for OPT with 8 layers in 16 GB (README of Youhe-Jiang/IJCAI2023-OptimalShardedDataParallel). Ratios of 1.22 and 2.79:
// communication by this model differs by at most 1.5 between no layer and all layers divided, so that the second, at
// least, has other causes. Nothing here is fitted to either.
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/cost/cost.h"
#include "core/cost/memory/rank_memory.h"

namespace dasgd {

struct PlannedLayer {
    double wholeBytes = 0;     // state on each rank where the layer is whole
    double dividedBytes = 0;   // state on each rank where it is divided
    double gatheredBytes = 0;  // beside that, while a divided layer computes; one layer at a time
    double wholeSeconds = 0;   // communication of a step
    double dividedSeconds = 0;
};

// A layer of `parameters` parameters among `ranks` ranks; rings over `link`.
[[nodiscard]] PlannedLayer plannedLayer(double parameters, const StateBytes& state, int ranks, const LinkCost& link);

struct ShardPlan {
    std::vector<bool> isDivided;  // of each layer
    double bytes = 0;             // at most, on each rank
    double seconds = 0;           // of communication in a step
};

// Memory and time of one choice.
[[nodiscard]] ShardPlan planOf(std::span<const PlannedLayer> layers, std::vector<bool> isDivided);
// The choice that takes least memory: the largest layers whole, or none.
[[nodiscard]] ShardPlan leastMemory(std::span<const PlannedLayer> layers);
// The choice that takes least time within `limitBytes`, by a dynamic programme over layers and memory: of all choices
// for the layers so far, those that another beats in both are dropped. It is exact up to 65,536 choices that are left
// at one time, as for 16 different layers; beyond, of those within 1/16,384 of the limit only the fastest is kept, so
// that a plan fits always and may be slower than the best. Errors: the limit is below leastMemory().
[[nodiscard]] Result<ShardPlan> planShards(std::span<const PlannedLayer> layers, double limitBytes);

}  // namespace dasgd

// Models whose state from batch to batch is the same on every rank.
#pragma once

namespace dasgd {

// An interface of a Model beside its own: passState() holds counters of batches and flags, and nothing that comes from
// the data or the random numbers of a rank. Where a run is resumed with another number of ranks, all of them begin with
// the state of rank 0. Other models begin such a run without one, as an epoch.
class HasCommonPassState {
public:
    virtual ~HasCommonPassState() = default;
};

}  // namespace dasgd

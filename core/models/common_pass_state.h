// What becomes of a model's state from batch to batch where a run is resumed with another number of ranks: two
// interfaces of a Model beside its own. Models with neither begin such a run without a state, as an epoch.
#pragma once

namespace dasgd {

// passState() holds counters of batches and flags, and nothing that comes from the data or the random numbers of a
// rank: all ranks begin with the state of rank 0.
class HasCommonPassState {
public:
    virtual ~HasCommonPassState() = default;
};

// passState() holds random numbers of the rank and nothing else: a rank that the checkpoint has takes its own up again,
// so that no number is drawn twice. Others begin with those of their seed.
class HasRandomPassState {
public:
    virtual ~HasRandomPassState() = default;
};

}  // namespace dasgd

#include "core/step/step_context.h"

#include <ATen/CPUGeneratorImpl.h>

#include "core/base/random.h"

namespace dasgd {

StepContext::StepContext(Communicator& comm, Clock& clock, FlatParams& params, Executor& executor, std::int64_t samples,
                         Extras extras)
    : comm_(comm),
      clock_(clock),
      params_(params),
      executor_(executor),
      gradientFeed_(params, &executor, extras.device),
      samples_(samples),
      extras_(std::move(extras)),
      random_(at::detail::createCPUGenerator(streamSeed(extras_.seed, comm.rank().value(), StreamPurpose::Algorithm))),
      sharedRandom_(at::detail::createCPUGenerator(streamSeed(extras_.seed, kEveryRank, StreamPurpose::Algorithm))) {}

}  // namespace dasgd

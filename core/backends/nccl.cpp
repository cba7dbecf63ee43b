// Ranks are processes with a GPU each, of one or many hosts. Communication: NCCL, called directly
// (core/comm/nccl/nccl.h); time: the host's monotonic clock, and the GPU's on it. Needs what
// core/backends/gpu_runtime.h loads.
#include "core/backends/gpu_backend.h"

namespace dasgd {
namespace {

class NcclBackend final : public GpuBackend {
public:
    explicit NcclBackend(const GpuParams& params) : GpuBackend(params, loadGpuRuntime) {}
};

const BackendRegistry::Add<NcclBackend, GpuParams> kNcclBackendEntry{"nccl", "processes with a GPU each"};

}  // namespace
}  // namespace dasgd

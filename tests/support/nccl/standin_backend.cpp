// The backend `nccl` over stand-ins (standin_machine.h), under a name that says so wherever it shows. For programs of
// tests alone: nothing that is built for users links this.
#include "core/backends/gpu_backend.h"
#include "tests/support/nccl/standin_machine.h"

namespace dasgd::test {
namespace {

class StandInBackend final : public GpuBackend {
public:
    explicit StandInBackend(const GpuParams& params)
        : GpuBackend(params, []() -> Result<GpuRuntime> { return standInRuntime(); }) {}
};

const BackendRegistry::Add<StandInBackend, GpuParams> kStandInBackendEntry{
    "nccl_stand_in", "stand-ins for NCCL and GPUs, of the tests; no figure comes from them"};

}  // namespace
}  // namespace dasgd::test

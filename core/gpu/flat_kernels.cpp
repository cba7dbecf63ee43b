#include "core/gpu/flat_kernels.h"

#define DASGD_SOURCE(...) #__VA_ARGS__

namespace dasgd {

const char* flatKernelsSource() {
    return
#include "core/gpu/flat_kernels.inc"
        ;
}

}  // namespace dasgd

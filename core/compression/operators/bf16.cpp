// bfloat16: 8 significant bits, and the range of single precision.
#include "core/compression/operators/small_floats.h"

namespace dasgd {
namespace {

const CompressorRegistry::Add<Cast<BFloat16>> kBf16Entry{"bf16", "Numbers in bfloat16"};

}  // namespace
}  // namespace dasgd

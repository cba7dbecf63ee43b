// Half precision: 11 significant bits, up to 65504; larger numbers arrive as infinity. What is below 6e-8 is lost.
#include "core/compression/operators/small_floats.h"

namespace dasgd {
namespace {

const CompressorRegistry::Add<Cast<Half>> kFp16Entry{"fp16", "Numbers in half precision (IEEE 754 binary16)"};

}  // namespace
}  // namespace dasgd

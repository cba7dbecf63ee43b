#include "core/datasets/embedded.h"

// The assembler copies each file between two symbols; CMake says where the files lie.
// clang-format off
#define DASGD_EMBED(symbol, file)                      \
    asm(".pushsection .rodata\n"                       \
        ".global " symbol "\n"                         \
        ".global " symbol "End\n"                      \
        symbol ":\n"                                   \
        ".incbin \"" DASGD_MNIST5K_DIR "/" file "\"\n" \
        symbol "End:\n"                                \
        ".byte 0\n"                                    \
        ".popsection\n")
// clang-format on

DASGD_EMBED("kDasgdTrainImages", "train-images-idx3-ubyte.gz");
DASGD_EMBED("kDasgdTrainLabels", "train-labels-idx1-ubyte.gz");
DASGD_EMBED("kDasgdTestImages", "t10k-images-idx3-ubyte.gz");
DASGD_EMBED("kDasgdTestLabels", "t10k-labels-idx1-ubyte.gz");

extern "C" {
extern const unsigned char kDasgdTrainImages[], kDasgdTrainImagesEnd[];
extern const unsigned char kDasgdTrainLabels[], kDasgdTrainLabelsEnd[];
extern const unsigned char kDasgdTestImages[], kDasgdTestImagesEnd[];
extern const unsigned char kDasgdTestLabels[], kDasgdTestLabelsEnd[];
}

namespace dasgd {

EmbeddedDigits embeddedDigits() {
    return {.trainImages = {kDasgdTrainImages, kDasgdTrainImagesEnd},
            .trainLabels = {kDasgdTrainLabels, kDasgdTrainLabelsEnd},
            .testImages = {kDasgdTestImages, kDasgdTestImagesEnd},
            .testLabels = {kDasgdTestLabels, kDasgdTestLabelsEnd}};
}

}  // namespace dasgd

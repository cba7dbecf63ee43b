#include "core/datasets/embedded.h"

// The assembler places each file between two symbols; CMake gives the files' paths.
// clang-format off
#define DASGD_EMBED(symbol, file)                      \
    asm(".pushsection .rodata\n"                       \
        ".global " symbol "\n"                         \
        ".global " symbol "End\n"                      \
        symbol ":\n"                                   \
        ".incbin \"" DASGD_SHIPPED_DIR "/" file "\"\n" \
        symbol "End:\n"                                \
        ".byte 0\n"                                    \
        ".popsection\n")
// clang-format on

DASGD_EMBED("kDasgdTrainImages", "mnist5k/train-images-idx3-ubyte.gz");
DASGD_EMBED("kDasgdTrainLabels", "mnist5k/train-labels-idx1-ubyte.gz");
DASGD_EMBED("kDasgdTestImages", "mnist5k/t10k-images-idx3-ubyte.gz");
DASGD_EMBED("kDasgdTestLabels", "mnist5k/t10k-labels-idx1-ubyte.gz");
DASGD_EMBED("kDasgdProse", "text/kjv-part.txt.gz");

extern "C" {
extern const unsigned char kDasgdTrainImages[], kDasgdTrainImagesEnd[];
extern const unsigned char kDasgdTrainLabels[], kDasgdTrainLabelsEnd[];
extern const unsigned char kDasgdTestImages[], kDasgdTestImagesEnd[];
extern const unsigned char kDasgdTestLabels[], kDasgdTestLabelsEnd[];
extern const unsigned char kDasgdProse[], kDasgdProseEnd[];
}

namespace dasgd {

EmbeddedDigits embeddedDigits() {
    return {.trainImages = {kDasgdTrainImages, kDasgdTrainImagesEnd},
            .trainLabels = {kDasgdTrainLabels, kDasgdTrainLabelsEnd},
            .testImages = {kDasgdTestImages, kDasgdTestImagesEnd},
            .testLabels = {kDasgdTestLabels, kDasgdTestLabelsEnd}};
}

std::span<const unsigned char> embeddedProse() { return {kDasgdProse, kDasgdProseEnd}; }

}  // namespace dasgd

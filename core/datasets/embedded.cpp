#include "core/datasets/embedded.h"

// The assembler copies each file between two symbols; CMake says where the files lie.
#define DASGD_EMBED(symbol, file)               \
    asm(".pushsection .rodata\n"                \
        ".global dasgd_" symbol                 \
        "\n"                                    \
        ".global dasgd_" symbol                 \
        "_end\n"                                \
        "dasgd_" symbol                         \
        ":\n"                                   \
        ".incbin \"" DASGD_MNIST5K_DIR "/" file \
        "\"\n"                                  \
        "dasgd_" symbol                         \
        "_end:\n"                               \
        ".byte 0\n"                             \
        ".popsection\n")

DASGD_EMBED("train_images", "train-images-idx3-ubyte.gz");
DASGD_EMBED("train_labels", "train-labels-idx1-ubyte.gz");
DASGD_EMBED("test_images", "t10k-images-idx3-ubyte.gz");
DASGD_EMBED("test_labels", "t10k-labels-idx1-ubyte.gz");

extern "C" {
extern const unsigned char dasgd_train_images[], dasgd_train_images_end[];
extern const unsigned char dasgd_train_labels[], dasgd_train_labels_end[];
extern const unsigned char dasgd_test_images[], dasgd_test_images_end[];
extern const unsigned char dasgd_test_labels[], dasgd_test_labels_end[];
}

namespace dasgd {

EmbeddedDigits embeddedDigits() {
    return {.trainImages = {dasgd_train_images, dasgd_train_images_end},
            .trainLabels = {dasgd_train_labels, dasgd_train_labels_end},
            .testImages = {dasgd_test_images, dasgd_test_images_end},
            .testLabels = {dasgd_test_labels, dasgd_test_labels_end}};
}

}  // namespace dasgd

// The digits that ship inside the program: resources/data/mnist5k.
#pragma once

#include <span>

namespace dasgd {

struct EmbeddedDigits {
    std::span<const unsigned char> trainImages, trainLabels, testImages, testLabels;  // IDX files, gzip
};

[[nodiscard]] EmbeddedDigits embeddedDigits();

}  // namespace dasgd

// Data sets inside the program, from resources/data.
#pragma once

#include <span>

namespace dasgd {

struct EmbeddedDigits {
    std::span<const unsigned char> trainImages, trainLabels, testImages, testLabels;  // IDX files, gzip
};

[[nodiscard]] EmbeddedDigits embeddedDigits();

// 1.2 MB of English prose in UTF-8, gzip.
[[nodiscard]] std::span<const unsigned char> embeddedProse();

}  // namespace dasgd

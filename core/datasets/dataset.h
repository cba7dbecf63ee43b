// A data set. One .cpp each, registered by its last line.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/base/schema/registry.h"
#include "core/datasets/samples.h"
#include "core/models/model.h"

namespace dasgd {

struct Splits {
    Samples train;
    Samples test;
    InputSpec input;
    // Number of damaged files, or lines, that were left out; nullopt where damage is refused.
    std::optional<std::int64_t> skipped = std::nullopt;
    std::string firstSkipped = {};  // the first of them and what is wrong with it; "" where none was
    std::string notRead = {};       // files in place of samples that are of no format that is read, in words; or ""
};

class Dataset {
public:
    virtual ~Dataset() = default;
    // Loads the samples. `natural` is the model's own input: data sets with a shape of their own ignore it. Errors name
    // the path, the place and the remedy: missing or truncated file, wrong magic number, sizes that do not match.
    [[nodiscard]] virtual Result<Splits> load(const InputSpec& natural) const = 0;
    // True where the samples follow one another, as in a text: each rank goes through a contiguous part of them in
    // order.
    [[nodiscard]] virtual bool isContinuous(const InputSpec& natural) const {
        static_cast<void>(natural);
        return false;
    }
};

using DatasetRegistry = Registry<Dataset>;

}  // namespace dasgd

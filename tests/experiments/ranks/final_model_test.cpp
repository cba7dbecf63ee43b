// The model that a run leaves: the mean of its ranks, whatever they ended with.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "core/datasets/formats/file_mapping.h"
#include "core/datasets/formats/safetensors_file.h"
#include "storage/read/metric_reader.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

// The last of each rank.
std::map<int, double> lastOf(storage::MetricReader& reader, const std::string& run, const std::string& metric) {
    std::map<int, double> last;
    const auto found = reader.samples({.runId = run, .name = metric, .rank = std::nullopt});
    for (const storage::MetricSample& sample : found.value().samples) last[sample.rank] = sample.value;
    return last;
}

class FinalModel : public ::testing::TestWithParam<const char*> {};

// Ranks of `independent` descend to targets of their own and never meet.
TEST_P(FinalModel, IsTheMeanOfRanksThatDiffer) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment(GetParam()) + "[record]\nweights = true\n");
    const test::Ended ended =
        folder.run({"run", "e.toml", "-w", "w", "-q", "--drop-unknown", "--set", "algorithm.name=independent"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const std::string run = folder.firstRun();
    auto reader = storage::MetricReader::open(folder.workspace()).value();
    const auto mapping = FileMapping::open(folder.workspace() / "runs" / run / "model.safetensors");
    ASSERT_TRUE(mapping) << mapping.error().message;
    const auto tensors = readSafetensors((*mapping)->bytes(), "model").value();
    ASSERT_EQ(tensors.size(), 1U);
    ASSERT_EQ(tensors[0].type, "F64");
    ASSERT_EQ(tensors[0].bytes.size(), 16U);
    for (int i = 0; i < 2; ++i) {
        const auto own = lastOf(reader, run, "weight/" + std::to_string(i));
        ASSERT_EQ(own.size(), 2U);
        EXPECT_GT(std::abs(own.at(0) - own.at(1)), 0.1) << "else any rank's weights would do";
        double written = 0;
        std::memcpy(&written, tensors[0].bytes.data() + 8 * i, sizeof written);
        EXPECT_NEAR(written, (own.at(0) + own.at(1)) / 2, 1e-12);
    }
}

INSTANTIATE_TEST_SUITE_P(Backends, FinalModel, ::testing::Values("gloo", "threads", "virtual"));

}  // namespace
}  // namespace dasgd::experiments

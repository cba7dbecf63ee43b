#include "experiments/transport/files/run_file.h"

#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

TEST(RunFile, ARankSendsWhatIsItsOwn) {
    for (const char* name : {"checkpoints/step-20.partial/rank-0003.safetensors", "checkpoints/best.safetensors",
                             "model.safetensors", "logs/rank-3.log", "artefacts/profile-rank-0003.json"}) {
        EXPECT_TRUE(isSentByRank(name, Rank(3))) << name;
    }
    EXPECT_EQ(stepOfPart("checkpoints/step-20.partial/rank-0003.safetensors"), 20);
    EXPECT_EQ(stepOfPart("model.safetensors"), std::nullopt);
}

TEST(RunFile, NothingElseIsWritten) {
    for (const char* name :
         {"", "checkpoints/step-20.partial/rank-0002.safetensors", "checkpoints/step-20/rank-0003.safetensors",
          "checkpoints/step-.partial/rank-0003.safetensors", "checkpoints/step--1.partial/rank-0003.safetensors",
          "checkpoints/step-007.partial/rank-0003.safetensors", "checkpoints/step-2/../x.partial/rank-0003.safetensors",
          "checkpoints/step-20.partial/../rank-0003.safetensors", "checkpoints/step-20.partial/state.json",
          "checkpoints/step-99999999999999999999.partial/rank-0003.safetensors", "/model.safetensors",
          "../model.safetensors", "logs/rank-4.log", "logs/../rank-3.log", "logs/rank-3.log/", "experiment.toml",
          "artefacts/profile-rank-0004.json"}) {
        EXPECT_FALSE(isSentByRank(name, Rank(3))) << name;
    }
}

TEST(RunFile, OfACheckpointItsStateAndPartsAreRead) {
    for (const char* name : {"state.json", "model.safetensors", "rank-0000.safetensors", "rank-0012.safetensors",
                             "rank-12345.safetensors"}) {
        EXPECT_TRUE(isInCheckpoint(name)) << name;
    }
    for (const char* name :
         {"", "rank-.safetensors", "rank-1.safetensors", "rank-00001.safetensors", "rank-../../x.safetensors",
          "rank-0001.safetensors/..", "model", "/state.json", "rank--001.safetensors", "rank-9999999999.safetensors"}) {
        EXPECT_FALSE(isInCheckpoint(name)) << name;
    }
}

}  // namespace
}  // namespace dasgd::experiments

// Constraints across sections, refused at their place before any rank starts.
#include "core/train/run_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"
#include "core/experiment/plan_experiment.h"

namespace dasgd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Error of the check; "" where it accepts.
std::string saidOf(const std::string& text) {
    const auto document = parseToml(text, "e.toml");
    const auto experiment = document ? readExperiment(*document) : tl::unexpected(document.error());
    if (!experiment) return "not read: " + experiment.error().message;
    const auto plan = planExperiment(*experiment);
    if (!plan) return "not planned: " + plan.error().message;
    if (const Status times = checkStepTime(*document, *experiment); !times) return times.error().message;
    const Status checked = checkRun(*document, *experiment, *plan);
    return checked ? "" : checked.error().message;
}

std::string layers(const std::string& algorithm, int workers, const std::string& more = "") {
    return "[algorithm]\n" + algorithm +
           "[model]\nname = \"layer_table\"\ndense = [[100, 10]]\n[cluster]\nbackend = \"virtual\"\nworkers = " +
           std::to_string(workers) + "\n[compute]\nmode = \"time-only\"\nstep_time = \"5ms\"\n" + more;
}

TEST(RunCheck, GroupsMustDivideTheWorkers) {
    EXPECT_EQ(saidOf(layers("name = \"hybrid_sgd\"\ngroups = 3\n", 4)),
              "e.toml:3:10: groups is 3, which does not divide 4 workers: choose a divisor, or 0");
    for (const int groups : {0, 1, 2, 4}) {
        EXPECT_EQ(saidOf(layers("name = \"hybrid_sgd\"\ngroups = " + std::to_string(groups) + "\n", 4)), "");
    }
}

TEST(RunCheck, AProbeNeedsItsSteps) {
    const auto probe = [](const std::string& train) {
        return "[algorithm]\nname = \"probe\"\nalone = 4\noverlapped = 3\n[model]\nname = \"logistic\"\n"
               "[data]\nname = \"synthetic\"\ntrain_samples = 64\n[train]\nbatch_size = 32\n" +
               train + "[cluster]\nworkers = 2\n";
    };
    EXPECT_THAT(saidOf(probe("steps = 9\n")), StartsWith("e.toml:12:9: the run has 9 steps and the probe needs 10"));
    EXPECT_THAT(saidOf(probe("epochs = 1\n")), StartsWith("e.toml:10:1: the run has 1 steps"));
    EXPECT_EQ(saidOf(probe("steps = 10\n")), "");
}

// algorithms.md D: what cannot be compressed is refused, at its place and with a remedy.
TEST(RunCheck, CompressionGoesWithAlgorithmsThatCanUseIt) {
    const auto coded = [](const std::string& algorithm, const std::string& compression = "name = \"sign\"\n",
                          const std::string& more = "") {
        return saidOf("[algorithm]\n" + algorithm + "[compression]\n" + compression +
                      "[model]\nname = \"logistic\"\n[data]\nname = \"synthetic\"\n[cluster]\nworkers = 2\n" + more);
    };
    EXPECT_EQ(coded("name = \"dasgd\"\n"), "");
    EXPECT_EQ(coded("name = \"sgp\"\n", "name = \"none\"\n"), "");
    for (const char* name : {"osp", "leader_sgd", "decentlam"}) {
        EXPECT_THAT(coded("name = \"" + std::string(name) + "\"\n"),
                    AllOf(HasSubstr("e.toml:3:2: " + std::string(name) + " does not compress what it sends"),
                          HasSubstr("choose one of adacomm, "), HasSubstr("dasgd, "), Not(HasSubstr("loscar,"))))
            << name;
    }
    EXPECT_THAT(coded("name = \"dasgd\"\noptimizer_state = \"average\"\n"),
                AllOf(StartsWith("e.toml:3:19: "), HasSubstr("set optimizer_state = \"keep\" or \"reset\"")));
    EXPECT_THAT(coded("name = \"co2\"\nfrom_present = true\n"),
                AllOf(StartsWith("e.toml:3:16: "), HasSubstr("set from_present = false")));
    EXPECT_THAT(coded("name = \"dasgd\"\n", "name = \"sign\"\nscale = \"one\"\nvote = true\n"),
                AllOf(StartsWith("e.toml:6:8: "), HasSubstr("use it with sync_sgd")));
    EXPECT_EQ(coded("name = \"sync_sgd\"\n", "name = \"sign\"\nscale = \"one\"\nvote = true\n"), "");
    EXPECT_THAT(coded("name = \"dasgd\"\n", "name = \"sign\"\nscheme = \"sum\"\n"),
                AllOf(HasSubstr("e.toml:5:10: "), HasSubstr("set scheme = \"gather\" or \"shard\"")));
    for (const char* name : {"easgd", "eager_diloco"}) {
        EXPECT_THAT(
            coded("name = \"" + std::string(name) + "\"\n", "name = \"powersgd\"\n"),
            AllOf(StartsWith("e.toml:4:8: "), HasSubstr("which nobody knows of powersgd"), HasSubstr("topk or sign")));
        EXPECT_EQ(coded("name = \"" + std::string(name) + "\"\n", "name = \"randk\"\n"), "");
        EXPECT_THAT(coded("name = \"" + std::string(name) + "\"\n"),
                    AllOf(StartsWith("e.toml:3:1: "), HasSubstr("set scheme = \"gather\"")));
    }
    for (const char* own :
         {"name = \"dgc\"\n", "name = \"sketch\"\nmomentum = 0.9\n", "name = \"sketch\"\nerror = \"sketch\"\n"}) {
        EXPECT_EQ(coded("name = \"sync_sgd\"\n", own, "[optimizer]\nmomentum = 0.0\n"), "");
        EXPECT_THAT(coded("name = \"sync_sgd\"\n", own, "[optimizer]\nname = \"sgd\"\nmomentum = 0.5\n"),
                    HasSubstr("set momentum = 0 in [optimizer], and compression.momentum in its place"));
        for (const char* name : {"dasgd", "diloco"}) {
            EXPECT_THAT(coded("name = \"" + std::string(name) + "\"\n", own),
                        AllOf(StartsWith("e.toml:4:8: "), HasSubstr("use it with sync_sgd")));
        }
    }
    EXPECT_EQ(coded("name = \"dasgd\"\n", "name = \"sketch\"\n"), "");
    EXPECT_THAT(
        coded("name = \"sync_sgd\"\n", "name = \"sign\"\nscale = \"one\"\nvote = true\nerror_feedback = true\n"),
        AllOf(HasSubstr("e.toml:7:18: "), HasSubstr("leave error_feedback out")));
    EXPECT_THAT(coded("name = \"dasgd\"\n", "name = \"fp16\"\nerror_decay = 0.5\n"),
                AllOf(HasSubstr("e.toml:5:15: "), HasSubstr("set error_feedback = true")));
    EXPECT_THAT(coded("name = \"dasgd\"\n", "name = \"powersgd\"\nview = \"square\"\nrank = 400\n"),
                HasSubstr("weights as a square are not smaller"));
    EXPECT_THAT(coded("name = \"dasgd\"\n", "error_decay = 0.5\n"),
                AllOf(HasSubstr("e.toml:4:15: "), HasSubstr("error_decay has no effect: give name")));
    EXPECT_THAT(coded("name = \"dasgd\"\n", "name = \"sign\"\nerror_decay = 0\n"), HasSubstr("error_decay"));
    EXPECT_THAT(coded("name = \"dasgd\"\n", "name = \"sigm\"\n"), HasSubstr("did you mean 'sign'?"));
}

struct CompressionRefusal {
    std::string algorithm, compression;  // lines of their sections
    std::string place, reason, remedy;   // of the message
    std::string optimizer = "momentum = 0.0\n";
};

// Every combination that has no meaning is refused at its place, with what to do instead.
TEST(RunCheck, WhatCannotBeCompressedNamesItsRemedy) {
    const std::string sign = "name = \"sign\"\n", lattice = "name = \"lattice\"\n", rest = "remove [compression]";
    const std::string vote = "name = \"sign\"\nscale = \"one\"\nvote = true\n";
    const std::string dgc = "name = \"dgc\"\n", sketch = "name = \"sketch\"\nmomentum = 0.9\n";
    const std::vector<CompressionRefusal> all{
        {"name = \"adasum\"\n", sign, "3:2", "combines steps by the angles", rest + ", or use it with sync_sgd"},
        {"name = \"sgp\"\n", sign, "3:2", "no rule with coded shares is published", "as dpsgd"},
        {"name = \"loscar\"\n", sign, "3:2", "sends a share of its weights already", "use topk with dasgd"},
        {"name = \"ssp\"\n", sign, "3:2", "not compressed yet", "without a server, as sync_sgd or dasgd"},
        {"name = \"async_sgd\"\n", sign, "3:2", "not compressed yet", "without a server, as sync_sgd or dasgd"},
        {"name = \"hybrid_sgd\"\n", sign, "3:2", "models the time of exchanges that travel whole", rest},
        {"name = \"probe\"\n", sign, "3:2", "measures exchanges that travel whole", rest},
        {"name = \"independent\"\n", sign, "3:2", "sends nothing that could be compressed", rest},
        {"name = \"onebit_adam\"\n", sign, "3:2", "codes its momenta itself", rest + ", or use it with sync_sgd"},
        {"name = \"dasgd\"\noptimizer_state = \"average\"\n", sign, "3:19", "those of squares must stay positive",
         "set optimizer_state = \"keep\" or \"reset\""},
        {"name = \"wagma_sgd\"\n", sign, "4:8", "this graph changes from round to round", "name = \"ring\" in [graph]"},
        {"name = \"swarm_sgd\"\n", sign, "4:8", "this graph changes from round to round", "or choose lattice"},
        {"name = \"swarm_sgd\"\nmeet = \"own-pace\"\n", sign, "5:8", "a rank meets one partner after the other",
         "choose lattice, or set meet = \"rounds\""},
        {"name = \"gossip_sgd\"\n", "name = \"powersgd\"\n", "4:8", "forms the sum of all ranks",
         "choose one of bf16,"},
        {"name = \"sync_sgd\"\n", "name = \"powersgd\"\nrank = 30\n", "5:8", "make no matrix of the model smaller",
         "set view = \"square\""},
        {"name = \"dasgd\"\n", dgc, "4:8", "holds gradients back", "use it with sync_sgd, or choose topk"},
        {"name = \"diloco\"\n", sketch, "4:8", "holds gradients back", "use it with sync_sgd, or choose topk"},
        {"name = \"sync_sgd\"\n", dgc, "8:12", "a momentum has to act on them before",
         "set momentum = 0 in [optimizer]", "momentum = 0.5\n"},
        {"name = \"dasgd\"\n", vote, "6:8", "about the sign of gradients", "use it with sync_sgd, or set vote = false"},
        {"name = \"slowmo\"\n", vote, "6:8", "about the sign of gradients",
         "use it with sync_sgd, or set vote = false"},
        {"name = \"sync_sgd\"\n", sign + "scheme = \"sum\"\n", "5:10", "cannot be added up", "set scheme = \"gather\""},
        {"name = \"sync_sgd\"\n", "name = \"randk\"\nscheme = \"gather\"\n", "5:10", "added up on the way",
         "set scheme = \"sum\""}};
    for (const CompressionRefusal& each : all) {
        EXPECT_THAT(saidOf("[algorithm]\n" + each.algorithm + "[compression]\n" + each.compression +
                           "[model]\nname = \"logistic\"\n[optimizer]\n" + each.optimizer +
                           "[data]\nname = \"synthetic\"\n[cluster]\nworkers = 4\n"),
                    AllOf(HasSubstr("e.toml:" + each.place), HasSubstr(each.reason), HasSubstr(each.remedy)))
            << each.algorithm << each.compression;
    }
    for (const char* name : {"sync_sgd", "dasgd", "slowmo", "gossip_sgd", "lead", "wagma_sgd"}) {
        EXPECT_THAT(saidOf("[algorithm]\nname = \"" + std::string(name) + "\"\n[compression]\n" + lattice +
                           "[model]\nname = \"logistic\"\n[optimizer]\nmomentum = 0.0\n[data]\nname = \"synthetic\"\n"
                           "[cluster]\nworkers = 4\n"),
                    AllOf(StartsWith("e.toml:4:8: lattice is read by one partner"), HasSubstr(name),
                          HasSubstr("use it with swarm_sgd, or choose another operator, as int")));
    }
}

TEST(RunCheck, ALatticeIsOfPairs) {
    const auto said = [](const std::string& algorithm, const std::string& more = "", const std::string& graph = "") {
        return saidOf("[algorithm]\nname = \"swarm_sgd\"\n" + algorithm + "[compression]\nname = \"lattice\"\n" + more +
                      "[model]\nname = \"logistic\"\n[data]\nname = \"synthetic\"\n[cluster]\nworkers = 6\n" + graph);
    };
    const std::string ring = "[graph]\nname = \"ring\"\n";
    EXPECT_EQ(said(""), "");
    EXPECT_EQ(said("blocking = true\n", "side = 0.01\nlevels = 16\n"), "");
    EXPECT_EQ(said("meet = \"own-pace\"\n"), "");
    EXPECT_EQ(said("meet = \"own-pace\"\n", "", ring), "") << "each question is one neighbour's";
    EXPECT_EQ(said("", "", "[graph]\nname = \"groups\"\npattern = \"shuffled\"\n"), "");
    const std::string joined = "[graph]\nname = \"groups\"\npattern = \"shuffled\"\nglobal_every = 100\n";
    EXPECT_THAT(said("", "", joined), HasSubstr("a rank has 5 neighbours in one round"));
    EXPECT_THAT(said("", "", ring), AllOf(StartsWith("e.toml:12:8: lattice codes weights for one partner"),
                                          HasSubstr("choose random-pair")));
    EXPECT_THAT(said("", "error_feedback = true\n"), AllOf(StartsWith("e.toml:5:18: "), HasSubstr("remove")));
    EXPECT_THAT(said("", "levels = 100\n"), HasSubstr("no power of 2: choose 64 or 128"));
    EXPECT_THAT(said("", "side = 0\n"), HasSubstr("side"));
}

// A worker's own share is the limit of its batch: with more, a step would take samples twice.
TEST(RunCheck, AStepTakesNoSampleTwice) {
    const auto batch = [](int size, const std::string& train = "", const std::string& data = "") {
        return "[algorithm]\nname = \"independent\"\n[model]\nname = \"logistic\"\n"
               "[train]\nbatch_size = " +
               std::to_string(size) + "\n" + train + "[data]\nname = \"synthetic\"\ntrain_samples = 65\n" + data +
               "[cluster]\nworkers = 2\n";
    };
    EXPECT_EQ(saidOf(batch(66)),
              "e.toml:6:14: batch_size is 66 and the training set of synthetic has 65 samples: choose at most that "
              "many");
    EXPECT_EQ(saidOf(batch(34)),
              "e.toml:6:14: batch_size is 34 and each of 2 workers has 33 of the 65 samples of synthetic: choose at "
              "most that many, or a step would take some of them twice");
    EXPECT_EQ(saidOf(batch(33)), "") << "the set extended by its first sample";
    EXPECT_THAT(saidOf(batch(33, "", "drop_last = true\n")), HasSubstr("each of 2 workers has 32 of the 65 samples"));
    EXPECT_EQ(saidOf(batch(32, "", "drop_last = true\n")), "");
    EXPECT_THAT(saidOf(batch(17, "accumulate = 2\n")),
                HasSubstr("batch_size is 17, with accumulate 34 samples a step, and each of 2 workers has 33"));
    EXPECT_EQ(saidOf(batch(16, "accumulate = 2\n")), "");
    EXPECT_THAT(saidOf(batch(30, "", "validation = 0.2\n")), HasSubstr("has 26 of the 52 samples"));
}

// The layers have 1000 weights.
TEST(RunCheck, AServerWithAShardTakesNoNormOfAllWeights) {
    const auto served = [](int servers, const std::string& more) {
        return layers("name = \"ssp\"\nservers = " + std::to_string(servers) + "\n", 4, more);
    };
    const std::string clipped = "[train]\ngradient_clip = 1.0\n", layerwise = "[optimizer]\nname = \"lars\"\n";
    EXPECT_THAT(saidOf(served(2, clipped)),
                StartsWith("e.toml:14:17: gradients are clipped by the norm of all of them"));
    EXPECT_THAT(saidOf(served(2, layerwise)), StartsWith("e.toml:14:8: the optimiser takes norms of whole layers"));
    EXPECT_EQ(saidOf(served(1, clipped)), "");
    EXPECT_EQ(saidOf(served(1, layerwise)), "");
    EXPECT_EQ(saidOf(served(2, "[optimizer]\nname = \"adam\"\n")), "");
}

TEST(RunCheck, MuonTakesAMatrixBetweenTwoOthers) {
    const auto stepped = [](const std::string& model, const std::string& more = "") {
        return saidOf("[algorithm]\nname = \"local_sgd\"\n[model]\n" + model +
                      "[data]\nname = \"synthetic\"\n[cluster]\nworkers = 2\n[optimizer]\nname = \"muon\"\n" + more);
    };
    EXPECT_EQ(stepped("name = \"mlp\"\nhidden = [7, 5]\n"), "");
    EXPECT_THAT(stepped("name = \"mlp\"\nhidden = [7]\n"),
                AllOf(StartsWith("e.toml:11:8: muon is made for the matrices of hidden layers, and mlp has none"),
                      HasSubstr("choose a deeper model, or another optimizer")));
    EXPECT_THAT(stepped("name = \"logistic\"\n"), HasSubstr("logistic has none"));
}

TEST(RunCheck, SomeAlgorithmsTakeOneBatchAStep) {
    const std::string accumulated = "[train]\nsteps = 50\naccumulate = 2\n";
    for (const char* name : {"hybrid_sgd", "probe"}) {
        EXPECT_THAT(saidOf(layers(std::string("name = \"") + name + "\"\n", 4, accumulated)),
                    AllOf(StartsWith("e.toml:14:14: "), HasSubstr("train.accumulate asks for several a step")))
            << name;
    }
    EXPECT_EQ(saidOf(layers("name = \"sync_sgd\"\n", 4, accumulated)), "");
}

TEST(RunCheck, WhatIsNotTrainedReachesNoTarget) {
    EXPECT_THAT(saidOf(layers("name = \"sync_sgd\"\n", 2, "[train]\ntarget_loss = 0.5\n")),
                StartsWith("e.toml:13:15: train.target_loss has nothing to judge"));
}

TEST(RunCheck, AServersLinkMustBeShared) {
    const auto served = [](int ranks, const std::string& fidelity) {
        return layers("name = \"ssp\"\n", ranks, "[network]\nfidelity = \"" + fidelity + "\"\n");
    };
    EXPECT_THAT(saidOf(served(3, "formula")), StartsWith("e.toml:13:12: the workers of a parameter server share its"));
    EXPECT_EQ(saidOf(served(3, "message")), "");
    EXPECT_EQ(saidOf(served(2, "formula")), "") << "one worker";
}

TEST(RunCheck, ServersMustNotOutnumberTheWeights) {
    EXPECT_EQ(saidOf(layers("name = \"ssp\"\nservers = 2000\n", 2001)),
              "e.toml:3:11: servers is 2000, but the model has 1000 weights to share out; allowed: 1 to 1000");
}

TEST(RunCheck, SharedWorkIsOfServersAndOfDataThatAreDealtOut) {
    const auto shares = [](const std::string& algorithm, const std::string& train = "", const std::string& data = "") {
        return "[algorithm]\nname = \"" + algorithm + "\"\n[model]\nname = \"logistic\"\n[train]\nwork = \"shared\"\n" +
               train + "[data]\nname = \"synthetic\"\n" + data + "[cluster]\nworkers = 3\n";
    };
    EXPECT_EQ(saidOf(shares("async_sgd")), "");
    EXPECT_THAT(saidOf(shares("dasgd")),
                AllOf(StartsWith("e.toml:6:8: the workers share the work (train.work): dasgd makes equal steps"),
                      HasSubstr("async_sgd")));
    EXPECT_THAT(saidOf(shares("async_sgd", "", "partition = \"by-label\"\n")), HasSubstr("partition = \"iid\""));
    EXPECT_THAT(saidOf(shares("async_sgd", "", "shuffle = \"shard\"\n")), HasSubstr("shuffle = \"global\""));
    EXPECT_THAT(saidOf(shares("async_sgd", "checkpoint = { every = \"1min\" }\n")), HasSubstr("train.checkpoint"));
    EXPECT_THAT(saidOf(shares("async_sgd\"\nservers = 2 #")), StartsWith("e.toml:3:11: one server says"));
    // Two workers take batches of 64 from all 100 samples, of which each would have 50.
    const std::string few = "train_samples = 100\n", large = "batch_size = 64\n";
    EXPECT_EQ(saidOf(shares("async_sgd", large, few)), "");
    EXPECT_THAT(saidOf(shares("async_sgd", "batch_size = 128\n", few)), HasSubstr("batch_size is 128"));
}

TEST(RunCheck, SharedWorkIsRefusedForTextThatIsReadInOrder) {
    EXPECT_THAT(saidOf("[algorithm]\nname = \"k_async\"\n[model]\nname = \"gpt\"\n[data]\nname = \"text\"\n"
                       "[cluster]\nworkers = 3\n"),
                AllOf(StartsWith("e.toml:6:8: "), HasSubstr("each reads its own part of text in order")));
}

TEST(RunCheck, AGraphIsOfAlgorithmsThatMixAndFitsTheRanks) {
    const auto said = [](const std::string& algorithm, const std::string& graph, int workers = 6) {
        return saidOf("[algorithm]\nname = \"" + algorithm + "\"\n[graph]\n" + graph +
                      "[model]\nname = \"logistic\"\n[data]\nname = \"synthetic\"\n[cluster]\nworkers = " +
                      std::to_string(workers) + "\n");
    };
    EXPECT_EQ(said("gossip_sgd", "name = \"torus\"\nrows = 2\n"), "");
    EXPECT_EQ(said("oldsgd", "weights = \"uniform\"\n"), "") << "of the default, a ring";
    EXPECT_THAT(
        said("sync_sgd", "name = \"ring\"\n"),
        HasSubstr("e.toml:3:2: sync_sgd mixes over no graph: remove [graph], or choose an algorithm of gossip"));
    EXPECT_THAT(said("gossip_sgd", "name = \"torus\"\nrows = 4\n"),
                StartsWith("e.toml:5:8: rows is 4, which does not divide 6 ranks"));
    EXPECT_THAT(said("wagma_sgd", "size = 2\n"), StartsWith("e.toml:3:1: a butterfly of groups of 2 needs a power"));
    EXPECT_THAT(said("gossip_sgd", "name = \"star\"\nweights = \"uniform\"\n"),
                StartsWith("e.toml:5:11: the weights that rank 0 has"));
    EXPECT_THAT(said("gossip_sgd", "name = \"rign\"\n"), HasSubstr("unknown graph 'rign'; did you mean 'ring'?"));
    EXPECT_EQ(said("wagma_sgd", "size = 2\n", 1), "") << "one rank is SGD";
}

TEST(RunCheck, GossipIsCodedByPublicCopiesOnAGraphThatStays) {
    const auto said = [](const std::string& algorithm, const std::string& compression, const std::string& graph = "") {
        return saidOf("[algorithm]\nname = \"" + algorithm + "\n[compression]\n" + compression +
                      "[model]\nname = \"logistic\"\n[data]\nname = \"synthetic\"\n[optimizer]\nmomentum = 0.0\n"
                      "[cluster]\nworkers = 6\n" +
                      graph);
    };
    const std::string sign = "name = \"sign\"\n", pairs = "[graph]\nname = \"random-pair\"\n";
    for (const char* name :
         {"gossip_sgd\"\nconsensus = 0.5", "dpsgd\"\nconsensus = 0.5", "oldsgd\"", "lead\"\nmemory = 0.25"}) {
        EXPECT_EQ(said(name, sign), "") << name;
        EXPECT_THAT(said(name, ""), testing::AnyOf("", HasSubstr("without [compression]"))) << name;
    }
    EXPECT_EQ(said("swarm_sgd\"", sign, "[graph]\nname = \"ring\"\n"), "");
    const std::string changes = "neighbours keep public copies of each other, and this graph changes";
    EXPECT_THAT(said("swarm_sgd\"", sign), AllOf(StartsWith("e.toml:4:8: " + changes), HasSubstr("name = \"ring\"")));
    EXPECT_THAT(said("gossip_sgd\"", sign, pairs), StartsWith("e.toml:4:8: " + changes));
    EXPECT_THAT(said("gossip_sgd\"", sign, "[graph]\nname = \"one-peer-exponential\"\n"), HasSubstr(changes));
    EXPECT_THAT(said("lead\"", sign, pairs), HasSubstr("symmetric and the same in each round"));
    EXPECT_EQ(said("gossip_sgd\"\nconsensus = 0.5", "name = \"none\"\n"),
              "e.toml:3:13: without [compression] ranks go all the way to the mixture: set consensus = 1, or name an "
              "operator in [compression]");
    EXPECT_THAT(said("lead\"\nmemory = 0.25", "name = \"none\"\n"), StartsWith("e.toml:3:10: without [compression]"));
    for (const char* name : {"gossip_sgd\"", "lead\""}) {
        EXPECT_THAT(
            said(name, sign + "error_feedback = true\n"),
            AllOf(StartsWith("e.toml:5:18: neighbours keep public copies"), HasSubstr("remove error_feedback")));
        EXPECT_EQ(said(name, sign + "error_feedback = false\n"), "");
        EXPECT_THAT(said(name, sign + "scheme = \"gather\"\n"),
                    AllOf(StartsWith("e.toml:5:10: "), HasSubstr("remove scheme")));
        EXPECT_THAT(said(name, sign + "start = 10\n"), AllOf(StartsWith("e.toml:5:9: "), HasSubstr("remove start")));
        EXPECT_THAT(said(name, sign + "scale = \"one\"\nvote = true\n"),
                    AllOf(StartsWith("e.toml:6:8: a vote is about the sign"), HasSubstr("vote = false")));
    }
}

TEST(RunCheck, SagaNeedsTheSameBatchesInEachPass) {
    const auto said = [](const std::string& data, const std::string& more = "",
                         const std::string& optimizer = "momentum = 0.0\n") {
        return saidOf(
            "[algorithm]\nname = \"async_saga\"\n[model]\nname = \"logistic\"\n[data]\nname = \"synthetic\"\n" + data +
            "[cluster]\nworkers = 3\n[optimizer]\n" + optimizer + "[train]\n" + more);
    };
    const std::string fixed = "shuffle = \"none\"\n";
    EXPECT_EQ(said(fixed), "");
    EXPECT_EQ(said(fixed + "drop_last = true\n"), "");
    EXPECT_THAT(said(""), HasSubstr("here each pass has other batches: set shuffle = \"none\""));
    EXPECT_THAT(said("shuffle = \"shard\"\n"), HasSubstr("here each pass has other batches"));
    EXPECT_THAT(said(fixed, "", "momentum = 0.0\nweight_decay = 0.1\n"), HasSubstr("weight decay"));
    EXPECT_THAT(said(fixed, "", ""), HasSubstr("momentum = 0 in [optimizer]"));
    EXPECT_THAT(said(fixed + "train_samples = 100\n", "batch_size = 64\n"), HasSubstr("batch_size is 64"));
}

TEST(RunCheck, AnAlgorithmThatSharesTheWorkIsNotToldOtherwise) {
    const auto said = [](const std::string& work) {
        return saidOf("[algorithm]\nname = \"k_async\"\n[model]\nname = \"logistic\"\n[train]\n" + work +
                      "[data]\nname = \"synthetic\"\n[cluster]\nworkers = 3\n");
    };
    EXPECT_EQ(said(""), "");
    EXPECT_EQ(said("work = \"shared\"\n"), "");
    EXPECT_EQ(said("work = \"steps\"\n"),
              "not read: e.toml:6:8: the workers of k_async make unequal numbers of steps: leave work out, or set work "
              "= \"shared\"");
}

TEST(RunCheck, AStragglerMustBeARank) {
    const auto slow = [](int rank) {
        return layers("name = \"sync_sgd\"\n", 4,
                      "straggler = { ranks = [1, " + std::to_string(rank) + "], factor = 2.0 }\n");
    };
    EXPECT_THAT(saidOf(slow(4)), StartsWith("e.toml:12:23: straggler.ranks names rank 4; with 4 workers"));
    EXPECT_EQ(saidOf(slow(3)), "");
}

TEST(RunCheck, WhatIsNotTrainedHasNoWeightsToRecord) {
    EXPECT_THAT(saidOf(layers("name = \"sync_sgd\"\n", 2, "[record]\nweights = true\n")),
                StartsWith("e.toml:13:11: there are no weights to record"));
}

// Profiled steps must be steps of the run, of a rank that has LibTorch's profiler to itself, and must be kept.
TEST(RunCheck, AProfileIsOfStepsThatAreMadeByRanksOfTheirOwn) {
    const auto said = [](const std::string& record, const std::string& backend = "gloo") {
        return saidOf(
            "[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"quadratic\"\nmatrix = [[1.0]]\n"
            "targets = [[0.0], [1.0]]\n[train]\nsteps = 30\n[cluster]\nworkers = 2\nbackend = \"" +
            backend + "\"\n[record]\n" + record);
    };
    const std::string profile = "profile = { first = 20, steps = 3 }\n";
    EXPECT_EQ(said(profile), "");
    EXPECT_EQ(said("profile = { first = 28, steps = 3 }\n"), "");
    EXPECT_THAT(said("profile = { first = 29, steps = 3 }\n"),
                AllOf(StartsWith("e.toml:13:11: "), HasSubstr("steps 29 to 31"), HasSubstr("has 30")));
    EXPECT_THAT(said(profile + "trace = \"summary\"\n"), HasSubstr("trace = \"full\", not \"summary\""));
    EXPECT_THAT(said(profile, "threads"), HasSubstr("those of threads share one"));
    EXPECT_THAT(said("profile = { first = 0 }\n"), HasSubstr("first"));
}

// The products of the quadratic's matrix can be counted, so that a device's step time can be estimated.
TEST(RunCheck, AStepTimeByDeviceIsEstimatedBeforeTheRun) {
    EXPECT_EQ(saidOf("[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"quadratic\"\nmatrix = [[1.0]]\n"
                     "targets = [[0.0], [1.0]]\n[cluster]\nbackend = \"virtual\"\nworkers = 2\n[compute]\n"
                     "step_time = \"device\"\npeak_tflops = 1.0\nefficiency = 0.5\n"),
              "");
}

std::string balanced(const std::string& algorithm, const std::string& train = "", const std::string& more = "",
                     const std::string& model = "name = \"logistic\"\n") {
    const bool hasData = model.find("quadratic") == std::string::npos;
    return "[algorithm]\nname = \"" + algorithm + "\"\n[train]\nbalance = \"rate\"\nsteps = 20\n" + train +
           "[cluster]\nworkers = 4\n[model]\n" + model +
           (hasData ? "[data]\nname = \"synthetic\"\ntrain_samples = 400\n" : "") + more;
}

TEST(RunCheck, UnevenBatchesGoWithMeansOfRanksThatWaitForEachOther) {
    for (const char* name : {"sync_sgd", "zero_sgd", "local_sgd", "dasgd", "dga", "easgd", "post_local_sgd", "loscar",
                             "adacomm", "slowmo", "diloco", "co2", "dpsgd"}) {
        EXPECT_EQ(saidOf(balanced(name)), "") << name;
    }
    for (const char* name : {"independent", "adasum", "osp", "lead", "ad_psgd", "acco"}) {
        EXPECT_THAT(saidOf(balanced(name)),
                    AllOf(StartsWith("e.toml:4:11: balance = \"rate\": " + std::string(name) + " forms no mean"),
                          HasSubstr("choose another algorithm, as sync_sgd")))
            << name;
    }
    EXPECT_THAT(saidOf(balanced("ssp")), HasSubstr("has ranks that serve"));
    EXPECT_THAT(saidOf(balanced("async_sgd", "work = \"shared\"\n")), HasSubstr("at their own pace already"));
    const std::string staged = "[cluster]\nworkers = 4\nstages = 2\n[model]\nname = \"mlp\"\n";
    EXPECT_THAT(saidOf("[algorithm]\nname = \"pipeline\"\n[train]\nbalance = \"rate\"\nsteps = 20\n" + staged),
                HasSubstr("e.toml:4:11: balance = \"rate\": the stages of a replica train on the same samples"));
    const std::string vote =
        "[optimizer]\nmomentum = 0.0\n[compression]\nname = \"sign\"\nscale = \"one\"\nvote = true\n";
    EXPECT_THAT(saidOf(balanced("sync_sgd", "", vote)), HasSubstr("whatever its samples: set vote = false"));
}

TEST(RunCheck, UnevenBatchesNeedSamplesOfAllWorkersInOneOrder) {
    EXPECT_THAT(saidOf(balanced("sync_sgd", "", "shuffle = \"shard\"\n")),
                AllOf(HasSubstr("divided anew among all workers"), HasSubstr("set partition = \"iid\"")));
    EXPECT_THAT(saidOf(balanced("sync_sgd", "", "partition = \"by-label\"\n")), StartsWith("e.toml:13:13: "));
    EXPECT_EQ(saidOf(balanced("sync_sgd", "", "shuffle = \"none\"\ndrop_last = true\n")), "");
    EXPECT_THAT(saidOf(balanced("sync_sgd", "", "",
                                "name = \"quadratic\"\nmatrix = [[1.0]]\ntargets = [[1.0], [2.0], [3.0], [4.0]]\n")),
                HasSubstr("the model quadratic needs none"));
}

TEST(RunCheck, WorkersCountByTheirSamplesInMeansOfWhatIsNotCodedAlone) {
    const std::string weigh = "weigh = \"samples\"\n";
    for (const char* name : {"local_sgd", "dasgd", "loscar", "cocod_sgd"}) {
        EXPECT_EQ(saidOf(balanced(name, weigh)), "") << name;
    }
    for (const char* name : {"sync_sgd", "dga", "easgd", "slowmo", "dpsgd"}) {
        EXPECT_THAT(saidOf(balanced(name, weigh)),
                    AllOf(StartsWith("e.toml:6:9: "), HasSubstr(std::string(name) + " forms no mean of weights")))
            << name;
    }
    EXPECT_THAT(saidOf(balanced("dasgd", weigh, "[compression]\nname = \"sign\"\n")),
                HasSubstr("remove [compression]"));
    EXPECT_THAT(saidOf("[algorithm]\nname = \"dasgd\"\n[model]\nname = \"logistic\"\n[train]\n" + weigh),
                HasSubstr("e.toml:6:9: weigh = \"samples\" is of batches of unequal size: set balance = \"rate\""));
}

TEST(RunCheck, SamplesAreDrawnByNormsThatTheModelKnows) {
    const auto drawn = [](const std::string& model, const std::string& more = "", const std::string& train = "",
                          const std::string& algorithm = "local_sgd") {
        return saidOf("[algorithm]\nname = \"" + algorithm + "\"\n[model]\nname = \"" + model +
                      "\"\n[train]\nsteps = 20\n" + train +
                      "[cluster]\nworkers = 2\n[data]\nname = \"synthetic\"\ntrain_samples = 400\nsampler = \"srg\"\n" +
                      more);
    };
    for (const char* model : {"logistic", "linear_svm"}) EXPECT_EQ(drawn(model), "");
    EXPECT_EQ(drawn("logistic", "partition = \"by-label\"\nsampler_form = \"threshold\"\nsampler_floor = 0.2\n"), "");
    EXPECT_THAT(drawn("mlp"), AllOf(StartsWith("e.toml:4:8: sampler = \"srg\": mlp does not know"),
                                    HasSubstr("choose logistic or linear_svm")));
    EXPECT_THAT(drawn("logistic", "shuffle = \"global\"\n"), HasSubstr("draws from a shard that each worker keeps"));
    EXPECT_THAT(drawn("logistic", "", "balance = \"rate\"\n"), HasSubstr("e.toml:7:11: "));
    EXPECT_THAT(drawn("logistic", "", "work = \"shared\"\n", "async_sgd"), HasSubstr("remove one of the two"));
    EXPECT_THAT(drawn("logistic", "sampler_floor = 0\n"), HasSubstr("sampler_floor"));
}

}  // namespace
}  // namespace dasgd

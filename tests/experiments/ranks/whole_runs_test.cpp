// Whole runs of `dasgd run`, one for each kind of data and of task: files in, processes that train, what they recorded
// out of the database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/base/control.h"
#include "core/base/schema/toml_reader.h"
#include "core/train/data/training_data.h"
#include "storage/read/metric_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/image_files.h"
#include "tests/support/processes.h"
#include "tests/support/safetensors_files.h"

namespace dasgd::experiments {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::Not;

// Settings that the experiments here share: ranks are processes, evaluated at steps 0, 20, 40 and 60.
const std::string kTrain = "steps = 60\neval_every = 20\n";

class WholeRuns : public ::testing::Test {
protected:
    // The line that the run prints.
    nlohmann::json run(const std::string& experiment) {
        folder_.write("e.toml", experiment);
        std::filesystem::remove_all(folder_.workspace());
        const test::Ended ended = folder_.run({"run", "e.toml", "-w", "w", "-q", "--json"});
        EXPECT_EQ(ended.exit, 0) << ended.err;
        return ended.exit == 0 ? nlohmann::json::parse(ended.out) : nlohmann::json::object();
    }
    // Values of a metric of the last run, in order of arrival.
    std::vector<double> valuesOf(const std::string& metric) {
        auto reader = storage::MetricReader::open(folder_.workspace()).value();
        const auto found = reader.samples({.runId = folder_.firstRun(), .name = metric, .rank = std::nullopt}).value();
        std::vector<double> values;
        for (const storage::MetricSample& sample : found.samples) values.push_back(sample.value);
        return values;
    }
    // Losses on the test set, then on the validation set.
    std::vector<double> lossesOnBothSets() {
        std::vector<double> losses = valuesOf("eval/loss");
        const auto validated = valuesOf("eval/validation_loss");
        losses.insert(losses.end(), validated.begin(), validated.end());
        return losses;
    }
    std::vector<std::string> metricNames() {
        return storage::MetricReader::open(folder_.workspace()).value().names(folder_.firstRun()).value();
    }

    test::DasgdFolder folder_;
};

std::string prose() {
    std::string text;
    for (int i = 0; i < 200; ++i) text += "the quick brown fox jumps over the lazy dog. ";
    return text;
}

TEST_F(WholeRuns, ATextBecomesForeseeableAndItsPerplexityIsRecorded) {
    folder_.write("prose.txt", prose());
    const auto line =
        run("[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n"
            "[model]\nname = \"gpt\"\nlayers = 1\nwidth = 16\nheads = 2\ncontext = 16\n"
            "[data]\nname = \"text\"\npath = \"prose.txt\"\nvalidation = 0.1\n[train]\n" +
            kTrain + "batch_size = 4\n[optimizer]\nname = \"adam\"\nlearning_rate = 0.01\n[cluster]\nworkers = 3\n");
    EXPECT_EQ(line["samples"], 60 * 4 * 3);
    EXPECT_EQ(line["best_chosen_on"], "validation");
    for (const std::string set : {"", "validation_"}) {
        const auto losses = valuesOf("eval/" + set + "loss"), perplexities = valuesOf("eval/" + set + "perplexity");
        ASSERT_EQ(losses.size(), 4U) << set;
        ASSERT_EQ(perplexities.size(), 4U) << set;
        for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(perplexities[i], std::exp(losses[i])) << set;
        // 28 characters occur, and at first none is likelier than another.
        EXPECT_NEAR(perplexities.front(), 28, 3) << set;
        EXPECT_LT(perplexities.back(), 10) << set;
    }
    EXPECT_EQ(line["final_loss"], valuesOf("eval/loss").back());
    EXPECT_GT(valuesOf("eval/accuracy").back(), 0.4) << "of the next character";
}

// With threads all ranks are in one process, and on the virtual cluster one network evaluates the shares of all of
// them: the state of one rank, and the samples that it was evaluated on, must not reach another.
TEST_F(WholeRuns, ARecurrentNetworkKeepsItsStateApartOnEveryBackend) {
    folder_.write("prose.txt", prose());
    const auto lossesOn = [&](const std::string& backend) {
        run("[algorithm]\nname = \"local_sgd\"\nperiod = 2\n"
            "[model]\nname = \"char_lstm\"\nlayers = 1\nwidth = 16\ncontext = 16\n"
            "[data]\nname = \"text\"\npath = \"prose.txt\"\nvalidation = 0.1\n[train]\n" +
            kTrain + "batch_size = 4\n[optimizer]\nlearning_rate = 1.0\n[cluster]\nworkers = 3\nbackend = \"" +
            backend + "\"\n");
        return lossesOnBothSets();
    };
    const auto processes = lossesOn("gloo"), threads = lossesOn("threads");
    ASSERT_EQ(threads.size(), 8U);
    ASSERT_EQ(processes.size(), 8U);
    EXPECT_EQ(lossesOn("virtual"), threads);
    // Three processes add their weights up in another order.
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(processes[i], threads[i], 1e-5) << "evaluation " << i;
    EXPECT_LT(threads[3], 0.2 * threads[0]);
}

TEST_F(WholeRuns, RegressionFindsTheMapAndClassifiesNothing) {
    const std::string experiment =
        "[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"random_features\"\nfeatures = 200\nlength_scale = 4.0\n"
        "[data]\nname = \"synthetic\"\nnoise = 0.0\ntrain_samples = 600\ntest_samples = 100\n[train]\n" +
        kTrain + "batch_size = 20\n[optimizer]\nlearning_rate = 0.5\n[cluster]\nworkers = 3\n";
    const auto line = run(experiment);
    // All weights are zero at first: the loss is the mean square of the targets.
    const Experiment read = readExperiment(parseToml(experiment, "e.toml").value()).value();
    const Splits splits = read.dataset->load(read.model->naturalInput()).value();
    const auto losses = valuesOf("eval/loss");
    ASSERT_EQ(losses.size(), 4U);
    EXPECT_NEAR(losses[0], splits.test.targets.to(torch::kDouble).square().mean().item<double>(), 1e-6);
    EXPECT_LT(losses[3], 0.1 * losses[0]) << "the targets have no noise";
    EXPECT_TRUE(line["best_accuracy"].is_null());
    EXPECT_THAT(metricNames(), Not(Contains("eval/accuracy")));
    EXPECT_THAT(metricNames(), Not(Contains("eval/perplexity")));
}

// JPEG and PNG, one of them cut off; two threads of each rank decode.
TEST_F(WholeRuns, AFolderOfImagesIsLearntAndDamageIsCounted) {
    for (const char* split : {"train", "val"}) {
        for (int i = 0; i < 12; ++i) {
            for (const bool light : {false, true}) {
                const std::vector<std::uint8_t> pixels(3 * 24 * 20,
                                                       static_cast<std::uint8_t>(light ? 230 - i : 10 + i));
                const bool jpeg = i % 2 == 0;
                std::ostringstream name;
                name << "images/" << split << (light ? "/light/" : "/dark/") << i << (jpeg ? ".jpg" : ".png");
                folder_.write(name.str(), jpeg ? test::jpegOf(24, 20, pixels) : test::pngOf(24, 20, pixels));
            }
        }
    }
    folder_.write("images/train/dark/cut.jpg", test::jpegOf(24, 20, test::gradient(24, 20)).substr(0, 200));
    const auto line =
        run("[algorithm]\nname = \"local_sgd\"\nperiod = 2\n[model]\nname = \"logistic\"\n"
            "[data]\nname = \"image-folder\"\npath = \"images\"\nextent = 8\nchannels = 3\non_damage = \"skip\"\n"
            "threads = 2\n[train]\n" +
            kTrain + "batch_size = 4\n[optimizer]\nlearning_rate = 0.01\n[cluster]\nworkers = 2\n");
    EXPECT_EQ(line["best_accuracy"], 1.0);
    EXPECT_EQ(valuesOf("eval/accuracy").back(), 1);
    const auto skipped = valuesOf("data/skipped");
    EXPECT_EQ(skipped.size(), 4U) << "of both ranks, at the start and at the end";
    EXPECT_THAT(skipped, Each(1.0));
}

// Three numbers a sample; its class is +1 where the first two are more than 0 together. All are eighths: text holds
// them exactly.
struct Numbers {
    std::vector<std::array<double, 3>> inputs;
    std::vector<int> classes;
};

Numbers someNumbers() {
    Numbers numbers;
    for (int i = 0; i < 40; ++i) {
        const std::array<double, 3> x{(i * 7 % 11 - 5) / 8.0, (i * 5 % 13 - 6) / 8.0, (i * 3 % 17 - 8) / 8.0};
        numbers.inputs.push_back(x);
        numbers.classes.push_back(x[0] + x[1] > 0 ? 1 : -1);
    }
    return numbers;
}

std::string libsvmOf(const Numbers& numbers, std::size_t begin = 0, std::size_t end = 40) {
    std::ostringstream lines;
    for (std::size_t i = begin; i < end; ++i) {
        lines << numbers.classes[i];
        for (std::size_t c = 0; c < 3; ++c) {
            if (numbers.inputs[i][c] != 0) lines << ' ' << c + 1 << ':' << numbers.inputs[i][c];
        }
        lines << '\n';
    }
    return lines.str();
}

std::string safetensorsOf(const Numbers& numbers) {
    std::vector<float> inputs;
    std::vector<std::int64_t> targets;
    for (std::size_t i = 0; i < numbers.inputs.size(); ++i) {
        for (const double x : numbers.inputs[i]) inputs.push_back(static_cast<float>(x));
        targets.push_back(numbers.classes[i] > 0 ? 1 : 0);
    }
    const std::string bytes = test::rawBytes(inputs) + test::rawBytes(targets);
    const std::size_t border = inputs.size() * sizeof(float);
    std::string header = "{";
    header.append(test::tensorEntry("inputs", "F32", "[40,3]", 0, border));
    header.append(",").append(test::tensorEntry("targets", "I64", "[40]", border, bytes.size())).append("}");
    return test::safetensors(header, bytes);
}

// 36 samples, 12 of each rank, all in every step: what the ranks do together is
// subgradient descent on the mean hinge loss, computed here sample by sample.
TEST_F(WholeRuns, ALinearSvmOnLibsvmDescendsTheHingeLoss) {
    constexpr double kRate = 0.5;
    const Numbers numbers = someNumbers();
    folder_.write("svm.txt", libsvmOf(numbers, 0, 36));
    folder_.write("tests.txt", libsvmOf(numbers, 36));
    const auto line =
        run("[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"linear_svm\"\n"
            "[data]\nname = \"libsvm\"\npath = \"svm.txt\"\ntest_path = \"tests.txt\"\n[train]\n" +
            kTrain + "batch_size = 12\n[optimizer]\nlearning_rate = 0.5\nmomentum = 0.0\n[cluster]\nworkers = 3\n");
    std::array<double, 4> w{};  // the last: of the constant
    const auto shortfall = [&](std::size_t i) {
        const auto& x = numbers.inputs[i];
        return 1 - numbers.classes[i] * (w[0] * x[0] + w[1] * x[1] + w[2] * x[2] + w[3]);
    };
    std::vector<double> expected;
    for (int step = 0; step <= 60; ++step) {
        if (step % 20 == 0) {
            double sum = 0;
            for (std::size_t i = 36; i < 40; ++i) sum += std::max(0.0, shortfall(i)) / 4;
            expected.push_back(sum);
        }
        std::array<double, 4> descent{};
        for (std::size_t i = 0; i < 36; ++i) {
            if (shortfall(i) <= 0) continue;
            for (std::size_t c = 0; c < 3; ++c) descent[c] += numbers.classes[i] * numbers.inputs[i][c] / 36;
            descent[3] += numbers.classes[i] / 36.0;
        }
        for (std::size_t c = 0; c < 4; ++c) w[c] += kRate * descent[c];
    }
    const auto losses = valuesOf("eval/loss");
    ASSERT_EQ(losses.size(), expected.size());
    for (std::size_t i = 0; i < losses.size(); ++i) EXPECT_NEAR(losses[i], expected[i], 1e-5) << "evaluation " << i;
    EXPECT_EQ(losses[0], 1) << "of no weights";
    EXPECT_EQ(line["best_accuracy"], 1.0);
}

// A format is only a way to keep the samples.
TEST_F(WholeRuns, SafetensorsAndLibsvmOfTheSameNumbersTrainAlike) {
    const Numbers numbers = someNumbers();
    folder_.write("a.txt", libsvmOf(numbers));
    folder_.write("a.safetensors", safetensorsOf(numbers));
    const auto lossesOf = [&](const std::string& format, const std::string& file) {
        run("[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n[model]\nname = \"logistic\"\n[data]\nname = \"" +
            format + "\"\npath = \"" + file + "\"\nvalidation = 0.1\n[train]\n" + kTrain +
            "batch_size = 4\n[cluster]\nworkers = 2\n");
        return lossesOnBothSets();
    };
    const auto sparse = lossesOf("libsvm", "a.txt"), tensors = lossesOf("safetensors", "a.safetensors");
    ASSERT_EQ(sparse.size(), 8U);
    EXPECT_LT(sparse[3], sparse[0]);
    EXPECT_EQ(tensors, sparse);
}

// The user's own network: ours, written as TorchScript with the weights that ours begins with.
TEST_F(WholeRuns, ATorchScriptTrainsAsTheSameNetworkOfOurs) {
    const auto experiment = [](const std::string& model) {
        return "[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n[model]\n" + model + "[train]\n" + kTrain +
               "batch_size = 16\nseed = 5\n[cluster]\nworkers = 2\n";
    };
    const std::string ours = experiment("name = \"logistic\"\n");
    const Experiment read = readExperiment(parseToml(ours, "e.toml").value()).value();
    const auto model = std::move(buildModel(read, loadTrainingData(read).value(), Rank{0}).value());
    torch::jit::Module script("__torch__.Net");
    script.register_attribute("training", c10::BoolType::get(), true);
    const auto weights = model->module().parameters();
    script.register_parameter("weight", weights[0].detach().clone().set_requires_grad(true), false);
    script.register_parameter("bias", weights[1].detach().clone().set_requires_grad(true), false);
    script.define("def forward(self, x):\n    return x.flatten(1).matmul(self.weight.t()) + self.bias\n");
    script.save((folder_.path() / "net.pt").string());

    const auto theirLine = run(experiment("name = \"torchscript\"\npath = \"net.pt\"\n"));
    const auto theirs = valuesOf("eval/loss");
    const auto ourLine = run(ours);
    const auto expected = valuesOf("eval/loss");
    ASSERT_EQ(expected.size(), 4U);
    ASSERT_EQ(theirs.size(), expected.size());
    // The two networks sum in another order, in float32: 1e-4 of a loss below 3.
    for (std::size_t i = 0; i < theirs.size(); ++i) EXPECT_NEAR(theirs[i], expected[i], 1e-4) << "evaluation " << i;
    EXPECT_LT(theirs.back(), 0.5 * theirs.front());
    EXPECT_EQ(theirLine["bytes_sent"], ourLine["bytes_sent"]) << "as many parameters";
}

// Sizes of one mapping of a process, in kB.
struct MappedFile {
    std::int64_t size = 0, resident = 0, proportional = 0, anonymous = 0;
};

// Files of `folder` that `process` has mapped, by name, from /proc.
std::map<std::string, MappedFile> mappedBy(pid_t process, const std::filesystem::path& folder) {
    std::map<std::string, MappedFile> files;
    std::istringstream maps(test::contentOf(std::filesystem::path("/proc") / std::to_string(process) / "smaps"));
    MappedFile* at = nullptr;
    for (std::string line; std::getline(maps, line);) {
        std::istringstream words(line);
        std::string first;
        std::int64_t kilobytes = 0;
        words >> first;
        if (first.find('-') != std::string::npos) {
            const auto path = line.find('/');
            const std::filesystem::path file = path == std::string::npos ? "" : line.substr(path);
            at = file.parent_path() == folder ? &files[file.filename().string()] : nullptr;
        } else if (at && words >> kilobytes) {
            if (first == "Size:") at->size += kilobytes;
            if (first == "Rss:") at->resident += kilobytes;
            if (first == "Pss:") at->proportional += kilobytes;
            if (first == "Anonymous:") at->anonymous += kilobytes;
        }
    }
    return files;
}

// Pss counts a page by its share: that of all processes together is what is in memory, once. A copy of its own in any
// of them would show in full.
TEST_F(WholeRuns, EightProcessesHoldTheFilesOfCifarOnce) {
    constexpr int kRanks = 8;
    for (int file = 0; file <= 5; ++file) {
        std::string records;
        for (int i = 0; i < 100; ++i) {
            records += static_cast<char>(i % 10);
            records += std::string(3072, static_cast<char>(i * file));
        }
        std::ostringstream name;
        name << "cifar/" << (file == 0 ? "test_batch" : "data_batch_");
        if (file > 0) name << file;
        name << ".bin";
        folder_.write(name.str(), records);
    }
    folder_.write("e.toml",
                  "[algorithm]\nname = \"independent\"\n[model]\nname = \"logistic\"\n"
                  "[data]\nname = \"cifar\"\npath = \"cifar\"\nsubset = true\n"
                  "[train]\nsteps = 100000000\nbatch_size = 8\neval_every = 100000000\n[cluster]\nworkers = 8\n");
    test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q"});
    const auto allTrain = [&] {
        const std::string run = folder_.firstRun();
        const auto control = RunControl::open(folder_.workspace() / "runs" / run / "control");
        if (run.empty() || !control) return false;
        for (int rank = 0; rank < kRanks; ++rank) {
            if (control->completed(Rank(rank)) < 1) return false;
        }
        return true;
    };
    ASSERT_TRUE(test::eventually(allTrain, std::chrono::seconds(40)));
    const auto ranks = test::childrenOf(program.id());
    ASSERT_EQ(ranks.size(), 8U);
    std::map<std::string, std::int64_t> together;
    std::int64_t size = 0;
    for (const pid_t rank : ranks) {
        const auto files = mappedBy(rank, std::filesystem::canonical(folder_.path() / "cifar"));
        ASSERT_EQ(files.size(), 6U) << "those of the training set and that of the test set";
        for (const auto& [name, file] : files) {
            // Labels lie on every page; the kernel may have taken one back.
            EXPECT_GE(file.resident, file.size / 2) << name;
            EXPECT_EQ(file.anonymous, 0) << name;
            together[name] += file.proportional;
            size = file.size;
        }
    }
    for (const auto& [name, kilobytes] : together)
        EXPECT_LE(kilobytes, size + kRanks) << name << ", rounded up by each";
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit, 130);
}

}  // namespace
}  // namespace dasgd::experiments

// Files that cannot be trained on, through the program: refused with the file, the place and the remedy, and nothing is
// started or left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/base/errors.h"
#include "storage/read/metric_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/image_files.h"
#include "tests/support/script_modules.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class BadInput : public ::testing::Test {
protected:
    void writeExperiment(const std::string& model, const std::string& data, int batch = 2) {
        std::ostringstream text;
        text << "[algorithm]\nname = \"sync_sgd\"\n[model]\n" << model << "[data]\n" << data;
        text << "[train]\nsteps = 2\nbatch_size = " << batch << "\n";
        folder_.write("e.toml", text.str());
    }
    // Error of the run, which the check without a run has to repeat.
    std::string refusal() {
        const test::Ended ended = folder_.run({"run", "e.toml", "-w", "w"});
        EXPECT_EQ(ended.exit, kWrongInput) << ended.out;
        EXPECT_FALSE(std::filesystem::exists(folder_.workspace())) << "no rank without a run, no run without one";
        const test::Ended checked = folder_.run({"run", "e.toml", "-w", "w", "--dry-run"});
        EXPECT_EQ(checked.exit, kWrongInput);
        EXPECT_EQ(checked.err, ended.err);
        return ended.err;
    }
    std::string refusalOfScript(const std::string& archive) {
        folder_.write("net.pt", archive);
        writeExperiment("name = \"torchscript\"\npath = \"net.pt\"\n", "name = \"mnist\"\n");
        return refusal();
    }
    std::string archiveOf(const torch::jit::Module& script) {
        script.save((folder_.path() / "made.pt").string());
        return test::contentOf(folder_.path() / "made.pt");
    }

    test::DasgdFolder folder_;
};

const at::Tensor& weight() {
    static const at::Tensor kWeight = torch::ones({10, 784});
    return kWeight;
}
constexpr const char* kForward = "    return x.flatten(1).matmul(self.weight.t())\n";

std::uint32_t numberAt(const std::string& bytes, std::size_t at, int count) {
    std::uint32_t number = 0;
    for (int i = count - 1; i >= 0; --i) {
        number = number << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
    }
    return number;
}

void putNumber(std::string& bytes, std::size_t at, std::uint32_t number) {
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>((number >> (8 * i)) & 0xFF);
}

// The archive, a zip file whose members are stored as they are, with nines in place of its version.
std::string ofLaterVersion(std::string archive) {
    std::string nines;
    const auto isVersion = [&](std::size_t name, std::uint32_t length) {
        return archive.substr(name, length).ends_with("version");
    };
    const auto checksum = [&] {
        return static_cast<std::uint32_t>(
            ::crc32(0, reinterpret_cast<const Bytef*>(nines.data()), static_cast<uInt>(nines.size())));
    };
    const std::string member("PK\3\4", 4), entry("PK\1\2", 4);
    for (auto at = archive.find(member); at != std::string::npos; at = archive.find(member, at + 4)) {
        const std::uint32_t length = numberAt(archive, at + 26, 2);
        if (!isVersion(at + 30, length)) continue;
        const std::size_t data = at + 30 + length + numberAt(archive, at + 28, 2);
        nines.assign(archive.find('\n', data) + 1 - data, '9');
        putNumber(archive, at + 14, checksum());
        archive.replace(data, nines.size(), nines);
    }
    // The table at the end of the archive has the checksums too.
    for (auto at = archive.find(entry); at != std::string::npos; at = archive.find(entry, at + 4)) {
        if (isVersion(at + 46, numberAt(archive, at + 28, 2))) putNumber(archive, at + 16, checksum());
    }
    EXPECT_FALSE(nines.empty()) << "the archive says no version";
    return archive;
}

TEST_F(BadInput, ATorchScriptFileThatIsNone) {
    EXPECT_THAT(refusalOfScript("no archive at all"),
                AllOf(StartsWith("dasgd: e.toml:3:1: net.pt is no TorchScript file"),
                      HasSubstr("Write it with torch.jit.script(net).save(path)")));
}

TEST_F(BadInput, ATorchScriptFileOfAnotherVersion) {
    const std::string archive = archiveOf(test::scriptOf({{"weight", weight()}}, kForward));
    EXPECT_THAT(refusalOfScript(ofLaterVersion(archive)),
                AllOf(StartsWith("dasgd: e.toml:3:1: net.pt is no TorchScript file that this version"),
                      HasSubstr("LibTorch reads (Attempted to read a PyTorch file with version 99"),
                      HasSubstr("Write it with torch.jit.script(net).save(path), not with torch.save, "
                                "in PyTorch 2.")));
    folder_.write("net.pt", archive);
    EXPECT_EQ(folder_.run({"run", "e.toml", "-w", "w", "--dry-run"}).exit, kFinished) << "as it was it can be trained";
}

TEST_F(BadInput, ATorchScriptFileThatChangesItsInputs) {
    const auto script = test::scriptOf({{"weight", weight()}}, std::string("    x.mul_(2.0)\n") + kForward);
    EXPECT_THAT(refusalOfScript(archiveOf(script)),
                AllOf(StartsWith("dasgd: e.toml:3:1: net.pt changes its inputs in place"), HasSubstr("x = x.clone()")));
}

// Neither the check nor a run lets it write.
TEST_F(BadInput, ATorchScriptFileThatWritesAFile) {
    const std::string victim = (folder_.path() / "victim").string();
    const auto script = test::scriptOf({{"weight", weight()}}, "    torch.save(x, \"" + victim + "\")\n" + kForward);
    EXPECT_THAT(refusalOfScript(archiveOf(script)),
                AllOf(StartsWith("dasgd: e.toml:3:1: net.pt: aten::save, which __torch__.Net.forward calls,"),
                      HasSubstr("A model file is code")));
    EXPECT_FALSE(std::filesystem::exists(victim));
}

TEST_F(BadInput, ATorchScriptFileWithoutParameters) {
    const auto script = test::scriptOf({}, "    return x.flatten(1)[:, :10]\n");
    EXPECT_THAT(refusalOfScript(archiveOf(script)),
                AllOf(StartsWith("dasgd: e.toml:3:1: net.pt has no parameters that can be trained"),
                      HasSubstr("Save it with torch.jit.script alone")));
}

TEST_F(BadInput, AnImageFolderWithOneClass) {
    folder_.write("images/train/ant/1.jpg", test::jpegOf(16, 16, test::gradient(16, 16)));
    folder_.write("images/val/ant/1.jpg", test::jpegOf(16, 16, test::gradient(16, 16)));
    writeExperiment("name = \"lenet\"\n", "name = \"image-folder\"\npath = \"images\"\n");
    EXPECT_THAT(refusal(), AllOf(StartsWith("dasgd: images/train: it has 1 folder of a class"),
                                 HasSubstr("at least 2: keep files as train/CLASS/FILE")));
}

TEST_F(BadInput, AnImageFolderWithABrokenJpeg) {
    const std::string whole = test::jpegOf(64, 64, test::gradient(64, 64));
    for (const char* name : {"train/ant/1.jpg", "train/bee/1.jpg", "val/ant/1.jpg", "val/bee/1.jpg"}) {
        folder_.write(std::string("images/") + name, whole);
    }
    folder_.write("images/train/bee/2.jpg", whole.substr(0, whole.size() / 2));
    writeExperiment("name = \"lenet\"\n", "name = \"image-folder\"\npath = \"images\"\n");
    EXPECT_THAT(refusal(), AllOf(StartsWith("dasgd: images/train/bee/2.jpg: it is damaged: "),
                                 HasSubstr("Replace or remove the file, or set on_damage = \"skip\" in [data]")));
}

TEST_F(BadInput, AClassWithoutAnImage) {
    for (const char* name : {"train/ant/1.jpg", "train/bee/1.jpg", "val/ant/1.jpg", "val/bee/1.jpg"}) {
        folder_.write(std::string("images/") + name, test::jpegOf(16, 16, test::gradient(16, 16)));
    }
    std::filesystem::create_directories(folder_.path() / "images/train/cat");
    writeExperiment("name = \"lenet\"\n", "name = \"image-folder\"\npath = \"images\"\n");
    EXPECT_THAT(refusal(), StartsWith("dasgd: images/train/cat: this class has no image"));
}

// Only decoding finds the damage, not the header or the end of the file: the run ends with the file's name, or goes on
// without the file; where all pixels are inspected beforehand, there is no run.
TEST_F(BadInput, AJpegWhoseDamageOnlyDecodingFinds) {
    const std::string whole = test::jpegOf(64, 64, test::gradient(64, 64));
    for (const char* name : {"train/ant/1.jpg", "train/bee/1.jpg", "val/ant/1.jpg", "val/bee/1.jpg"}) {
        folder_.write(std::string("images/") + name, whole);
    }
    folder_.write("images/train/bee/2.jpg", test::endedEarly(whole));
    folder_.write("images/val/bee/2.jpg", "no image");
    writeExperiment("name = \"lenet\"\n",
                    "name = \"image-folder\"\npath = \"images\"\non_damage = \"skip\"\ninspect = \"structure\"\n", 1);
    const std::vector<std::string> run{"run", "e.toml", "-w",    "w",
                                       "-q",  "--json", "--set", "cluster.backend=\"threads\""};
    const test::Ended skipping = folder_.run(run);
    EXPECT_EQ(skipping.exit, kFinished) << skipping.err;
    EXPECT_THAT(skipping.err, HasSubstr("1 damaged part of the data is left out: images/val/bee/2.jpg: it is neither"));
    auto reader = storage::MetricReader::open(folder_.workspace());
    ASSERT_TRUE(reader) << reader.error().message;
    const auto skipped = reader->samples({.runId = folder_.firstRun(), .name = "data/skipped"});
    ASSERT_TRUE(skipped) << skipped.error().message;
    double most = 0;
    for (const auto& sample : skipped->samples) most = std::max(most, sample.value);
    EXPECT_EQ(most, 2) << "the one before the run and the one within its only epoch";

    std::filesystem::remove(folder_.path() / "images/val/bee/2.jpg");
    std::vector<std::string> refusing = run;
    refusing.insert(refusing.end(), {"--set", "data.on_damage=\"refuse\""});
    const test::Ended refused = folder_.run(refusing);
    EXPECT_EQ(refused.exit, kRunFailed);
    EXPECT_THAT(refused.out, HasSubstr("images/train/bee/2.jpg: it is damaged: "));
    EXPECT_THAT(refused.out, HasSubstr("Replace or remove the file, or set on_damage"));

    std::filesystem::remove_all(folder_.workspace());
    writeExperiment("name = \"lenet\"\n", "name = \"image-folder\"\npath = \"images\"\n", 1);
    EXPECT_THAT(refusal(), AllOf(StartsWith("dasgd: images/train/bee/2.jpg: it is damaged: "),
                                 HasSubstr("Replace or remove the file, or set on_damage = \"skip\" in [data]")));
}

TEST_F(BadInput, CifarOfTheWrongLength) {
    const std::string record(3073, '\0');
    for (const char* name : {"1", "2", "4", "5"}) {
        folder_.write(std::string("cifar/data_batch_").append(name).append(".bin"), record);
    }
    folder_.write("cifar/test_batch.bin", record);
    folder_.write("cifar/data_batch_3.bin", record + record.substr(7));
    writeExperiment("name = \"lenet\"\n", "name = \"cifar\"\npath = \"cifar\"\nsubset = true\n");
    EXPECT_THAT(refusal(), AllOf(StartsWith("dasgd: cifar/data_batch_3.bin: its length of 6139 bytes"),
                                 HasSubstr("truncated in record 1,"),
                                 HasSubstr("Unpack the archive cifar-10-binary.tar.gz again")));
}

TEST_F(BadInput, ALibsvmLineWithAWrongIndex) {
    folder_.write("a.svm", "+1 1:0.5 3:1\n-1 2:1 2:4\n");
    writeExperiment("name = \"logistic\"\n", "name = \"libsvm\"\npath = \"a.svm\"\n");
    EXPECT_THAT(refusal(), AllOf(StartsWith("dasgd: a.svm:2:8: index 2 follows 2"),
                                 HasSubstr("Correct the line, or set on_damage = \"skip\"")));
}

TEST_F(BadInput, ATextThatIsNotUtf8WhoseBytesAreTaken) {
    std::string prose;
    for (int i = 0; i < 100; ++i) prose += "gr\xFC\xDF Gott\n";
    folder_.write("t.txt", "first line\n" + prose);
    writeExperiment("name = \"char_lstm\"\nwidth = 8\ncontext = 16\n", "name = \"text\"\npath = \"t.txt\"\n");
    EXPECT_THAT(refusal(), AllOf(StartsWith("dasgd: t.txt:2: byte 13 of the text is not UTF-8"),
                                 HasSubstr("Convert the file to UTF-8, or set tokens = \"bytes\" in [data]")));
    const test::Ended trained = folder_.run(
        {"run", "e.toml", "-w", "w", "-q", "--set", "data.tokens=\"bytes\"", "--set", "cluster.backend=\"threads\""});
    EXPECT_EQ(trained.exit, kFinished) << trained.err;
}

TEST_F(BadInput, ATextOfOneCharacter) {
    folder_.write("t.txt", std::string(500, 'a'));
    writeExperiment("name = \"char_lstm\"\nwidth = 8\ncontext = 16\n", "name = \"text\"\npath = \"t.txt\"\n");
    EXPECT_THAT(refusal(), AllOf(StartsWith("dasgd: t.txt: it is one character"), HasSubstr("Name another text")));
}

TEST_F(BadInput, ABatchWiderThanTheText) {
    writeExperiment("name = \"char_lstm\"\nwidth = 8\ncontext = 64\n", "name = \"text\"\n", 100'000);
    EXPECT_THAT(refusal(), AllOf(StartsWith("dasgd: e.toml:11:14: each of "), HasSubstr("100000 side by side"),
                                 HasSubstr("choose a smaller batch_size")));
}

TEST_F(BadInput, AValidationSetOfAllSamples) {
    writeExperiment("name = \"logistic\"\n", "name = \"synthetic\"\ntrain_samples = 50\nvalidation = 0.999\n", 1);
    EXPECT_THAT(refusal(),
                AllOf(StartsWith("dasgd: e.toml:8:14: the training set has 0 samples without the validation"),
                      HasSubstr("lower data.validation")));
}

TEST_F(BadInput, ABatchLargerThanTheData) {
    writeExperiment("name = \"logistic\"\n", "name = \"synthetic\"\ntrain_samples = 50\n", 51);
    EXPECT_THAT(refusal(), AllOf(StartsWith("dasgd: e.toml:10:14: batch_size is 51"),
                                 HasSubstr("50 samples: choose at most that many")));
}

}  // namespace
}  // namespace dasgd::experiments

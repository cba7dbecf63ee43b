// The engine's bundle of `./lab bundle`: it holds what it needs, and runs from wherever it is unpacked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::test {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::uintmax_t kLimitBytes = 64ULL << 20;

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

// Each "=> path" that the dynamic loader lists.
std::vector<std::string> resolved(const std::string& listing) {
    std::vector<std::string> paths;
    for (const std::string& line : linesOf(listing)) {
        const auto arrow = line.find("=> ");
        if (arrow == std::string::npos) continue;
        paths.push_back(line.substr(arrow + 3, line.rfind(" (") - arrow - 3));
    }
    return paths;
}

class Bundle : public ::testing::Test {
protected:
    void SetUp() override {
        const Ended made = execute(fs::path(kSourceDir) / "resources/bundle/bundle.sh", {kProgram, path("out")});
        ASSERT_EQ(made.exit, 0) << made.err;
        archive_ = made.out.substr(0, made.out.find('\n'));
        for (const std::string& library : resolved(execute("/usr/bin/ldd", {kProgram}).out)) {
            if (library.ends_with("/libtorch_cpu.so")) torch_ = fs::path(library).parent_path().string();
        }
        ASSERT_FALSE(torch_.empty());
    }

    // Unpacks what was made as the folder `name` and forgets the original.
    void unpackAs(const std::string& name) {
        ASSERT_EQ(execute("/usr/bin/tar", {"-C", path("."), "-xf", archive_}).exit, 0);
        fs::remove_all(path("out"));
        const std::string packed = fs::path(archive_).filename().string();
        bundle_ = folder_ / name;
        fs::rename(folder_ / packed.substr(0, packed.rfind(".tar.gz")), bundle_);
    }

    void expectLibrariesWithTheirTerms();
    void expectModuleForGpus();
    void expectRefusals();

    [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
    [[nodiscard]] StartedProgram start(const std::string& program, const std::vector<std::string>& arguments,
                                       Environment environment = {}) const {
        environment.insert({{"LD_LIBRARY_PATH", ""}, {"DASGD_LIBTORCH", torch_}, {"DASGD_GLIBC", ""}});
        return {folder_.path(), arguments, environment, program};
    }
    [[nodiscard]] Ended execute(const std::string& program, const std::vector<std::string>& arguments,
                                const Environment& environment = {}) const {
        return start(program, arguments, environment).wait();
    }
    [[nodiscard]] std::string launcher() const { return (bundle_ / "bin/dasgd").string(); }
    [[nodiscard]] Ended run(const std::vector<std::string>& arguments, const Environment& environment = {}) const {
        return execute(launcher(), arguments, environment);
    }

    TempDir folder_;
    fs::path bundle_;
    std::string archive_, torch_;
};

void Bundle::expectLibrariesWithTheirTerms() {
    const auto manifest = nlohmann::json::parse(contentOf(bundle_ / "manifest.json"));
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(bundle_)) {
        // A licence that several packages have is one file with several names.
        if (entry.is_regular_file()) bytes += entry.file_size() / entry.hard_link_count();
    }
    EXPECT_LE(bytes, kLimitBytes);

    int libraries = 0;
    for (const auto& file : manifest["files"]) {
        const std::string name = file["path"];
        EXPECT_EQ(fs::file_size(bundle_ / name), file["bytes"]) << name;
        if (!name.starts_with("lib/")) continue;
        ++libraries;
        EXPECT_THAT(name, AllOf(Not(HasSubstr("torch")), Not(HasSubstr("c10")), Not(HasSubstr("cuda")),
                                Not(HasSubstr("nccl")), Not(HasSubstr("Qt"))));
        EXPECT_FALSE(std::string(file["package_version"]).empty()) << name;
        EXPECT_GT(fs::file_size(bundle_ / "licences" / std::string(file["package"])), 0U) << name;
    }
    EXPECT_GT(libraries, 5);
    EXPECT_TRUE(fs::exists(bundle_ / "LICENSE"));
    EXPECT_TRUE(fs::exists(bundle_ / "share/suites/first-light.toml"));
    for (const char* text : {"README.txt", "bin/dasgd"}) {
        EXPECT_THAT(contentOf(bundle_ / text), Not(::testing::ContainsRegex("@[A-Z_]+@"))) << text;
    }
    EXPECT_THAT(execute("/usr/bin/readelf", {"-dW", (bundle_ / "libexec/dasgd").string()}).out,
                AllOf(HasSubstr("NEEDED"), Not(HasSubstr("PATH"))))
        << "a path of this machine";

    // The engine is started by its own loader: it takes nothing from this machine but LibTorch and what lies beside it.
    const std::string own = (bundle_ / "lib/glibc").string();
    std::string loader;
    for (const auto& entry : fs::directory_iterator(own)) {
        if (entry.path().filename().string().starts_with("ld-linux")) loader = entry.path().string();
    }
    const Ended listed = execute(loader, {"--library-path", own + ":" + (bundle_ / "lib").string() + ":" + torch_,
                                          "--list", (bundle_ / "libexec/dasgd").string()});
    const std::string site = fs::path(torch_).parent_path().parent_path().string();
    const std::vector<std::string> loaded = resolved(listed.out);
    EXPECT_GT(loaded.size(), 10U) << listed.out << listed.err;
    for (const std::string& library : loaded) {
        EXPECT_TRUE(library.starts_with(bundle_.string()) || library.starts_with(site)) << library;
    }
}

// The libraries of GPUs are not here, nor need they be: the engine looks for them when it is asked for a GPU.
void Bundle::expectModuleForGpus() {
    const std::string module = (bundle_ / "libexec/dasgd_cuda.so").string();
    ASSERT_TRUE(fs::exists(module));
    EXPECT_THAT(execute("/usr/bin/readelf", {"-dW", module}).out,
                AllOf(HasSubstr("libtorch_cuda.so"), Not(HasSubstr("PATH"))));
    const Ended examined = run({"doctor", "-w", "w"});
    EXPECT_EQ(examined.exit, 0) << examined.out << examined.err;
    EXPECT_THAT(examined.out, HasSubstr("nccl"));
    EXPECT_THAT(examined.out, Not(HasSubstr("dasgd_cuda.so is not")));
}

TEST_F(Bundle, TrainsWhereverItLiesWithEitherGlibc) {
    unpackAs("a place of its own");
    writeText(folder_ / "gloo.toml", quickExperiment("gloo"));
    writeText(folder_ / "virtual.toml", quickExperiment("virtual"));
    for (const std::string glibc : {"system", "bundle"}) {
        for (const std::string backend : {"gloo", "virtual"}) {
            const Ended ended = run({"run", backend + ".toml", "-w", glibc}, {{"DASGD_GLIBC", glibc}});
            EXPECT_EQ(ended.exit, 0) << glibc << " " << backend << ended.err;
            EXPECT_THAT(ended.out + ended.err, HasSubstr("finished after 30 steps")) << glibc << " " << backend;
        }
    }
    // A link on the PATH, and a folder that has moved since the copy for its own glibc was made.
    fs::rename(bundle_, folder_ / "moved");
    bundle_ = folder_ / "moved";
    fs::create_symlink("moved/bin/dasgd", folder_ / "link");
    const Ended moved = execute(path("link"), {"doctor", "--json"}, {{"DASGD_GLIBC", "bundle"}});
    EXPECT_EQ(moved.exit, 0) << moved.err;
    EXPECT_TRUE(nlohmann::json::parse(moved.out)["ok"]);
    EXPECT_THAT(moved.err, AllOf(HasSubstr("each is as it was bundled"), HasSubstr("the bundle's own"),
                                 HasSubstr("2.11"), HasSubstr(torch_), Not(HasSubstr("broken"))));

    // The process that was started is the engine: who signals it, stops the run.
    writeText(folder_ / "long.toml", quickExperiment("gloo", 10'000'000));
    StartedProgram program = start(launcher(), {"run", "long.toml", "-w", "long"});
    ASSERT_TRUE(eventually([&] { return childrenOf(program.id()).size() == 2; }));
    EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(program.id()) + "/exe"),
              fs::canonical(bundle_ / "libexec/dasgd"));
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit, 130);
}

void Bundle::expectRefusals() {
    // Pythons without torch, and with another.
    fs::create_directories(folder_ / "none");
    writeText(folder_ / "python/python3", "#!/bin/sh\nprintf '%s\\n' '" + path("old/torch") + "'\n");
    fs::permissions(folder_ / "python/python3", fs::perms::owner_all);
    writeText(folder_ / "old/torch/version.py", "__version__ = '2.4.1+cu121'\n");
    writeText(folder_ / "old/torch/lib/libtorch_cpu.so", "");
    const auto refused = [&](const Environment& environment) {
        const Ended ended = run({"--version"}, environment);
        EXPECT_EQ(ended.exit, 1);
        EXPECT_THAT(ended.out, IsEmpty());
        EXPECT_THAT(ended.err, StartsWith("dasgd: "));
        return ended.err;
    };
    EXPECT_THAT(refused({{"DASGD_LIBTORCH", path("none")}}),
                AllOf(HasSubstr("LibTorch 2.11 is needed"), HasSubstr(path("none") + ": no libtorch_cpu.so"),
                      HasSubstr("DASGD_LIBTORCH"), Not(HasSubstr("python3:"))));
    const std::string tools = ":/usr/bin:/bin";
    EXPECT_THAT(refused({{"DASGD_LIBTORCH", ""}, {"PATH", path("python") + tools}}),
                HasSubstr(path("old/torch/lib") + ": version 2.4.1+cu121"));
    fs::remove(folder_ / "old/torch/version.py");
    EXPECT_THAT(refused({{"DASGD_LIBTORCH", path("old")}}), HasSubstr("says which version"));
    EXPECT_THAT(refused({{"DASGD_GLIBC", "musl"}}), HasSubstr("'bundle' or 'system'"));

    // LibTorch unpacked has its version elsewhere; and in the bundle's folder it is found without being named.
    fs::create_directories(folder_ / "bundle/libtorch");
    fs::create_directory_symlink(torch_, folder_ / "bundle/libtorch/lib");
    writeText(folder_ / "bundle/libtorch/build-version", "2.11.0+cpu\n");
    const Ended unpacked = run({"doctor"}, {{"DASGD_LIBTORCH", ""}, {"PATH", "/usr/bin:/bin"}});
    EXPECT_EQ(unpacked.exit, 0) << unpacked.err;
    EXPECT_THAT(unpacked.err, HasSubstr("2.11.0"));

    std::ofstream(bundle_ / "share/suites/first-light.toml", std::ios::app) << "# changed\n";
    const Ended damaged = run({"doctor"});
    EXPECT_EQ(damaged.exit, 1);
    EXPECT_THAT(damaged.err, AllOf(HasSubstr("broken"), HasSubstr("first-light.toml")));
}

// One bundle for all three: making it takes 15 s.
TEST_F(Bundle, HoldsWhatItNeedsAndSaysWhatItLacks) {
    unpackAs("bundle");
    expectLibrariesWithTheirTerms();
    expectModuleForGpus();
    expectRefusals();  // damages it
}

TEST(BundleScript, RefusesWhatIsNoEngine) {
    const TempDir folder;
    const std::string script = (fs::path(kSourceDir) / "resources/bundle/bundle.sh").string();
    const auto refused = [&](const std::vector<std::string>& arguments) {
        const Ended ended = StartedProgram(folder.path(), arguments, {}, script).wait();
        EXPECT_EQ(ended.exit, 1);
        EXPECT_TRUE(!fs::exists(folder / "out") || fs::is_empty(folder / "out"));
        return ended.err;
    };
    const std::string out = (folder / "out").string();
    EXPECT_THAT(refused({(folder / "none").string(), out}), HasSubstr("./lab build"));
    EXPECT_THAT(refused({"/usr/bin/tar", out}), HasSubstr("finds no LibTorch"));
    EXPECT_THAT(refused({}), HasSubstr("PROGRAM FOLDER"));
}

}  // namespace
}  // namespace dasgd::test

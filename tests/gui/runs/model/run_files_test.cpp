#include "gui/runs/model/run_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace dasgd::gui {
namespace {

using Lines = std::vector<std::pair<QString, QString>>;

class RunFilesTest : public ::testing::Test {
protected:
    void file(const std::string& name, std::size_t bytes) const {
        std::filesystem::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name) << std::string(bytes, 'x');
    }
    [[nodiscard]] QString line(const char* name) const {
        for (const auto& [key, value] : filesOf(folder_.path()).lines) {
            if (key == QLatin1String(name)) return QString(value).replace(QChar(0x00a0), QLatin1Char(' '));
        }
        return {};
    }
    test::TempDir folder_;
};

TEST_F(RunFilesTest, TellsWhatIsThereAndHowMuchOfIt) {
    file("experiment.toml", 10);
    file("model.safetensors", 2000);
    file("checkpoints/best.safetensors", 3000);
    file("checkpoints/step-400/rank-0000.safetensors", 4000);
    file("checkpoints/step-400/state.json", 1000);
    file("checkpoints/step-1000/rank-0000.safetensors", 6000);
    file("checkpoints/step-1200.partial/rank-0000.safetensors", 7000);
    std::filesystem::create_directory_symlink("step-1000", folder_ / "checkpoints/latest");
    file("artefacts/profile-rank-0000.json", 500);
    file("journal/rank-0000/0", 64);
    file("journal/rank-0000.lock", 8);
    EXPECT_EQ(line("final model"), QStringLiteral("model.safetensors, 2.00 kB"));
    EXPECT_EQ(line("best model"), QStringLiteral("best.safetensors, 3.00 kB"));
    EXPECT_EQ(line("checkpoints"), QStringLiteral("step 1000, 6.00 kB; step 400, 5.00 kB"));
    EXPECT_EQ(line("artefacts"), QStringLiteral("profile-rank-0000.json, 500 B"));
    EXPECT_EQ(line("journal"), QStringLiteral("64 B"));
    EXPECT_EQ(line("logs"), QString());
    EXPECT_EQ(filesOf(folder_.path()).folder.toStdString(), folder_.path().string());
}

TEST_F(RunFilesTest, ManyAreCounted) {
    for (int i = 0; i < 9; ++i) file("logs/rank-000" + std::to_string(i) + ".log", 100);
    for (int step = 1; step <= 8; ++step) file("checkpoints/step-" + std::to_string(step) + "/state.json", 100);
    file("journal/rank-0000.lock", 8);
    EXPECT_EQ(line("journal"), QString()) << "a lock is no journal";
    EXPECT_EQ(line("logs"), QStringLiteral("9 files, 900 B"));
    EXPECT_TRUE(line("checkpoints").startsWith(QStringLiteral("step 8, 100 B; step 7")));
    EXPECT_TRUE(line("checkpoints").endsWith(QStringLiteral("… 2 more")));
}

TEST_F(RunFilesTest, ARunWithoutAFolderHasNone) {
    const RunFiles files = filesOf(folder_ / "none");
    EXPECT_EQ(files.folder, QString());
    EXPECT_EQ(files.lines, Lines());
}

}  // namespace
}  // namespace dasgd::gui

// `dasgd note`.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/experiments/commands/finished_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class NoteCommand : public FinishedRun {
protected:
    std::string newest() {
        const std::string list = folder_.run({"list", "-w", "w", "--json"}).out;
        return nlohmann::json::parse(list.substr(0, list.find('\n')))["run_id"];
    }
};

TEST_F(NoteCommand, KeepsWhatIsSaidAndShowsIt) {
    const std::string run = newest();
    const test::Ended set =
        folder_.run({"note", run, "-w", "w", "--star", "--tag", "good", "--tag", "fig3", "--text", "diverged\tlate"});
    EXPECT_EQ(set.exit, 0) << set.err;
    EXPECT_EQ(folder_.run({"note", run, "-w", "w", "--untag", "good"}).exit, 0);
    const auto shown = nlohmann::json::parse(folder_.run({"note", run, "-w", "w", "--json"}).out);
    EXPECT_EQ(shown["run"], run);
    EXPECT_EQ(shown["starred"], true);
    EXPECT_EQ(shown["archived"], false);
    EXPECT_EQ(shown["tags"], nlohmann::json::array({"fig3"}));
    EXPECT_EQ(shown["note"], "diverged\tlate");
}

TEST_F(NoteCommand, RefusesWhatIsNoTagAndNoRun) {
    const std::string run = newest();
    const test::Ended tag = folder_.run({"note", run, "-w", "w", "--tag", "two words"});
    EXPECT_EQ(tag.exit, 2);
    EXPECT_THAT(tag.err, HasSubstr("'two words' is no tag"));
    EXPECT_EQ(folder_.run({"note", "nowhere", "-w", "w", "--star"}).exit, 2);
    EXPECT_EQ(folder_.run({"note", run, "-w", "w", "--star", "--unstar"}).exit, 2);
    EXPECT_THAT(folder_.run({"note", run, "-w", "w", "--json"}).out, HasSubstr("\"starred\":false"));
}

}  // namespace
}  // namespace dasgd::experiments

// `dasgd describe`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

nlohmann::json named(const nlohmann::json& list, const std::string& name) {
    for (const auto& each : list) {
        if (each["name"] == name) return each;
    }
    return {};
}

TEST(DescribeCommand, HasTheWholeSchema) {
    const test::DasgdFolder folder;
    const auto schema = nlohmann::json::parse(folder.run({"describe", "--json"}).out);
    const auto dasgd = named(named(schema["sections"], "algorithm")["plugins"], "dasgd");
    const auto delay = named(dasgd["fields"], "delay");
    EXPECT_EQ(delay["type"], "integer");
    EXPECT_TRUE(delay.contains("default") && delay.contains("help"));
    const auto backend = named(named(schema["sections"], "cluster")["fields"], "backend");
    EXPECT_THAT(backend["choices"].get<std::vector<std::string>>(),
                ::testing::IsSupersetOf({"gloo", "nccl", "threads", "virtual"}));
    EXPECT_EQ(named(named(schema["sections"], "cluster")["fields"], "link")["fields"].size(), 2u);
    EXPECT_EQ(named(named(schema["sections"], "cluster")["fields"], "workers")["min"], 1);
}

TEST(DescribeCommand, HasTheKeysOfAClustersProfile) {
    const test::DasgdFolder folder;
    const auto profile = nlohmann::json::parse(folder.run({"describe", "--clusters", "--json"}).out);
    EXPECT_EQ(named(profile["fields"], "kind")["choices"], (nlohmann::json{"local", "ssh", "slurm"}));
    EXPECT_EQ(named(profile["fields"], "port")["max"], 65535);
    EXPECT_TRUE(profile["tables"].contains("slurm"));
    const std::string text = folder.run({"describe", "--clusters"}).out;
    for (const auto& field : profile["fields"]) EXPECT_THAT(text, HasSubstr(field["name"].get<std::string>()));
    EXPECT_THAT(text, HasSubstr("[environment]"));
}

void expectHelp(const nlohmann::json& fields, const std::string& where) {
    for (const auto& field : fields) {
        const std::string name = where + "." + field["name"].get<std::string>();
        EXPECT_GE(field.value("help", "").size(), 6U) << name << " is not explained";
        if (field.contains("fields")) expectHelp(field["fields"], name);
    }
}

TEST(DescribeCommand, ExplainsEveryField) {
    const test::DasgdFolder folder;
    const auto schema = nlohmann::json::parse(folder.run({"describe", "--json"}).out);
    for (const auto& section : schema["sections"]) {
        const std::string name = section["name"];
        if (section.contains("fields")) expectHelp(section["fields"], name);
        if (!section.contains("plugins")) continue;
        for (const auto& plugin : section["plugins"]) expectHelp(plugin["fields"], name);
    }
}

TEST(DescribeCommand, SaysWhichBackendsReadWhatOthersRefuse) {
    const test::DasgdFolder folder;
    const auto sections = nlohmann::json::parse(folder.run({"describe", "--json"}).out)["sections"];
    for (const char* section : {"network", "compute", "faults"})
        EXPECT_EQ(named(sections, section)["backends"], nlohmann::json::array({"virtual"})) << section;
    EXPECT_FALSE(named(sections, "train").contains("backends"));
}

TEST(DescribeCommand, IsReadable) {
    const test::DasgdFolder folder;
    const std::string text = folder.run({"describe"}).out;
    for (const char* part : {"[algorithm]", "name = \"dasgd\"", "batch_size", "full | summary | off"}) {
        EXPECT_THAT(text, HasSubstr(part));
    }
}

TEST(DescribeCommand, ManyChoicesTakeLinesOfTheirOwn) {
    const test::DasgdFolder folder;
    const std::string text = folder.run({"describe"}).out;
    const std::size_t help = text.find("How an all-reduce is made");
    ASSERT_NE(help, std::string::npos);
    EXPECT_LT(help - text.rfind('\n', help), 120u) << "pushed out of a terminal";
    for (const char* choice : {"ring |", "parameter-server", "authors-partial-mixing"}) {
        const std::string block = text.substr(text.rfind('\n', help), 1500);
        EXPECT_THAT(block, HasSubstr(choice));
    }
}

}  // namespace
}  // namespace dasgd::experiments

// The text that SimGrid reads instead of the user's platform file, and refusals with their place.
#include "core/sim/network/platform_xml.h"

#include <gmock/gmock.h>

#include <ostream>

#include "tests/support/sim/platforms.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string written(const std::string& text) { return checkedPlatformXml("cluster.xml", text).value(); }

std::string refusal(const std::string& text) {
    const auto xml = checkedPlatformXml("cluster.xml", text);
    return xml ? "accepted: " + *xml : xml.error().message;
}

const std::string kZone = "<zone id=\"z\" routing=\"Full\">";

TEST(PlatformXml, WritesElementsInTheirLines) {
    EXPECT_EQ(written(clusterPlatform(4)),
              "<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\n"
              "<platform version=\"4.1\">\n"
              "<cluster id=\"all\" prefix=\"node-\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1Gbps\" "
              "lat=\"50us\"/></platform>\n");
}

TEST(PlatformXml, WritesNothingThatIsNotListed) {
    const std::string xml = written(
        platform("<!-- <config/> -->\n<AS id=\"z\" routing=\"Full\">\n<prop id=\"tracing\" value=\"yes &amp; more\"/>\n"
                 "<host id=\"a\" speed=\"1Gf\"><prop id=\"watt\" value=\"1\"/></host>\n</AS>\n"));
    EXPECT_THAT(xml, HasSubstr("<zone id=\"z\" routing=\"Full\">"));
    EXPECT_THAT(xml, HasSubstr("<host id=\"a\" speed=\"1Gf\">"));
    for (const char* gone : {"AS", "prop", "tracing", "watt", "config", "<!--"}) EXPECT_THAT(xml, Not(HasSubstr(gone)));
}

// Elements that SimGrid's own examples have are read over; the network is that of the file without them.
TEST(PlatformXml, ReadsOverWhatChangesNoNetwork) {
    const std::string zone = "<zone id=\"z\" routing=\"full\"><host id=\"a\" speed=\"1Gf,0f\"/>\n";
    const std::string end = "<host id=\"b\" speed=\"5f\"/></zone>\n";
    const auto element = [](const std::string& xml) { return xml.substr(xml.find("<zone")); };
    const std::string right = element(written(platform("\n" + zone + end)));
    const std::string busy =
        "<config id=\"c\"><prop id=\"tracing/filename\" value=\"/tmp/x\"/></config><trace id=\"t\" "
        "periodicity=\"1\">0.0 1.0</trace><trace_connect kind=\"SPEED\" trace=\"t\" element=\"a\"/>\n"
        "<zone id=\"z\" routing=\"full\"><host id=\"a\" speed=\" 1Gf,  0f \" pstate=\"0\" speed_file=\"a.txt\">"
        "<disk id=\"d\" read_bw=\"1\"><prop id=\"mount\" value=\"&amp;\"/></disk><mount storageId=\"s\" name=\"/\"/>"
        "</host>\n<host id=\"b\" speed=\"5\" coordinates=\"\"/></zone>\n";
    std::string read = element(written(platform(busy)));
    for (std::size_t at; (at = read.find("></host>")) != std::string::npos;) read.replace(at, 8, "/>");
    EXPECT_EQ(read, right);
}

TEST(PlatformXml, WritesTheUnitsThatSimGridTakesForGranted) {
    const std::string xml = written(platform(
        kZone + "<link id=\"l\" bandwidth=\"1.25E8\" latency=\"1E-4\"/><link id=\"m\" bandwidth=\"10 Gbps\"/></zone>"));
    EXPECT_THAT(xml, HasSubstr("bandwidth=\"1.25E8Bps\" latency=\"1E-4s\""));
    EXPECT_THAT(xml, HasSubstr("bandwidth=\"10Gbps\""));
}

// The written text is a platform too, and the same one.
TEST(PlatformXml, WritesWhatItReads) {
    for (const std::string& text : {clusterPlatform(4), threeHosts("Floyd", "1Gbps"), slowPlatform(3)}) {
        EXPECT_EQ(written(written(text)), written(text));
    }
}

struct Refused {
    std::string name, text, says;
};
std::ostream& operator<<(std::ostream& out, const Refused& refused) { return out << refused.name; }

class PlatformXmlRefusal : public ::testing::TestWithParam<Refused> {};

TEST_P(PlatformXmlRefusal, SaysWhereAndWhy) { EXPECT_THAT(refusal(GetParam().text), StartsWith(GetParam().says)); }

std::string nested(int depth) {
    std::string zones, ends;
    for (int i = 0; i < depth; ++i) {
        zones += kZone;
        ends += "</zone>";
    }
    return platform(zones + ends);
}

INSTANTIATE_TEST_SUITE_P(
    Table, PlatformXmlRefusal,
    ::testing::Values(
        Refused{
            "option",
            platform(
                "<config><prop id=\"tracing\" value=\"yes\"/>\n<prop id=\"network/model\" value=\"SMPI\"/></config>"),
            "cluster.xml:5:2: <prop> has id=\"network/model\"; allowed: options that change no times of messages"},
        Refused{"optionOfAZone", platform(kZone + "<config/></zone>"),
                "cluster.xml:4:30: <config> is not allowed in <zone>; allowed: "},
        Refused{"wireless", platform("<zone id=\"w\" routing=\"WIFI\"/>"),
                "cluster.xml:4:2: <zone> has routing=\"WIFI\"; allowed: Full, Floyd, Dijkstra, DijkstraCache, Cluster, "
                "Vivaldi or None; wireless networks are not simulated"},
        Refused{"include", platform(kZone + "\n  <include file=\"other.xml\"/></zone>"),
                "cluster.xml:5:4: <include> is not allowed in <zone>: it names another file"},
        Refused{
            "stateFile", platform(kZone + "<host id=\"a\" speed=\"1Gf\" state_file=\"a.txt\"/></zone>"),
            "cluster.xml:4:30: the attribute state_file is not allowed in <host>: what changes in time is for [faults] "
            "and [network.background] to say; write it there, and remove the attribute; allowed: id, speed, core"},
        Refused{
            "trace", platform("<trace_connect kind=\"HOST_AVAIL\" trace=\"t\" element=\"a\"/>"),
            "cluster.xml:4:2: <trace_connect> has kind=\"HOST_AVAIL\"; allowed: SPEED, which changes no network; links "
            "and hosts that change in time are for [faults]"},
        Refused{"actor", platform("<actor host=\"a\" function=\"f\"/>"),
                "cluster.xml:4:2: <actor> is not allowed in <platform>: the ranks are the only actors"},
        Refused{"unknown", platform("<script>x</script>"), "cluster.xml:4:2: <script> is not allowed in <platform>;"},
        Refused{"text", platform(kZone + "hello</zone>"), "cluster.xml:4:29: text is not allowed in <zone>"},
        Refused{"cdata", platform(kZone + "<![CDATA[<config/>]]></zone>"), "cluster.xml:4:38: text is not allowed"},
        Refused{"instruction", platform(kZone + "<?php x?></zone>"), "cluster.xml:4:31: text is not allowed in <zone>"},
        Refused{"value", platform(kZone + "<link id=\"wire\" bandwidth=\"fast\"/></zone>"),
                "cluster.xml:4:30: <link> has bandwidth=\"fast\"; allowed: a number above 0 and its unit, as 10Gbps"},
        Refused{"missing", platform(kZone + "<host id=\"a\"/></zone>"), "cluster.xml:4:30: <host> has no speed"},
        Refused{"twice", platform(kZone + "<router id=\"a\" id=\"b\"/></zone>"),
                "cluster.xml:4:30: <router> has the attribute id twice"},
        Refused{"entityInAName", platform(kZone + "<router id=\"&lol;\"/></zone>"),
                "cluster.xml:4:30: <router> has id=\"&lol;\"; allowed: 1 to 255 printable"},
        Refused{"entities", "<?xml version=\"1.0\"?>\n<!DOCTYPE platform [ <!ENTITY a \"b\"> ]>\n<platform/>",
                "cluster.xml:2:11: the DOCTYPE declares entities"},
        Refused{"nested", nested(40), "cluster.xml:4:898: zones are nested more than 32 deep"},
        Refused{"manyHosts", clusterPlatform(70'000), "cluster.xml:4:2: more than 65536 hosts"},
        Refused{"old", "<platform version=\"3\"/>", "cluster.xml:1:2: <platform> has version=\"3\"; allowed: 4 or 4.1"},
        Refused{"two", "<platform version=\"4.1\"/>\n<platform/>", "cluster.xml:2:2: a second <platform>"},
        Refused{"cutOff", clusterPlatform(4).substr(0, 150), "cluster.xml:4:"},
        Refused{"crossed", platform("<zone id=\"z\" routing=\"Full\"></host>"), "cluster.xml:4:31: is no XML: "},
        Refused{"nul", platform(std::string("a\0b", 3)), "cluster.xml:4:2: a NUL byte"},
        Refused{"noPlatform", "<html/>\n", "cluster.xml: is no platform file of SimGrid: it has no <platform>"},
        Refused{"empty", "", "cluster.xml: is no platform file of SimGrid: it has no <platform>"},
        Refused{"noXml", "hosts = 4\n", "cluster.xml: is no platform file of SimGrid: it has no <platform>"}),
    [](const auto& info) { return info.param.name; });

// Depth and size cost no stack: both are refused, not crashed over.
TEST(PlatformXml, OutlivesDeepNesting) {
    EXPECT_THAT(refusal(nested(100'000)), HasSubstr("zones are nested more than 32 deep"));
    std::string open;
    for (int i = 0; i < 1'000'000; ++i) open += "<a>";
    EXPECT_THAT(refusal(open), HasSubstr("is no XML: "));
}

TEST(PlatformXml, ShowsNoBytesThatATerminalWouldObey) {
    const std::string says = refusal(platform("<zone id=\"\x1b[2J\" routing=\"Full\"/>"));
    EXPECT_THAT(says, HasSubstr("<zone> has id=\"\\x1b[2J\""));
}

}  // namespace
}  // namespace dasgd::test

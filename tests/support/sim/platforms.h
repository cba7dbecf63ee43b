// Platform files of SimGrid for tests.
#pragma once

#include <string>

namespace dasgd::test {

inline std::string platform(const std::string& zones) {
    return "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
           "<platform version=\"4.1\">\n" +
           zones + "</platform>\n";
}

// "node-0", "node-1", … at links of 1 Gbit/s; a way takes 100 µs.
inline std::string clusterPlatform(int hosts) {
    return platform("<cluster id=\"all\" prefix=\"node-\" suffix=\"\" radical=\"0-" + std::to_string(hosts - 1) +
                    "\" speed=\"1Gf\" bw=\"1Gbps\" lat=\"50us\"/>\n");
}

// Hosts zeta and alpha, linked by a wire, and lonely, which only the rest of the zone may link, by the wire or a slow
// one.
inline std::string threeHosts(const std::string& routing, const std::string& bandwidth, const std::string& rest = "") {
    return platform("<zone id=\"z\" routing=\"" + routing +
                    "\">\n<host id=\"zeta\" speed=\"1Gf\"/><host id=\"alpha\" speed=\"1Gf\"/>\n"
                    "<host id=\"lonely\" speed=\"1Gf\"/>\n<link id=\"wire\" bandwidth=\"" +
                    bandwidth +
                    "\" latency=\"1ms\"/>\n<link id=\"slow\" bandwidth=\"100Mbps\" latency=\"1ms\"/>\n"
                    "<route src=\"zeta\" dst=\"alpha\"><link_ctn id=\"wire\"/></route>\n" +
                    rest + "</zone>\n");
}

// "h0", "h1", … each by a link of 1 Gbit/s and 1 ms to one switch; SimGrid finds the routes between hosts.
inline std::string switchedPlatform(const std::string& routing, int hosts) {
    std::string nodes = "<router id=\"switch\"/>\n", links, routes;
    for (int i = 0; i < hosts; ++i) {
        const std::string own = std::to_string(i);
        nodes += "<host id=\"h" + own + "\" speed=\"1Gf\"/>\n";
        links += "<link id=\"l" + own + "\" bandwidth=\"1Gbps\" latency=\"1ms\" sharing_policy=\"SPLITDUPLEX\"/>\n";
        routes +=
            "<route src=\"h" + own + "\" dst=\"switch\"><link_ctn id=\"l" + own + "\" direction=\"UP\"/></route>\n";
    }
    return platform("<zone id=\"z\" routing=\"" + routing + "\">\n" + nodes + links + routes + "</zone>\n");
}

// A ring, whose routes are computed anew each time they are asked for.
inline std::string slowPlatform(int hosts) {
    std::string zone = "<zone id=\"z\" routing=\"Dijkstra\">\n", links, routes;
    for (int i = 0; i < hosts; ++i) {
        const std::string own = std::to_string(i), next = std::to_string((i + 1) % hosts);
        zone += "<host id=\"h" + own + "\" speed=\"1Gf\"/>\n";
        links += "<link id=\"l" + own + "\" bandwidth=\"1GBps\" latency=\"1us\"/>\n";
        routes += "<route src=\"h" + own + "\" dst=\"h" + next + "\"><link_ctn id=\"l" + own + "\"/></route>\n";
    }
    return platform(zone + links + routes + "</zone>\n");
}

}  // namespace dasgd::test

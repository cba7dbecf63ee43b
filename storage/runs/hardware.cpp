#include "storage/runs/hardware.h"

#include <array>
#include <cstdio>

namespace dasgd::storage {

namespace {

std::string rounded(const char* format, double value, const char* unit) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value, unit);
    return text.data();
}

std::string partText(const HardwarePart& part) {
    std::string text = part.name;
    if (part.bitsPerS) {
        const bool giga = *part.bitsPerS >= 1e9;
        text += rounded(" %g %s", *part.bitsPerS / (giga ? 1e9 : 1e6), giga ? "Gbit/s" : "Mbit/s");
    }
    if (part.memoryBytes) text += rounded(", %.1f %s", *part.memoryBytes / 1e9, "GB");
    return text;
}

}  // namespace

std::string hardwareText(const std::vector<HardwarePart>& parts, const std::string& kind) {
    std::string text;
    for (std::size_t i = 0; i < parts.size();) {
        std::size_t next = i + 1;
        while (next < parts.size() && parts[next] == parts[i]) ++next;
        if (parts[i].kind == kind) {
            if (!text.empty()) text += ", ";
            if (next - i > 1) text += std::to_string(next - i) + " × ";
            text += partText(parts[i]);
        }
        i = next;
    }
    return text;
}

}  // namespace dasgd::storage

// Platform files of SimGrid, and the text that is passed on to SimGrid.
#include <algorithm>
#include <string>

#include "core/sim/network/platform_elements.h"
#include "core/sim/network/platform_xml.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace dasgd;
using dasgd::fuzz::require;

// Each check of a value, on the input as it is.
void values(const std::string& text) {
    require(countOfRadical(text) >= -1, "a radical has a count, or is none");
    for (const auto& [name, element] : platformElements()) {
        for (const PlatformAttribute& attribute : element.attributes) {
            if (attribute.value->isRight) static_cast<void>(attribute.value->isRight(text));
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string content = fuzz::textOf(data, size);
    values(content);
    const auto checked = checkedPlatformXml("a.xml", content);
    if (!checked) {
        require(checked.error().message.starts_with("a.xml:"), "an error says where", checked.error().message);
        return 0;
    }
    require(checked->find('&') == std::string::npos, "no entity reaches SimGrid", *checked);
    require(std::ranges::count(*checked, '\n') <= std::ranges::count(content, '\n') + 1, "lines stay", *checked);
    const auto once = checkedPlatformXml("b.xml", *checked);
    require(once.has_value(), "what is passed on is allowed itself", *checked);
    const auto twice = checkedPlatformXml("c.xml", *once);
    // The second writing may be shorter only for an element that had nothing but what is left out.
    require(twice && *twice == *once, "what is passed on stays as it is", *checked + *once);
    return 0;
}

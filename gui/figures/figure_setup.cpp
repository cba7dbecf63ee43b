#include "gui/figures/figure_setup.h"

#include <algorithm>

#include "gui/models/compare/compare_view.h"
#include "storage/comparison.h"

namespace dasgd::gui {

namespace {

// Without what the figure is drawn over.
RunSetup fixedPart(RunSetup setup, const FigureSpec& spec) {
    if (spec.kind != FigureKind::Scaling) return setup;
    std::erase_if(setup, [&](const SetupPart& part) {
        return part.what == "workers" || (part.what == "batch" && spec.scaling == Scaling::Strong);
    });
    return setup;
}

Result<std::vector<RunSetup>> setupsOf(storage::RunReader& reader, const FigureSpec& spec,
                                       const FigureContent& content) {
    std::vector<RunSetup> setups;
    for (const FigureSource& source : content.sources) {
        for (std::size_t i = 0; i < source.runs.size(); ++i) {
            if (!source.drawn[i]) continue;
            DASGD_ASSIGN(RunSetup own, storage::readSetup(reader, source.runs[i]->row));
            own = fixedPart(std::move(own), spec);
            if (std::ranges::find(setups, own) == setups.end()) setups.push_back(std::move(own));
        }
    }
    return setups;
}

}  // namespace

Status addSetup(storage::RunReader& reader, const FigureSpec& spec, FigureContent& into) {
    DASGD_ASSIGN(const std::vector<RunSetup> setups, setupsOf(reader, spec, into));
    if (const QString words = setupsInWords(setupDifferences(setups)); !words.isEmpty()) into.notes << words;
    return {};
}

}  // namespace dasgd::gui

// The mean over the seeds of the current run, for charts on other pages that each want one curve.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "gui/compare/model/compare_query.h"

namespace dasgd::gui {

// The runs of its experiment that have the configuration of `run` up to the seed, itself included; nullopt if fewer
// than two of them finished, as there is no mean to draw then.
[[nodiscard]] std::optional<CompareGroup> siblingsOf(const RunItem& run, std::span<const RunItemPtr> all,
                                                     const std::function<CurveStyle(const RunItem&)>& styleOf);

// A query of its own, so that it does not replace the request of the Compare page. After curveArrived(), curveOf() may
// have new curves.
class SiblingsQuery final : public CompareQuery {
public:
    SiblingsQuery();
    struct Want {
        CompareGroup group;
        CompareCurveKey key;
    };
    // `who` wants this curve instead of its former one; nullopt: none. Called on this object's thread.
    void want(const void* who, const std::optional<Want>& want);
    // The curve that `who` wants; null until it has arrived.
    [[nodiscard]] std::shared_ptr<const GroupCurve> curveOf(const void* who) const;

private:
    using Key = std::pair<std::string, CompareCurveKey>;
    void ask();

    std::map<const void*, Want> wants_;
    std::map<Key, std::shared_ptr<const GroupCurve>> curves_;
};

}  // namespace dasgd::gui

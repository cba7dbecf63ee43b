// The mean over the seeds of the run that is looked at: the curves of the Compare page, for charts that each want one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "gui/models/compare/compare_query.h"

namespace dasgd::gui {

// The runs of its experiment that have the configuration of `run` but the seed, itself included; nullopt where fewer
// than two of them finished: then there is no mean to be drawn.
[[nodiscard]] std::optional<CompareGroup> siblingsOf(const RunItem& run, std::span<const RunItemPtr> all,
                                                     const std::function<CurveStyle(const RunItem&)>& styleOf);

// A query of its own, so that it does not replace what the Compare page asks for. curveArrived() tells that curveOf()
// may answer more.
class SiblingsQuery final : public CompareQuery {
public:
    SiblingsQuery();
    struct Want {
        CompareGroup group;
        CompareCurveKey key;
    };
    // `who` wants this curve, and no other any more; nullopt: none. Thread of this object.
    void want(const void* who, const std::optional<Want>& want);
    // What `who` wants, as far as it has arrived; else null.
    [[nodiscard]] std::shared_ptr<const GroupCurve> curveOf(const void* who) const;

private:
    using Key = std::pair<std::string, CompareCurveKey>;
    void ask();

    std::map<const void*, Want> wants_;
    std::map<Key, std::shared_ptr<const GroupCurve>> curves_;
};

}  // namespace dasgd::gui

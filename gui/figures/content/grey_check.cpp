#include "gui/figures/content/grey_check.h"

#include <cstdlib>

namespace dasgd::gui {

namespace {

// Smallest difference in grey, of 255, that is visible between lines one point wide.
constexpr int kLeastGreys = 30;

struct GreyCurve {
    QString name;
    CurveStyle style;
    bool stroke = true, marker = true;  // true if its dashes and its markers are drawn
};

std::vector<GreyCurve> greyCurvesOf(const FigureContent& content, const FigureSpec& spec) {
    std::vector<GreyCurve> out;
    if (!content.hasCurves()) return out;
    for (const Curve& curve : content.curves) {
        if (curve.kind == Curve::Kind::Guide || curve.line.x.empty()) continue;
        const bool points = curve.kind != Curve::Kind::Line;
        out.push_back(
            {curve.name, curve.style, spec.dashes && curve.kind != Curve::Kind::Scatter, spec.markers || points});
    }
    return out;
}

void addPair(GreyCheck& check, const GreyCurve& a, const GreyCurve& b, const std::array<QColor, kCurveColors>& colors) {
    const auto greyOf = [&](const GreyCurve& curve) {
        return qGray(colors[static_cast<std::size_t>(curve.style.color)].rgb());
    };
    check.any = true;
    if (std::abs(greyOf(a) - greyOf(b)) >= kLeastGreys) return;
    const bool dash = a.stroke && b.stroke && a.style.dash != b.style.dash;
    const bool marker = a.marker && b.marker && a.style.marker != b.style.marker;
    const bool first = check.alike == 0 || (check.good() && !dash && !marker);
    if (first) {
        check.first = a.name;
        check.second = b.name;
    }
    ++check.alike;
    check.apart += dash || marker ? 1 : 0;
}

}  // namespace

QString GreyCheck::inWords() const {
    if (!any) return {};
    if (alike == 0) return QStringLiteral("in grey all differ");
    if (!good()) return QStringLiteral("in grey nothing tells %1 from %2").arg(first, second);
    return alike == 1 ? QStringLiteral("in grey 1 pair looks alike: dash or marker differs")
                      : QStringLiteral("in grey %1 pairs look alike: dash or marker differs").arg(alike);
}

GreyCheck checkGrey(const FigureContent& content, const FigureSpec& spec) {
    GreyCheck check;
    for (std::size_t i = 0; i < content.panels.size() && i < spec.panels.size(); ++i) {
        const GreyCheck panel = checkGrey(content.panels[i], spec.panels[i]);
        if (check.alike == 0 || (check.good() && !panel.good())) {
            check.first = panel.first;
            check.second = panel.second;
        }
        check.alike += panel.alike;
        check.apart += panel.apart;
        check.any = check.any || panel.any;
    }
    const std::array<QColor, kCurveColors> colors = paletteOf(spec.palette);
    const std::vector<GreyCurve> curves = greyCurvesOf(content, spec);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        for (std::size_t j = i + 1; j < curves.size(); ++j) addPair(check, curves[i], curves[j], colors);
    }
    return check;
}

}  // namespace dasgd::gui

#include "gui/plots/outlined_svg.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QSvgGenerator>

#include "gui/theme/paper.h"

namespace dasgd::gui {

namespace {

// Hands everything on to a painter, except text: the base class draws its glyphs' outlines through drawPath().
class OutliningEngine final : public QPaintEngine {
public:
    explicit OutliningEngine(QPainter& target) : QPaintEngine(AllFeatures), target_(target) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    Type type() const override { return User; }

    void updateState(const QPaintEngineState& state) override {
        const DirtyFlags dirty = state.state();
        if (dirty & DirtyTransform) target_.setTransform(state.transform());
        if (dirty & DirtyPen) target_.setPen(state.pen());
        if (dirty & (DirtyBrush | DirtyBrushOrigin)) target_.setBrush(state.brush());
        if (dirty & DirtyOpacity) target_.setOpacity(state.opacity());
        if (dirty & DirtyHints) target_.setRenderHints(state.renderHints());
        if (dirty & DirtyClipEnabled) target_.setClipping(state.isClipEnabled());
        if (dirty & DirtyClipRegion) target_.setClipRegion(state.clipRegion(), state.clipOperation());
        if (dirty & DirtyClipPath) target_.setClipPath(state.clipPath(), state.clipOperation());
    }
    void drawPath(const QPainterPath& path) override { target_.drawPath(path); }
    void drawRects(const QRectF* rects, int count) override { target_.drawRects(rects, count); }
    void drawRects(const QRect* rects, int count) override { target_.drawRects(rects, count); }
    void drawLines(const QLineF* lines, int count) override { target_.drawLines(lines, count); }
    void drawLines(const QLine* lines, int count) override { target_.drawLines(lines, count); }
    void drawEllipse(const QRectF& rect) override { target_.drawEllipse(rect); }
    void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
        if (mode == PolylineMode) {
            target_.drawPolyline(points, count);
        } else {
            target_.drawPolygon(points, count, mode == WindingMode ? Qt::WindingFill : Qt::OddEvenFill);
        }
    }
    void drawPixmap(const QRectF& rect, const QPixmap& pixmap, const QRectF& source) override {
        target_.drawPixmap(rect, pixmap, source);
    }

private:
    QPainter& target_;
};

class OutliningDevice final : public QPaintDevice {
public:
    OutliningDevice(QPainter& target, QSize size) : engine_(target), size_(size) {}
    QPaintEngine* paintEngine() const override { return &engine_; }

protected:
    int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
            case PdmWidth: return size_.width();
            case PdmHeight: return size_.height();
            case PdmDpiX:
            case PdmDpiY:
            case PdmPhysicalDpiX:
            case PdmPhysicalDpiY: return kPointsPerInch;
            case PdmWidthMM: return size_.width() * 254 / (10 * kPointsPerInch);
            case PdmHeightMM: return size_.height() * 254 / (10 * kPointsPerInch);
            case PdmNumColors: return INT_MAX;
            case PdmDepth: return 32;
            case PdmDevicePixelRatio: return 1;
            case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
            default: return QPaintDevice::metric(metric);
        }
    }

private:
    mutable OutliningEngine engine_;
    QSize size_;
};

}  // namespace

Status writeOutlinedSvg(const QString& file, double width, double height,
                        const std::function<void(QPaintDevice&)>& draw) {
    QSvgGenerator generator;
    const QSize size = QSizeF(width, height).toSize();
    generator.setFileName(file);
    generator.setResolution(kPointsPerInch);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(QStringLiteral("DaSGD Lab"));
    QPainter target;
    if (!target.begin(&generator))
        return fail(file.toStdString() + ": cannot be written. Choose another --out folder.");
    OutliningDevice device(target, size);
    draw(device);
    target.end();
    return {};
}

}  // namespace dasgd::gui

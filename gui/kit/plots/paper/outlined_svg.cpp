#include "gui/kit/plots/paper/outlined_svg.h"

#include <QBuffer>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSvgGenerator>
#include <cmath>

#include "core/base/check.h"
#include "gui/kit/theme/paper.h"

namespace dasgd::gui {

namespace {

// Forwards everything to a painter, except text: the base class draws outlines of its glyphs through drawPath().
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

// The SVG with its exact size, since QSvgGenerator writes whole millimetres or less exact values.
QByteArray withSize(const QByteArray& svg, QSizeF size) {
    static const QRegularExpression kSize(QStringLiteral("width=\"[^\"]*\" height=\"[^\"]*\""));
    QString text = QString::fromUtf8(svg);
    const QRegularExpressionMatch found = kSize.match(text);
    DASGD_CHECK(found.hasMatch());
    text.replace(found.capturedStart(), found.capturedLength(),
                 QStringLiteral("width=\"%1pt\" height=\"%2pt\"").arg(size.width()).arg(size.height()));
    return text.toUtf8();
}

}  // namespace

Status writeOutlinedSvg(const QString& file, QSizeF size, const std::function<void(QPaintDevice&)>& draw) {
    QByteArray content;
    QBuffer buffer(&content);
    QSvgGenerator generator;
    const QSize whole(static_cast<int>(std::ceil(size.width())), static_cast<int>(std::ceil(size.height())));
    generator.setOutputDevice(&buffer);
    generator.setResolution(kPointsPerInch);
    generator.setSize(whole);
    generator.setViewBox(QRectF(QPointF(), size));
    generator.setTitle(QStringLiteral("DaSGD Lab"));
    QPainter target;
    const bool begun = target.begin(&generator);
    DASGD_CHECK(begun);
    OutliningDevice device(target, whole);
    draw(device);
    target.end();
    QSaveFile out(file);
    const QByteArray exact = withSize(content, size);
    if (!out.open(QIODevice::WriteOnly) || out.write(exact) != exact.size() || !out.commit())
        return fail(file.toStdString() + ": cannot be written. Choose another --out folder.");
    return {};
}

}  // namespace dasgd::gui

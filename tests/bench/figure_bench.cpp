// Cost of the preview of a figure: laying it out and recording its strokes on the UI thread, drawing them at 96 and 192
// dots an inch on another, and a PDF for comparison; all on one core. Prints the slowest of some rounds in
// milliseconds; not a test.
//   figure_bench
#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "gui/kit/plots/paper/paper_figure.h"
#include "tests/support/one_core.h"

namespace {

using namespace dasgd::gui;

constexpr int kRounds = 3;
constexpr int kPoints = 2000;  // of a curve, as figures have them at most

PaperFigure figureOf(int curves, bool bands) {
    PaperFigure figure{.axes = {.x = QStringLiteral("steps"), .y = QStringLiteral("loss"), .logY = true}};
    for (int i = 0; i < curves; ++i) {
        Curve curve{.name = QStringLiteral("configuration %1").arg(i), .style = {i % 7, i % 7, i % 7}};
        for (int point = 1; point <= kPoints; ++point) {
            curve.line.x.push_back(point);
            curve.line.y.push_back((2 + 0.1 * i) / std::sqrt(point) * (1 + 0.1 * std::sin(point * (i + 1))));
        }
        if (bands) curve.deviation.assign(kPoints, 0.01);
        figure.curves.push_back(std::move(curve));
    }
    return figure;
}

double slowest(const std::function<void()>& work) {
    double most = 0;
    for (int round = 0; round < kRounds; ++round) {
        QElapsedTimer clock;
        clock.start();
        work();
        most = std::max(most, static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    return most;
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication app(argc, argv);
    dasgd::test::stayOnOneCore();
    installFonts();
    const QTemporaryDir folder;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::printf("curves  bands  layout ms  record ms  all points  96 dpi ms  192 dpi ms  pdf ms\n");
    for (const int curves : {4, 24}) {
        for (const bool bands : {false, true}) {
            const PaperFigure figure = figureOf(curves, bands);
            PaperFigure preview = figure;
            preview.buckets = kPreviewBuckets;
            const double layout = slowest([&] { (void)layOut(preview); });
            const PaperPage shown = layOut(preview), page = layOut(figure);
            const double record = slowest([&] { (void)recorded(shown); });
            const double whole = slowest([&] { (void)recorded(page); });
            const RecordedPage picture = recorded(shown);
            const double usual = slowest([&] { (void)imageOf(picture, 96.0 / 72); });
            const double fine = slowest([&] { (void)imageOf(picture, 192.0 / 72); });
            const double pdf = slowest([&] { (void)writePage(page, folder.filePath(QStringLiteral("a.pdf"))); });
            std::printf("%6d  %5s  %9.1f  %9.1f  %10.1f  %9.1f  %10.1f  %6.1f\n", curves, bands ? "yes" : "no", layout,
                        record, whole, usual, fine, pdf);
        }
    }
    return 0;
}

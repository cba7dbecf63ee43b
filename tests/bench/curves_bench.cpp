// Cost of a frame while a plot of many curves is panned, on one core at 1920×1080 without a display: 200 curves of
// 100,000 noisy points, with and without bands. Prints milliseconds; not a test.
//   curves_bench [CURVES [POINTS]]
#include <QApplication>
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "gui/kit/plots/plot_view.h"
#include "tests/support/one_core.h"

namespace {

using namespace dasgd::gui;

std::vector<Curve> noisyCurves(int curves, int points, bool bands) {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 0.03);
    std::vector<Curve> out;
    for (int i = 0; i < curves; ++i) {
        Curve curve{.name = QString::number(i),
                    .style = {i % kCurveColors, i / 7 % kCurveColors, i / 49 % kCurveColors}};
        for (int step = 0; step < points; ++step) {
            const double loss = 0.1 + 2 / (1 + (1 + 0.02 * i) * 20.0 * step / points);
            curve.line.x.push_back(step);
            curve.line.y.push_back(loss * (1 + noise(random)));
            if (bands) curve.deviation.push_back(0.05 * loss);
        }
        out.push_back(std::move(curve));
    }
    return out;
}

void measure(const char* what, std::vector<Curve> curves) {
    Look look(ThemeName::Dark);
    PlotView view(look);
    view.resize(1920, 1080);
    view.setAxes({.x = QStringLiteral("step"), .y = QStringLiteral("loss"), .legend = false});
    QElapsedTimer clock;
    clock.start();
    view.setCurves(std::move(curves));
    view.show();
    view.grab();
    const double first = static_cast<double>(clock.nsecsElapsed()) / 1e6;
    for (int i = 0; i < 4; ++i) QTest::keyClick(&view, Qt::Key_Plus);
    QCoreApplication::processEvents();
    std::vector<double> frames;
    for (int i = 0; i < 40; ++i) {
        clock.restart();
        QTest::keyClick(&view, i / 10 % 2 == 0 ? Qt::Key_Right : Qt::Key_Left);
        // The plot draws itself when the events have been seen to.
        QCoreApplication::processEvents();
        QCoreApplication::processEvents();
        frames.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::sort(frames.begin(), frames.end());
    std::printf("%-14s first picture %8.1f ms   frame while panning: median %7.1f ms, 95th percentile %7.1f ms\n", what,
                first, frames[frames.size() / 2], frames[frames.size() * 95 / 100]);
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    dasgd::test::stayOnOneCore();
    installFonts();
    const int curves = argc > 1 ? std::atoi(argv[1]) : 200;
    const int points = argc > 2 ? std::atoi(argv[2]) : 100'000;
    measure("means", noisyCurves(curves, points, false));
    measure("with bands", noisyCurves(curves, points, true));
    return 0;
}

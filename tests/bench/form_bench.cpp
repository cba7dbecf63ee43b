// Time for which making the form of an experiment holds the interface thread: at once when the schema comes, and when
// the folded sections are opened. Prints milliseconds; not a test.
//   dasgd describe --json > schema.json; form_bench schema.json EXPERIMENT.toml
#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QPushButton>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "gui/experiment/form/experiment_form.h"

namespace {

using namespace dasgd::gui;

QByteArray contents(const char* path) {
    QFile file(QString::fromLocal8Bit(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

double median(std::vector<double>& values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    if (argc < 3) return 2;
    installFonts();
    Look look(ThemeName::Dark);
    const auto schema = readSchema(contents(argv[1]));
    if (!schema) {
        std::puts(schema.error().message.c_str());
        return 1;
    }
    const ExperimentDocument document(QString::fromUtf8(contents(argv[2])));
    constexpr int kTimes = 9;
    std::vector<double> made, opened;
    for (int i = 0; i < kTimes; ++i) {
        ExperimentForm form(look);
        form.resize(600, 900);
        form.update(document, {});
        form.show();
        QCoreApplication::processEvents();
        QElapsedTimer clock;
        clock.start();
        form.setSchema(*schema);
        form.update(document, {});
        QCoreApplication::processEvents();
        made.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        clock.restart();
        for (auto* button : form.findChildren<QPushButton*>()) {
            if (button->isVisible() && button->parentWidget() == form.widget()) button->click();
        }
        QCoreApplication::processEvents();
        opened.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    std::printf("form of the schema %.1f ms, its folded sections %.1f ms; medians, n = %d\n", median(made),
                median(opened), kTimes);
    return 0;
}

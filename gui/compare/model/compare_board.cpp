#include "gui/compare/model/compare_board.h"

namespace dasgd::gui {

CompareBoard::CompareBoard(Session& session)
    : choice(session),
      curves(choice, session.feed().query<CompareQuery>()),
      results(choice, curves, session.feed().query<CompareQuery>()),
      query_(session.feed().query<CompareQuery>()) {
    const auto ask = [this] { request(); };
    QObject::connect(&choice, &CompareChoice::groupsChanged, &curves, ask);
    QObject::connect(&choice, &CompareChoice::baselineChanged, &curves, ask);
    QObject::connect(&curves, &CompareCurves::wantedChanged, &curves, ask);
    QObject::connect(&results, &CompareResults::targetChanged, &curves, ask);
}

void CompareBoard::request() {
    const CompareGroup* baseline = choice.chosenBaseline();
    if (choice.groups().empty()) return;
    query_.request({.groups = choice.groups(),
                    .curves = curves.wanted(),
                    .members = curves.members(),
                    .baseline = baseline ? baseline->key : std::string(),
                    .target = results.target()});
}

}  // namespace dasgd::gui

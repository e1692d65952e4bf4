import FunnelModel
import FunnelRendering
import Testing

@testable import FunnelReports

/// The result of a funnel in one sentence, and the sentence about those who finished in another way.
@Suite struct FunnelHeadlineTests {
  private func headline(order: StepOrder, finishedOutOfOrder: Int = 0) -> String? {
    var row = SampleReports.cleaner()
    row.finishedOutOfOrder = finishedOutOfOrder
    var query = ReportQuery(now: SampleReports.now)
    query.order = order
    return FunnelHeadline([row], counting: .people, of: query).phrase(change: nil)?.plainText
  }

  @Test func `the step at which most dropped has its name, in any order it is a number of steps`() {
    let start = "780 of 1,248 people finished (62.5 %); most dropped "
    #expect(headline(order: .ordered) == start + "at Photo access, 234 of the 1,158 who reached it")
    #expect(headline(order: .any) == start + "after 2 of the 4 steps, in any order, 234 of the 1,158 who took as many")
  }

  @Test func `those who dropped but finished in another way are told`() throws {
    let text = try #require(headline(order: .ordered, finishedOutOfOrder: 200))
    #expect(
      text.hasSuffix(
        "; 200 of the 432 counted as dropped did finish, with steps in a different order or a step missing"), "\(text)")
    let note = LeftOutText.otherWay(
      dropped: .init(finished: 200, all: 432), inProgress: .init(finished: 0, all: 0), counting: .people)
    #expect(
      note?.hasSuffix(
        "; --order any counts those who took all steps; make the moved step optional in the definition, or define a flow with "
          + "their order") == true, "\(note ?? "")")
  }
}

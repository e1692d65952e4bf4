import Foundation
import FunnelTestSupport
import Testing

/// `funnel report times` as a table.
@Suite struct TimesReportTests {
  /// Returns a run through smilepile's four screens that takes so many seconds.
  private func run(_ subject: String, seconds: Int) -> String {
    let screens = ["welcome", "categories", "pin_setup"].map { (name: "step_viewed", step: #""step":"\#($0)","#) }
    let events = screens + [(name: "onboarding_completed", step: "")]
    return events.enumerated().map { number, event in
      let time = 1_762_000_000_000 + (number == 3 ? seconds * 1000 : number)
      return #"{"app":"smilepile","subject":"\#(subject)","name":"\#(event.name)",\#(event.step)"ts":\#(time)}"# + "\n"
    }.joined()
  }

  @Test func `empty bins between others are one line of the histogram, and all there in JSON`() throws {
    let place = try Workplace()
    try place.write(run("a", seconds: 15) + run("b", seconds: 25) + run("c", seconds: 90_000), to: "log.ndjson")
    let table = try place.run("report", "times", "log.ndjson", "--now", "2026-11-21", "--width", "100").output
    let bins = table.split(separator: "\n").drop { !$0.contains("Whole flow took") }.dropFirst().prefix(4).map {
      $0.replacing("#", with: "").split(separator: " ").joined(separator: " ")
    }
    #expect(bins == ["10 s to 20 s 1 33.3 %*", "20 s to 30 s 1 33.3 %*", "30 s to 1.0 d 0 0 %*", "1.0 d to 2.0 d 1 33.3 %*"])
    let json = try place.run("report", "times", "log.ndjson", "--now", "2026-11-21", "--format", "json").output
    #expect(json.contains(#"{"from_ms":60000,"to_ms":120000,"count":0},{"from_ms":120000,"to_ms":300000,"count":0}"#))
  }
}

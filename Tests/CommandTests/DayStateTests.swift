import Foundation
import FunnelTestSupport
import Testing

/// `funnel nightly --states`: a state of each closed day.
@Suite struct DayStateTests {
  private func night(_ place: Workplace, now: String, _ more: String...) throws -> FunnelRun {
    try FunnelRun(
      arguments: ["nightly", "--settle", "0", "--inbox", "inbox", "--out", "out", "--states", "states", "--now", now] + more,
      directory: place.url)
  }

  private func makePlace(_ flow: String, subjects: Int = 300) throws -> Workplace {
    let place = try Workplace()
    let log = try place.run("simulate", "--flow", flow, "--subjects", "\(subjects)")
    try place.write(log.output, to: "inbox/log.ndjson")
    return place
  }

  private func states(_ place: Workplace) throws -> [String: [UInt8]] {
    let names = try place.folder.files().filter { $0.hasPrefix("states/") }
    return Dictionary(uniqueKeysWithValues: try names.map { ($0, try place.folder.contents($0)) })
  }

  @Test func `the days of a month are the report of the month, where groups begin once`() throws {
    let place = try makePlace("clarity/paywall")
    #expect(try night(place, now: "2026-11-20T03:00:00Z").status == 0)
    let days = try states(place).keys.sorted()
    #expect(days.first == "states/clarity.paywall.v1/2026-11-01.state")
    #expect(days.last == "states/clarity.paywall.v1/2026-11-19.state")
    for report in ["funnel", "grants", "dropoff", "steps", "times", "trend", "outcomes"] {
      let merged = try FunnelRun(arguments: ["merge"] + days + [report, "--format", "json"], directory: place.url)
      let whole = try place.run(
        "report", report, "--flow", "clarity/paywall", "--since", "2026-11-01", "--until", "2026-11-20", "--now",
        "2026-11-20T01:00:00Z", "--format", "json")
      #expect(merged.output == whole.output, "\(report)")
    }
  }

  @Test func `who began again on a later day is no returned person of the days together`() throws {
    let place = try Workplace()
    let starts = [("ann", "01"), ("ann", "02"), ("bob", "02")].map { subject, day in
      #"{"name":"paywall_shown","app":"clarity","subject":"\#(subject)","attempt":"\#(day)","ts":"2026-11-\#(day)T10:00:00Z"}"#
        + "\n"
    }
    try place.write(starts.joined(), to: "log.ndjson")
    func fold(_ day: Int, _ file: String) throws {
      let run = try place.run(
        "fold", "log.ndjson", "--flow", "clarity/paywall", "--count-by", "subject", "--since", "2026-11-0\(day)", "--until",
        "2026-11-0\(day + 1)", "--now", "2026-11-20", "--state", file)
      #expect(run.status == 0, "\(run.errors)")
    }
    try fold(1, "1.state")
    try fold(2, "2.state")
    func returned(_ states: String...) throws -> Any? {
      let run = try FunnelRun(arguments: ["merge"] + states + ["funnel", "--format", "json"], directory: place.url)
      let json = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.errors)")
      return (json["funnel"] as? [[String: Any]])?.first?["returned"]
    }
    #expect(try returned("1.state") as? Int == 0)
    #expect(try returned("2.state") as? Int == 1)
    #expect(try returned("1.state", "2.state") is NSNull)
  }

  @Test func `a day's state is made when its window is over, has the same bytes in any later night, and takes in late events`()
    throws
  {
    let place = try makePlace("cleaner/permissions_flow")
    #expect(try night(place, now: "2026-11-12T03:00:00Z").status == 0)
    let early = try states(place)
    #expect(early.keys.max() == "states/cleaner.permissions_flow.v1/2026-11-04.state")
    #expect(try night(place, now: "2026-11-20T03:00:00Z").status == 0)
    let later = try states(place)
    #expect(later.count == early.count + 8)
    #expect(early.allSatisfy { later[$0.key] == $0.value })
    let day = try #require(early.keys.min())
    let late =
      "{\"name\":\"perm_flow_start\",\"ts\":\"\(day.suffix(16).prefix(10))T10:00:00Z\",\"subject\":\"late\",\"app\":\"cleaner\"}\n"
    try place.write(late, to: "inbox/late.ndjson")
    #expect(try night(place, now: "2026-11-21T03:00:00Z").status == 0)
    let last = try states(place)
    #expect(early.keys.filter { last[$0] != early[$0] } == [day])
  }

  @Test func `a gap between days is told, and a day twice is refused`() throws {
    let place = try makePlace("clarity/paywall", subjects: 50)
    #expect(try night(place, now: "2026-11-20T03:00:00Z").status == 0)
    let folder = "states/clarity.paywall.v1"
    let gap = try place.run("merge", "\(folder)/2026-11-03.state", "\(folder)/2026-11-05.state")
    #expect(gap.status == 65)
    #expect(
      gap.errors
        == "funnel: no state covers the time from 2026-11-04T00:00:00.000Z to 2026-11-05T00:00:00.000Z, add the one that does\n"
    )
    try place.folder.write(try place.folder.contents("\(folder)/2026-11-03.state"), to: "copy.state")
    let twice = try place.run("merge", "\(folder)/2026-11-03.state", "copy.state")
    #expect(twice.status == 65)
  }

  @Test func `days whose events were dropped keep their state`() throws {
    let place = try makePlace("clarity/prosocial_challenge", subjects: 100)
    #expect(try night(place, now: "2026-11-20T03:00:00Z").status == 0)
    let before = try states(place)
    #expect(try night(place, now: "2026-12-08T03:00:00Z", "--retain").status == 0)
    #expect(try night(place, now: "2026-12-12T03:00:00Z").status == 0)
    let after = try states(place)
    #expect(before.allSatisfy { after[$0.key] == $0.value })
  }
}

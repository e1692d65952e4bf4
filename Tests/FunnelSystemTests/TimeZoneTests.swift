import Foundation
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// The system's time zones, compared with Foundation's.
@Suite struct TimeZoneTests {
  private static let database = TimeZoneDatabase(environmentFolder: nil)

  @Test(.enabled(if: database.isPresent, "this system has no time zones"))
  func everyZoneHasTheOffsetsThatFoundationHas() throws {
    let names = Self.database.names
    #expect(names.count > 300 && names.contains("Europe/Berlin"))
    var random = SeededGenerator(seed: 31)
    var compared = 0
    for name in names {
      // Foundation may not know a zone that the system lists.
      guard let zone = TimeZone(identifier: name) else { continue }
      let rules = try #require(try Self.database.rules(named: name), "\(name)")
      for _ in 0..<50 {
        // Only past times are compared: about years to come, the two may have data of different releases.
        let seconds = Int64.random(in: 1_167_609_600...1_700_000_000, using: &random)
        let expected = Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))) * 1000
        #expect(rules.offsetMilliseconds(at: seconds * 1000) == expected, "seed 31, \(name) at \(seconds)")
        compared += 1
      }
    }
    #expect(compared > 10_000)
  }

  @Test(.enabled(if: database.isPresent, "this system has no time zones"))
  func changesAreKnownToTheMillisecondAndFarAhead() throws {
    let rules = try #require(try Self.database.rules(named: "Europe/Berlin"))
    for (change, before, after) in [
      ("2026-03-29T01:00:00Z", 1, 2), ("2026-10-25T01:00:00Z", 2, 1), ("2060-03-28T01:00:00Z", 1, 2),
      ("2099-10-25T01:00:00Z", 2, 1),
    ] {
      let moment = try #require(Timestamp(rfc3339: change)).milliseconds
      #expect(rules.offsetMilliseconds(at: moment - 1) == Int64(before) * 3_600_000, "\(change)")
      #expect(rules.offsetMilliseconds(at: moment) == Int64(after) * 3_600_000, "\(change)")
    }
  }

  @Test func aNameThatLeadsElsewhereIsNoZone() throws {
    for name in [
      "", "Atlantis", "../etc/passwd", "/etc/localtime", "Europe//Berlin", "Europe", "zone.tab", "right/UTC", "a\u{0}b",
    ] {
      #expect(try Self.database.rules(named: name) == nil, "\(name)")
    }
  }

  /// Returns the offset in a zone file of version 2 with a rule after its tables, which have no transition, or one at the given
  /// second.
  private func offset(of rule: String, at moment: String, changingAt second: Int64? = nil) throws -> Int64? {
    let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    func counts(times: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 15) + [times, 0, 0, 0, 1, 0, 0, 0, 4] }
    let type: [UInt8] = [0, 0, 0, 0, 0, 0] + Array("UTC\u{0}".utf8)
    let times = second.map { second in (0..<8).map { UInt8(truncatingIfNeeded: second >> (56 - 8 * $0)) } + [0] } ?? []
    let folder = try TemporaryFolder()
    try folder.write(
      header + counts(times: 0) + type + header + counts(times: times.isEmpty ? 0 : 1) + times + type
        + Array("\n\(rule)\n".utf8),
      to: "Zone")
    let database = TimeZoneDatabase(environmentFolder: folder.path)
    return try database.rules(named: "Zone")?.offsetMilliseconds(at: try #require(Timestamp(rfc3339: moment)).milliseconds)
  }

  @Test(arguments: [
    ("EST5EDT,M3.2.0,M11.1.0", "2050-03-13T06:59:59Z", -5.0), ("EST5EDT,M3.2.0,M11.1.0", "2050-03-13T07:00:00Z", -4.0),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2050-07-01T00:00:00Z", 1.0), ("IST-1GMT0,M10.5.0,M3.5.0/1", "2050-12-01T00:00:00Z", 0.0),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2050-01-01T00:00:00Z", 11.0),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2050-06-01T00:00:00Z", 10.5),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2050-03-27T00:59:59Z", -2.0),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2050-03-27T01:00:00Z", -1.0),
    ("AAA0BBB,J60/0,J300/0", "2048-02-29T12:00:00Z", 0.0), ("AAA0BBB,J60/0,J300/0", "2048-03-01T00:00:00Z", 1.0),
    ("AAA0BBB,59/0,300/0", "2048-02-29T00:00:00Z", 1.0),
  ])
  func aRuleBehindTheTablesHoldsForLaterYears(rule: String, moment: String, hours: Double) throws {
    #expect(try offset(of: rule, at: moment) == Int64(hours * 3_600_000), "\(rule) at \(moment)")
  }

  /// If the rule were applied from such a distant time on, it would create hundreds of millions of transitions.
  @Test(arguments: [Int64.min, Int64.min / 1000, -62_200_000_000, 0, 2_500_000_000, 9_000_000_000, Int64.max])
  func aChangeLongAgoOrFarAheadLeavesTheRuleToTheYearsBetween(second: Int64) throws {
    let rule = "CET-1CEST,M3.5.0,M10.5.0/3"
    let hours: Int64 = second < 4_100_000_000 ? 2 : 0
    #expect(try offset(of: rule, at: "2098-07-01T00:00:00Z", changingAt: second) == hours * 3_600_000, "\(second)")
  }

  @Test func aDamagedFileIsNoZone() throws {
    for rule in ["X", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3,"] {
      #expect(try offset(of: rule, at: "2050-01-01T00:00:00Z") == nil, "\(rule)")
    }
    let folder = try TemporaryFolder()
    let database = TimeZoneDatabase(environmentFolder: folder.path)
    let whole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")))
    for length in 0..<whole.count - 30 where length % 7 == 0 {
      try folder.write(Array(whole[..<length]), to: "Zone")
      #expect(try database.rules(named: "Zone") == nil, "cut at \(length)")
    }
    try folder.write(whole, to: "Zone")
    #expect(try database.rules(named: "Zone") != nil)
  }

  @Test func aZoneThatIsThereAndCantBeReadIsNoMistakeOfTheUser() throws {
    /// A disk on which no file can be opened.
    struct BrokenDisk: FrontFileSystem {
      let disk = LocalFileSystem()

      func open(_ path: StoragePath, for access: FileAccess) throws(FunnelError) -> File {
        throw FunnelError(.inputOutput, "cannot read \(path): Input/output error")
      }
    }
    let folder = try TemporaryFolder()
    try folder.write(Array("TZif2".utf8), to: "Zone")
    let database = TimeZoneDatabase(environmentFolder: folder.path, fileSystem: BrokenDisk())
    #expect { _ = try database.rules(named: "Zone") } throws: { ($0 as? FunnelError)?.code == .inputOutput }
    #expect(try database.rules(named: "Elsewhere") == nil)
    #expect(try database.rules(named: "Zone/Berlin") == nil)
  }
}

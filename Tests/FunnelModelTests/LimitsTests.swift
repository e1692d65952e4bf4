import Foundation
import FunnelModel
import Testing

/// The table of limits in the documentation agrees with the code.
@Suite struct LimitsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func `the table has every limit, with its value`() throws {
    let table = try Self.table()
    let values = Self.values
    #expect(table.map(\.name).sorted() == values.keys.sorted())
    for row in table {
      #expect(Self.number(row.atMost) == values[row.name], "\(row.name): \(row.atMost)")
    }
  }

  @Test func `the list of values has every limit of the source`() throws {
    let source = try String(
      contentsOf: Self.root.appending(path: "Sources/FunnelModel/Limits.swift"), encoding: .utf8)
    let declared = source.matches(of: /package static (?:let|var) (\w+)/).map { String($0.1) }
    #expect(declared.count > 30)
    #expect(declared.sorted() == Self.values.keys.sorted())
  }

  @Test func `a table that says something else is noticed`() {
    #expect(Self.number("2 MiB") != Self.values["lineBytesMax"])
    #expect(Self.number("65 levels") != Self.values["nestingLevelsMax"])
  }

  private struct Row {
    var atMost: String
    var name: String
  }

  private static func table() throws -> [Row] {
    let page = try String(contentsOf: root.appending(path: "Documentation/LIMITS.md"), encoding: .utf8)
    return page.matches(of: /\n\| [^|\n]+ \| ([^|\n]+) \| `(\w+)` \|(?=\n)/).map {
      Row(atMost: String($0.1), name: String($0.2))
    }
  }

  /// Returns the number with which a cell begins, in bytes, milliseconds or as it is, or the time of a date in milliseconds.
  private static func number(_ cell: String) -> Int64? {
    if let day = CivilDate(cell) { return day.midnight.milliseconds }
    let words = cell.split(separator: " ")
    if let power = words.first?.wholeMatch(of: /2([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/) {
      let digits = power.1.compactMap { "⁰¹²³⁴⁵⁶⁷⁸⁹".firstIndex(of: $0) }
        .map { "⁰¹²³⁴⁵⁶⁷⁸⁹".distance(from: "⁰¹²³⁴⁵⁶⁷⁸⁹".startIndex, to: $0) }
      return 1 << Int64(digits.reduce(0) { $0 * 10 + $1 })
    }
    guard let count = words.first.flatMap({ Int64($0.replacing(",", with: "")) }) else { return nil }
    let units: [Substring: Int64] = [
      "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "h": 3_600_000, "days": 86_400_000,
    ]
    return count * (words.count > 1 ? units[words[1]] ?? 1 : 1)
  }

  private static let values: [String: Int64] = [
    "inputFilesMax": Int64(Limits.inputFilesMax),
    "folderLevelsMax": Int64(Limits.folderLevelsMax),
    "fifoWaitSecondsMax": Int64(Limits.fifoWaitSecondsMax),
    "gzipHeaderBytesMax": Int64(Limits.gzipHeaderBytesMax),
    "inflateRatioMax": Int64(Limits.inflateRatioMax),
    "inflateBytesFree": Int64(Limits.inflateBytesFree),
    "lineBytesMax": Int64(Limits.lineBytesMax),
    "entryNameBytesMax": Int64(Limits.entryNameBytesMax),
    "zipDirectoryBytesMax": Int64(Limits.zipDirectoryBytesMax),
    "zipReopeningsMax": Int64(Limits.zipReopeningsMax),
    "zipLevelsMax": Int64(Limits.zipLevelsMax),
    "columnNameBytesMax": Int64(Limits.columnNameBytesMax),
    "blockLinesMax": Int64(Limits.blockLinesMax),
    "nestingLevelsMax": Int64(Limits.nestingLevelsMax),
    "objectKeysMax": Int64(Limits.objectKeysMax),
    "nameBytesMax": Int64(Limits.nameBytesMax),
    "identifierBytesMax": Int64(Limits.identifierBytesMax),
    "timestampMillisecondsMin": Int64(Limits.timestampMillisecondsMin),
    "futureMillisecondsMax": Int64(Limits.futureMillisecondsMax),
    "eventTypesMax": Int64(Limits.eventTypesMax),
    "unclaimedNamesMax": Int64(Limits.unclaimedNamesMax),
    "recordBytesMax": Int64(Limits.recordBytesMax),
    "deadLetterRawBytesMax": Int64(Limits.deadLetterRawBytesMax),
    "deadLettersKnownMax": Int64(Limits.deadLettersKnownMax), "sortBytesMin": Int64(Limits.sortBytesMin),
    "memberRawBytesTarget": Int64(Limits.memberRawBytesTarget),
    "memberRawBytesMax": Int64(Limits.memberRawBytesMax),
    "memberBytesMax": Int64(Limits.memberBytesMax),
    "partBytesTarget": Int64(Limits.partBytesTarget),
    "commitRawBytesTarget": Int64(Limits.commitRawBytesTarget),
    "verificationHashBytesMax": Int64(Limits.verificationHashBytesMax),
    "subjectListBytesMax": Int64(Limits.subjectListBytesMax),
    "openPartsMax": Int64(Limits.openPartsMax),
    "journalBytesMax": Int64(Limits.journalBytesMax),
    "indexValuesOfKeyMax": Int64(Limits.indexValuesOfKeyMax),
    "indexMeasuresMax": Int64(Limits.indexMeasuresMax),
    "indexKeysMax": Int64(Limits.indexKeysMax),
    "indexContentsMax": Int64(Limits.indexContentsMax),
    "indexContentBytesMax": Int64(Limits.indexContentBytesMax),
    "subjectsOfPersonMaxDefault": Int64(Limits.subjectsOfPersonMaxDefault),
    "indexTypesMax": Int64(Limits.indexTypesMax),
    "indexRunEventsMax": Int64(Limits.indexRunEventsMax),
    "indexHeldBytesTarget": Int64(Limits.indexHeldBytesTarget),
    "indexManifestBytesMax": Int64(Limits.indexManifestBytesMax),
    "memoryBytesMaxDefault": Int64(Limits.memoryBytesMaxDefault),
    "queryTermsMax": Int64(Limits.queryTermsMax),
    "queryKeysMax": Int64(Limits.queryKeysMax),
    "valueListBytesMax": Int64(Limits.valueListBytesMax),
    "stateBytesMax": Int64(Limits.stateBytesMax),
    "rowTextBytesTarget": Int64(Limits.rowTextBytesTarget),
    "combinationsMax": Int64(Limits.combinationsMax),
    "countedValuesOfKeyMax": Int64(Limits.countedValuesOfKeyMax),
    "countedKeyBytesMax": Int64(Limits.countedKeyBytesMax),
    "searchedLogBytesMax": Int64(Limits.searchedLogBytesMax),
    "windowMillisecondsMax": Int64(Limits.windowMillisecondsMax),
    "configurationBytesMax": Int64(Limits.configurationBytesMax),
    "flowStepsMax": Int64(Limits.flowStepsMax),
    "flowRulesMax": Int64(Limits.flowRulesMax),
    "flowExclusionsMax": Int64(Limits.flowExclusionsMax),
    "flowOutcomesMax": Int64(Limits.flowOutcomesMax),
    "pathEventsMax": Int64(Limits.pathEventsMax),
    "driverKeysMax": Int64(Limits.driverKeysMax),
    "driverValuesOfFoundKeyMax": Int64(Limits.driverValuesOfFoundKeyMax),
    "driverValuesOfNamedKeyMax": Int64(Limits.driverValuesOfNamedKeyMax),
    "driverValuesInLogMax": Int64(Limits.driverValuesInLogMax),
    "retentionPeriodsMax": Int64(Limits.retentionPeriodsMax),
    "flowPermissionsMax": Int64(Limits.flowPermissionsMax),
    "amountMax": Int64(Limits.amountMax),
    "patternBytesMax": Int64(Limits.patternBytesMax),
    "patternTextScalarsMax": Int64(Limits.patternTextScalarsMax),
    "timeZoneFileBytesMax": Int64(Limits.timeZoneFileBytesMax),
    "countMax": Int64(Limits.countMax),
    "foldedBytesMax": Int64(Limits.foldedBytesMax),
    "journalNumberMax": Int64(Limits.journalNumberMax),
  ]
}

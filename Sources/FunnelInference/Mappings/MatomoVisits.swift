import FunnelDecoding
import FunnelImport
import FunnelIngest
import FunnelModel

/// Visits as the interface of Matomo (`Live.getLastVisitsDetails`) returns them: each record has an array with its actions.
enum MatomoVisits {
  /// The key of the array.
  private static let key = "actionDetails"
  /// The number of first records that are examined. A visit without an action has an empty array.
  private static let examinedRecordsMax = 100

  /// The records as a clause.
  static let text = "each record is a visit, whose actions are in the array \(key)"

  /// Returns the solution: a command that writes one record for each action of a file.
  static func solution(_ file: String) -> String {
    "write a record for each action: jq -c '.. | objects | select(has(\"\(key)\")) | . as $visit | .\(key)[]"
      + " | {visitor_id: $visit.visitorId, user_id: $visit.userId, timestamp, event: (.eventAction // .pageTitle // .type), url}'"
      + " \(file.contains("'") ? "FILE" : "'\(file.printable)'") >actions.ndjson"
  }

  /// Returns whether the first records of a block are visits with actions.
  static func has(_ block: LineBlock) -> Bool {
    block.withBytes { bytes in
      bytes.split(separator: Byte.lineFeed).prefix(examinedRecordsMax).contains { line in
        guard let root = try? JSONDocument(parsing: Array(line)).root, case .object(let members) = root.value else {
          return false
        }
        return members.contains { member in
          guard member.key == key, case .array(let actions) = member.node.value, let first = actions.first else { return false }
          if case .object = first.value { return true }
          return false
        }
      }
    }
  }
}

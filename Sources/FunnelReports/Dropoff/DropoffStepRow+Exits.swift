import FunnelModel
import FunnelProjections

extension DropoffStepRow {
  /// Returns the number of groups that left in a given way.
  func count(of kind: ExitKind) -> Int {
    let index = Int(kind.rawValue)
    return index < exits.count ? exits[index] : 0
  }

  /// The ways groups left, most frequent first.
  var exitsByCount: [(kind: ExitKind, count: Int)] {
    ExitKind.allCases.map { (kind: $0, count: count(of: $0)) }.filter { $0.count > 0 }
      .sorted { ($1.count, $0.kind.rawValue) < ($0.count, $1.kind.rawValue) }
  }
}

extension ExitKind {
  /// The name in JSON and CSV (specification section 5).
  var name: String {
    switch self {
    case .skipped: "skipped"
    case .denied: "denied"
    case .failed: "failed"
    case .back: "back"
    case .left: "left"
    case .ended: "ended"
    }
  }

  /// The word for the exit after a count.
  var word: String {
    switch self {
    case .skipped: "skipped"
    case .denied: "denied"
    case .failed: "failed"
    case .back: "went back"
    case .left: "left"
    case .ended: "ended"
    }
  }
}

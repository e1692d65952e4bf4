import FunnelModel
import FunnelRendering

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
  var word: String { self == .back ? "went back" : name }

  /// The color in charts.
  var ink: ChartInk {
    switch self {
    case .left: .loss
    case .ended: .neutral
    case .back: .partial
    case .skipped: .detour
    case .denied: .refusal
    case .failed: .failure
    }
  }
}

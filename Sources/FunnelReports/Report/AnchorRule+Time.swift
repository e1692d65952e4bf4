public import FunnelModel

extension AnchorRule {
  /// Returns the error for a report that is divided by time and uses the best anchor.
  ///
  /// - Parameter request: The option that divides the report, such as `--by day`.
  public static func noTime(_ request: String) -> FunnelError {
    FunnelError(
      .usage,
      "the best start is chosen by how far it got, so it can't be assigned to a time, --anchor best with \(request), leave one of them out"
    )
  }
}

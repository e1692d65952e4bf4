/// The threshold of groups in progress above which a rate is not final. Reports then show the rate of closed
/// groups beside it.
enum ManyInProgress {
  /// The inverse of the threshold. A tenth of the groups can change a rate by at most ten points.
  private static let partMax = 10

  /// Returns whether more than a tenth of the groups are in progress.
  static func holds(_ inProgress: Int, of groups: Int) -> Bool { inProgress > groups / partMax }
}

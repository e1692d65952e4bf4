import FunnelModel

extension FormatLayout {
  /// Records of a CSV file, in which nothing is known but what a mapping names.
  static let csv = FormatLayout(timeReading: .any, countsUnmapped: true)
}

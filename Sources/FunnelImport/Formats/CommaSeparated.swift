import FunnelModel

extension FormatLayout {
  /// The rows of a CSV file. Only a mapping defines the meaning of columns.
  static let csv = FormatLayout(timeReading: .any, countsUnmapped: true)
}

/// A small reader of RFC 4180, which reads CSV as a spreadsheet does.
enum CSVReader {
  struct Malformed: Error {}

  static func read(_ text: String) throws -> [[String]] {
    var rows: [[String]] = []
    var row: [String] = []
    var cell = String.UnicodeScalarView()
    var isQuoted = false
    var wasQuoted = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"" where isQuoted: isQuoted = false
      case "\"" where wasQuoted:
        cell.append(scalar)
        isQuoted = true
      case "\"":
        guard cell.isEmpty else { throw Malformed() }
        isQuoted = true
        wasQuoted = true
      case _ where isQuoted: cell.append(scalar)
      case ",", "\n":
        row.append(String(cell))
        cell = .init()
        wasQuoted = false
        if scalar == "\n" {
          rows.append(row)
          row = []
        }
      default:
        guard !wasQuoted, scalar != "\r" else { throw Malformed() }
        cell.append(scalar)
      }
    }
    guard row.isEmpty, cell.isEmpty, !isQuoted else { throw Malformed() }
    return rows
  }
}

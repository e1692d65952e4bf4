/// Returns the rows of a CSV text as RFC 4180 describes it, except that rows end with a line feed.
func csvRows(_ text: String) -> [[String]] {
  var rows: [[String]] = []
  var row: [String] = []
  var cell = String.UnicodeScalarView()
  var isQuoted = false
  var scalars = text.unicodeScalars.makeIterator()
  var next = scalars.next()
  while let scalar = next {
    next = scalars.next()
    switch scalar {
    case "\"" where isQuoted && next == "\"":
      cell.append(scalar)
      next = scalars.next()
    case "\"": isQuoted.toggle()
    case "," where !isQuoted, "\n" where !isQuoted:
      row.append(String(cell))
      cell = .init()
      guard scalar == "\n" else { continue }
      rows.append(row)
      row = []
    default: cell.append(scalar)
    }
  }
  return rows
}

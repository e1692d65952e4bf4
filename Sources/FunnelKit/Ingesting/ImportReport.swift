package import FunnelImport
package import FunnelDecoding
package import FunnelModel

/// The report on an import: detected formats, renamed events and omitted fields, as text and as JSON.
package struct ImportReport {
  package let aggregate: ImportCounts
  /// Whether the format was given with `--from`, in which case the notes do not mention it.
  package var isFormatGiven = false
  /// The mappings that were given for this import.
  package var mappings: [ImportMapping] = []

  package init(aggregate: ImportCounts, isFormatGiven: Bool = false, mappings: [ImportMapping] = []) {
    self.aggregate = aggregate
    self.isFormatGiven = isFormatGiven
    self.mappings = mappings
  }

  /// Whether any input was not in funnel's own format.
  var isImported: Bool { aggregate.files.keys.contains { $0 != .native } }

  /// The notes for standard error: detected formats, unused mappings and name collisions.
  package var notes: [String] { notesBesideSummary + hashedNameNotes + collisionLines }

  /// The notes for standard error without the name collisions, which ``lines`` includes.
  package var notesBesideSummary: [String] {
    formatNotes + fileNotes + zeroByteNotes + localTimeNotes + orderNotes + unusedMappings
  }

  /// The sentences on files that were converted from another encoding, and on those that were not read.
  package var fileNotes: [String] { encodingNotes + passedOverNotes }

  /// The sentences on inputs that were converted from another encoding.
  private var encodingNotes: [String] {
    TextEncoding.allCases.compactMap { encoding in
      aggregate.firstFilesByEncoding[encoding].map { file in
        "reading \(file == "-" ? "standard input" : file) as \(encoding.rawValue), which it seems to be; a mapping can name another \"encoding\""
      }
    }
  }

  /// The sentence on zero bytes.
  private var zeroByteNotes: [String] {
    aggregate.zeroBytes > 0 ? ["skipped \(Quantity.counted(aggregate.zeroBytes, "zero byte")) before records"] : []
  }

  /// The sentence on times that are off from their receipt by the hours of a time zone.
  private var localTimeNotes: [String] {
    guard let delay = aggregate.receiptDelays.common else { return [] }
    let minutes = abs(delay.minutes)
    let hours = minutes / 60
    let duration = (hours > 0 ? ["\(hours) h"] : []) + (minutes % 60 > 0 ? ["\(minutes % 60) min"] : [])
    let direction = delay.minutes > 0 ? "before" : "after"
    return [
      "\(Quantity.count(delay.records)) of \(Quantity.counted(delay.allRecords, "record")) are dated \(duration.joined(separator: " ")) \(direction) their receipt: "
        + "their times seem to be local ones; days and hours of reports are off by as much"
    ]
  }

  /// The sentence on files that are sorted newest first.
  private var orderNotes: [String] {
    let files = aggregate.newestFirst
    guard let first = files.first else { return [] }
    let records = files.reduce(0) { $0 + $1.equalCount }
    let others = files.count == 1 ? "" : " and \(Quantity.counted(files.count - 1, "more file"))"
    return [
      "\(first.file == "-" ? "standard input" : first.file.printable)\(others) \(files.count == 1 ? "is" : "are") sorted newest first: "
        + "\(Quantity.counted(records, "record")) with the time of the record before \(records == 1 ? "is" : "are") taken in the order of the file, "
        + "which is likely the reverse of what happened; sort the input oldest first\(Self.reversal(of: first.file))"
    ]
  }

  /// Returns the command that reverses the records of a table as a clause, or an empty text if the file is no plain table.
  private static func reversal(of file: String) -> String {
    let isTable = [".csv", ".tsv"].contains { file.lowercased().hasSuffix($0) }
    guard isTable, !file.contains("'") else { return "" }
    let name = "'\(file.printable)'"
    return ", with (head -n 1 \(name); tail -n +2 \(name) | tac) > oldest_first.csv if each record is one line"
  }

  /// The sentence on files that were not read.
  private var passedOverNotes: [String] {
    let files = aggregate.passedOver
    guard !files.isEmpty else { return [] }
    let more = files.count - files.examples.count
    let names = files.examples.map(\.printable) + (more > 0 ? ["\(Quantity.count(more)) more"] : [])
    let list = names.count > 1 ? names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1] : names[0]
    return [
      "not read, because \(files.count == 1 ? "it does" : "they do") not look like \(files.count == 1 ? "a log" : "logs"): \(list)"
    ]
  }

  /// The sentences on names whose letters could not be kept.
  private var hashedNameNotes: [String] {
    let names = aggregate.originalsOfHashedNames.sorted { $0.key < $1.key }
    let shown = names.prefix(Self.shownMax).map {
      "\($0.value.quoted) became \($0.key); a mapping can give it another name".printable
    }
    return names.count > shown.count
      ? shown + ["\(Quantity.counted(names.count - shown.count, "more name")) became hashes"] : shown
  }

  /// The sentences on different names of the input that became the same name.
  private var collisionLines: [String] {
    let collisions = aggregate.collisions
    let shown = collisions.prefix(Self.shownMax).map { collision in
      "\(collision.imported.map(\.quoted).joined(separator: ", ")) became one name, \(collision.native); a mapping can keep them apart"
        .printable
    }
    let hiddenCount = collisions.count - shown.count
    guard hiddenCount > 0 else { return shown }
    let verb = hiddenCount == 1 ? "stands" : "stand"
    return shown + ["\(Quantity.counted(hiddenCount, "more name")) \(verb) for several names of the input"]
  }

  /// The sentences on mappings whose format did not occur in the input.
  private var unusedMappings: [String] {
    guard !aggregate.files.isEmpty else { return [] }
    return mappings.compactMap { mapping in
      guard let format = mapping.format, aggregate.files[format] == nil else { return nil }
      let read = ImportFormat.allCases.filter { aggregate.files[$0] != nil }.map(\.rawValue).joined(separator: ", ")
      return
        "the mapping \(mapping.source) is for \(format.rawValue), but the input was read as \(read), so the mapping was not used: fix its \"from\", or name the format with --from"
    }
  }

  /// The sentences on the formats that were detected.
  private var formatNotes: [String] {
    guard !isFormatGiven else { return [] }
    return ImportFormat.allCases.filter { $0 != .native }.compactMap { format in
      guard let count = aggregate.files[format], let file = aggregate.firstFiles[format] else { return nil }
      let name = file == "-" ? "standard input" : file
      let others = count == 1 ? "" : " and \(Quantity.counted(count - 1, "more file"))"
      return "reading \(name)\(others) as \(format.rawValue); --from \(format.rawValue) says so for good"
    }
  }

  /// Returns a hint for an input of unrecognized format, whose records were all rejected for missing fields.
  ///
  /// `nil` if the format was given or recognized, or if there are other reasons.
  package func hint(forRefused reasons: [RejectionReason: Int]) -> String? {
    guard !isFormatGiven, !isImported else { return nil }
    let file = aggregate.firstFiles[.native]?.lowercased() ?? ""
    let isTable = [".csv", ".tsv", ".csv.gz", ".tsv.gz"].contains(where: file.hasSuffix)
    guard isTable || Array(reasons.keys) == [.missingField] else { return nil }
    return isTable
      ? "CSV needs a mapping: run 'funnel map init FILE > todo.map.json', then use --map todo.map.json"
      : "no other product's format was recognised; if the input has one, name it with --from"
  }

  /// The lines of the summary of an ingest.
  package var lines: [String] {
    guard isImported else { return [] }
    var lines: [String] = []
    let formats = ImportFormat.allCases.filter { aggregate.files[$0] != nil }
    lines.append(
      "  formats     " + formats.map { "\($0.rawValue) \(Quantity.count(aggregate.files[$0] ?? 0))" }.joined(separator: ", "))
    if !aggregate.names.isEmpty { lines += nameLines }
    lines += collisionLines.map { "              \($0)" }
    if aggregate.droppedByMap > 0 {
      lines.append("  dropped     \(Quantity.counted(aggregate.droppedByMap, "record")), as the mapping says")
    }
    if !aggregate.users.isEmpty {
      let paths = aggregate.users.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      lines.append(
        "  users       " + paths.map { "\($0.key) of \(Quantity.counted($0.value, "record"))" }.joined(separator: ", "))
    }
    if !aggregate.leftOut.isEmpty { lines += leftOutLines }
    return lines.map(\.printable)
  }

  /// The largest number of names or paths that a list shows.
  private static let shownMax = 10

  private var nameLines: [String] {
    let names = aggregate.names.sorted {
      ($1.value, $0.key.imported, $0.key.native) < ($0.value, $1.key.imported, $1.key.native)
    }
    let shown = names.prefix(Self.shownMax).map { name, count in
      "              \(Quantity.count(count)) × \(name.imported == name.native ? name.imported : "\(name.imported) → \(name.native)")"
    }
    let hiddenCount = names.count - shown.count
    let more = hiddenCount > 0 ? ["              and \(Quantity.counted(hiddenCount, "more name"))"] : []
    let others = aggregate.recordsOfOtherNames
    let rest = others > 0 ? ["              and other names of \(Quantity.counted(others, "record"))"] : []
    return ["  names       \(Quantity.count(names.count))\(others > 0 ? " or more" : ""), each with its new name:"] + shown
      + more + rest
  }

  private var leftOutLines: [String] {
    let paths = aggregate.leftOut.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let shown = paths.prefix(Self.shownMax).map { "              \(Quantity.count($0.value)) × \($0.key)" }
    let hiddenCount = paths.count - shown.count
    let more = hiddenCount > 0 ? ["              and \(Quantity.counted(hiddenCount, "more path"))"] : []
    let lists =
      aggregate.files[.csv] == nil ? "other ids and lists" : "other ids, lists and columns that the mapping does not name"
    return ["  left out    personal values, \(lists); path and number of records:"] + shown + more
  }

  /// The members of the JSON of an ingest, beginning with a comma.
  package var json: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(text: ",\"formats\":{")
    let formats = ImportFormat.allCases.compactMap { format in aggregate.files[format].map { (format.rawValue, $0) } }
    bytes.append(members: formats)
    bytes.append(text: "},\"left_out\":{")
    bytes.append(
      members: aggregate.leftOut.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) })
    bytes.append(text: "},\"dropped_by_map\":\(aggregate.droppedByMap)")
    return bytes
  }
}

extension [UInt8] {
  /// Appends the members of an object of numbers.
  fileprivate mutating func append(members: [(key: String, value: Int)]) {
    for (index, member) in members.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      appendJSONString(member.key)
      append(UInt8(ascii: ":"))
      appendDecimal(Int64(member.value))
    }
  }
}

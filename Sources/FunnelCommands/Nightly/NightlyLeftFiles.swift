import FunnelModel

/// What a night leaves in its inbox, by name and reason; beyond some names only their number is kept.
struct NightlyLeftFiles {
  /// Why a file or folder is left.
  enum Reason: String, CaseIterable {
    /// Its name begins with a dot.
    case hidden
    /// Its name ends as that of a file which is being written.
    case uploading
    /// Its name does not end as that of a log.
    case notALog = "not_a_log"
    /// There were more logs than one run takes.
    case tooMany = "too_many"
    /// It was read, and is not what it was before.
    case changed
    /// It was read, and could not be moved.
    case notMoved = "not_moved"

    /// The reason in words.
    var text: String {
      switch self {
      case .hidden: "hidden"
      case .uploading: "still being written"
      case .notALog: "not named like a log"
      case .tooMany: "for the next run"
      case .changed: "changed while it was read"
      case .notMoved: "could not be moved"
      }
    }
  }

  /// A file or folder, by its path below the inbox.
  struct Item {
    var name: String
    var reason: Reason
  }

  /// Names a program gets; a person, who reads a line, gets fewer.
  private static let itemsMax = 20
  private static let namesInLineMax = 3

  private(set) var count = 0
  private(set) var items: [Item] = []

  /// Notes what is left.
  mutating func add(_ name: String, _ reason: Reason) {
    count += 1
    if items.count < Self.itemsMax { items.append(Item(name: name, reason: reason)) }
  }

  /// `2 left in the inbox (notes.txt: not named like a log, a.part: still being written)`; nil if nothing is left.
  var line: String? {
    guard count > 0 else { return nil }
    let shown = items.prefix(Self.namesInLineMax)
    var names = shown.map { "\($0.name.printable): \($0.reason.text)" }
    if count > shown.count { names.append("\(Quantity.count(count - shown.count)) more") }
    return "\(Quantity.count(count)) left in the inbox (\(names.joined(separator: ", ")))"
  }

  /// An array of at most twenty `{"file":…,"why":…}`.
  func appendJSON(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    for (index, item) in items.enumerated() {
      bytes.append(text: index > 0 ? ",{\"file\":" : "{\"file\":")
      bytes.appendJSONString(item.name)
      bytes.append(text: ",\"why\":\"\(item.reason.rawValue)\"}")
    }
    bytes.append(UInt8(ascii: "]"))
  }
}

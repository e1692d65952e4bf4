import FunnelKit
import FunnelModel

/// The files that a nightly run leaves in the inbox, with the reasons. Beyond a maximum, only their count is kept.
struct NightlyLeftFiles {
  /// The reason why a file or folder is left.
  enum Reason: Hashable {
    /// The file was changed less than a time span ago.
    case young(TimeSpan)
    /// The end of the file is missing, and it was changed less than an hour ago.
    case unfinished
    /// The file grew between two checks.
    case growing
    /// The name begins with a dot.
    case hidden
    /// The name has the suffix of a file that is being uploaded.
    case uploading
    /// The name does not have the extension of a log.
    case notALog
    /// The run has reached its maximum number of files.
    case tooMany
    /// The file was ingested and has changed since.
    case changed
    /// The file was ingested but could not be moved.
    case notMoved

    /// The value of the reason in JSON.
    var code: String {
      switch self {
      case .young: "young"
      case .unfinished: "unfinished"
      case .growing: "growing"
      case .hidden: "hidden"
      case .uploading: "uploading"
      case .notALog: "not_a_log"
      case .tooMany: "too_many"
      case .changed: "changed"
      case .notMoved: "not_moved"
      }
    }

    /// Whether the file has a final name but may be incomplete. The text always names such files.
    var mayBeIncomplete: Bool {
      switch self {
      case .young, .unfinished, .growing: true
      default: false
      }
    }

    /// The reason as text.
    var text: String {
      switch self {
      case .young(let span): "changed less than \(span) ago"
      case .unfinished: "its end is missing"
      case .growing: "still growing"
      case .hidden: "hidden"
      case .uploading: "still being written"
      case .notALog: "not a log"
      case .tooMany: "for the next run"
      case .changed: "changed while it was read"
      case .notMoved: "could not be moved"
      }
    }
  }

  /// A file or folder, by its path relative to the inbox.
  struct Item {
    var name: String
    var reason: Reason
  }

  /// The largest number of files in the JSON summary.
  private static let itemsMax = 20
  /// The number of files named in the text summary, which is a single line.
  private static let namesInLineMax = 3

  /// The number of files left.
  private(set) var count = 0
  /// The first files left, at most ``itemsMax``, those that may be incomplete first.
  private(set) var items: [Item] = []

  /// Adds a file or folder.
  mutating func add(_ name: String, _ reason: Reason) {
    count += 1
    let firstComplete = items.firstIndex { !$0.reason.mayBeIncomplete } ?? items.count
    items.insert(Item(name: name, reason: reason), at: reason.mayBeIncomplete ? firstComplete : items.count)
    if items.count > Self.itemsMax { items.removeLast() }
  }

  /// Adds all files of another list.
  mutating func add(_ other: NightlyLeftFiles) {
    for item in other.items { add(item.name, item.reason) }
    count += other.count - other.items.count
  }

  /// A clause such as `2 left in the inbox (notes.md: not a log, a.part: still being written)`, or
  /// `nil` if no files are left.
  var line: String? {
    guard count > 0 else { return nil }
    let shown = items.prefix(max(Self.namesInLineMax, items.count { $0.reason.mayBeIncomplete }))
    var names = shown.map { "\($0.name.printable): \($0.reason.text)" }
    if count > shown.count { names.append("\(Quantity.count(count - shown.count)) more") }
    return "\(Quantity.count(count)) left in the inbox (\(names.joined(separator: ", ")))"
  }

  /// Appends a JSON array of at most ``itemsMax`` objects `{"file":…,"why":…}`.
  func appendJSON(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    for (index, item) in items.enumerated() {
      bytes.append(text: index > 0 ? ",{\"file\":" : "{\"file\":")
      bytes.appendJSONString(item.name)
      bytes.append(text: ",\"why\":\"\(item.reason.code)\"}")
    }
    bytes.append(UInt8(ascii: "]"))
  }
}

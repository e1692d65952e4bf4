/// Converts imported names to the native form: `Application Installed` becomes `application_installed`.
enum NameFolding {
  /// Returns the native form of a name: lowercase words of ASCII letters and digits, separated by `_`.
  ///
  /// A leading digit gets the prefix `e_`. The result is empty if the name has no ASCII letter and no digit.
  static func fold(_ name: Span<UInt8>) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(name.count + 4)
    for index in name.indices {
      let byte = name[index]
      guard byte.isLower || byte.isUpper || byte.isDigit else {
        separate(&folded)
        continue
      }
      if byte.isUpper, index > 0, startsWord(name, at: index) { separate(&folded) }
      folded.append(byte.isUpper ? byte | 0x20 : byte)
    }
    if folded.last == UInt8(ascii: "_") { folded.removeLast() }
    if let first = folded.first, first.isDigit { folded.insert(contentsOf: "e_".utf8, at: 0) }
    return folded
  }

  /// Returns whether an uppercase letter starts a word: after a lowercase letter or a digit (`signUp`), or as the last of
  /// several uppercase letters before a lowercase one (`HTTPRequest`).
  private static func startsWord(_ name: Span<UInt8>, at index: Int) -> Bool {
    assert(index > 0, "the first letter needs no separator")
    let before = name[index - 1]
    if before.isLower || before.isDigit { return true }
    return before.isUpper && index + 1 < name.count && name[index + 1].isLower
  }

  /// Appends a separator, unless there is one already or no word before it.
  private static func separate(_ folded: inout [UInt8]) {
    if let last = folded.last, last != UInt8(ascii: "_") { folded.append(UInt8(ascii: "_")) }
  }
}

/// A cache of the native forms of texts such as step IDs. Not thread-safe: each worker owns one.
final class FoldedTexts {
  private let table = TextInterner()
  /// The native forms, by the IDs of the texts.
  private var folded: [[UInt8]] = []

  /// The maximum number of cached texts. A further text clears the cache.
  private static let countMax = 4096

  /// Returns the native form of a text (see ``NameFolding``).
  func form(of text: Span<UInt8>) -> [UInt8] {
    if let id = table.find(text) { return folded[id] }
    if folded.count == Self.countMax {
      folded.removeAll()
      table.removeAll()
    }
    let form = NameFolding.fold(text)
    let (id, _) = table.findOrInsert(text)
    assert(id == folded.count, "the table and the list contain the same texts")
    folded.append(form)
    return form
  }
}

extension UInt8 {
  fileprivate var isLower: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
  fileprivate var isUpper: Bool { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") }
  fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
}

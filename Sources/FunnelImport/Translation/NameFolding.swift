internal import Crypto
import Foundation
import FunnelModel

/// Converts imported names to the native form: `Application Installed` becomes `application_installed`.
package enum NameFolding {
  /// Returns the native form of a name: lowercase words of ASCII letters and digits, separated by `_`.
  ///
  /// Letters lose their marks: `geöffnet` becomes `geoffnet`. A leading digit gets the prefix `e_`. A name without a letter
  /// from a to z becomes `e_`, its digits, and the first digits of its SHA-256. A name that is too long is cut, and ends in the
  /// same digits. The result is a valid name, whatever the other names are.
  package static func fold(_ name: Span<UInt8>) -> [UInt8] {
    let isASCII = name.indices.allSatisfy { name[$0] < 0x80 }
    var folded = isASCII ? words(of: name) : words(of: withoutMarks(name).span)
    if !folded.contains(where: \.isLower) {
      folded = Array("e_".utf8) + (folded.isEmpty ? [] : folded + [separator]) + hash(of: name)
    } else if let first = folded.first, first.isDigit {
      folded.insert(contentsOf: "e_".utf8, at: 0)
    }
    if folded.count > Limits.nameBytesMax {
      folded = folded.prefix(Limits.nameBytesMax - hashDigits - 1) + [separator] + hash(of: name)
    }
    return folded
  }

  /// Whether a native name ends in the hash of the name that it was folded from.
  package static func hasHash(_ folded: String, of name: String) -> Bool {
    folded.utf8.reversed().starts(with: hash(of: Array(name.utf8).span).reversed())
  }

  /// Whether a native name was folded from a name with letters that have no ASCII letter without marks: `z_ozone` from
  /// `złożone`.
  package static func lostLetters(_ folded: String, of name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.contains(where: { $0 >= 0x80 }), Array(folded.utf8) == fold(bytes.span) else { return false }
    return String(decoding: withoutMarks(bytes.span), as: UTF8.self).unicodeScalars.contains {
      !$0.isASCII && $0.properties.isAlphabetic
    }
  }

  /// Returns a native name that ends in the hash of the name that it was folded from, so that it differs from those of other names.
  package static func distinguished(_ folded: String, of name: String) -> String {
    guard !hasHash(folded, of: name) else { return folded }
    let kept = folded.prefix(Limits.nameBytesMax - hashDigits - 1)
    return kept + "_" + String(decoding: hash(of: Array(name.utf8).span), as: UTF8.self)
  }

  /// The number of digits of a hash in a name. Four billion hashes suffice for the few thousand names of an app.
  private static let hashDigits = 8
  private static let separator = UInt8(ascii: "_")

  /// Returns the first hexadecimal digits of a name's SHA-256.
  private static func hash(of name: Span<UInt8>) -> [UInt8] {
    Array(Hexadecimal.text(of: SHA256.hash(data: [UInt8](copying: name)).prefix(hashDigits / 2)).utf8)
  }

  /// Returns a name in compatibility decomposition (NFKD), without its marks.
  private static func withoutMarks(_ name: Span<UInt8>) -> [UInt8] {
    let decomposed = String(decoding: name).decomposedStringWithCompatibilityMapping
    let kept = decomposed.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .spacingMark, .enclosingMark: false
      default: true
      }
    }
    return Array(String(String.UnicodeScalarView(kept)).utf8)
  }

  /// Returns the words of a name in lowercase, separated by `_`.
  private static func words(of name: Span<UInt8>) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(name.count)
    for index in name.indices {
      let byte = name[index]
      guard byte.isLower || byte.isUpper || byte.isDigit else {
        separate(&folded)
        continue
      }
      if byte.isUpper, index > 0, startsWord(name, at: index) { separate(&folded) }
      folded.append(byte.isUpper ? byte | 0x20 : byte)
    }
    if folded.last == separator { folded.removeLast() }
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
    if let last = folded.last, last != separator { folded.append(separator) }
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

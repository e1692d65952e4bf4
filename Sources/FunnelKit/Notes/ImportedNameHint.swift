import FunnelImport
import FunnelModel

/// Suggests the native name of an event whose name is given as its source has it.
package enum ImportedNameHint {
  /// Returns a clause such as `did you mean submit_upgrade?` for `Submit Upgrade`, or `nil` if the text has no native form.
  package static func text(for name: String) -> String? {
    // Other event keys have a colon.
    guard !name.isEmpty, !name.contains(":") else { return nil }
    let folded = String(decoding: NameFolding.fold(Array(name.utf8).span), as: UTF8.self)
    return folded != name && EventKey(folded) != nil ? "did you mean \(folded)?" : nil
  }
}

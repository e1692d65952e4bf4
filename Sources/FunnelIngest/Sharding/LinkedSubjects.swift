import FunnelDecoding
package import FunnelModel
import FunnelSystem

/// The subjects and users that links connect, so that all their events are in one shard.
///
/// Subjects and users of an app are one namespace. A link connects a subject and a user; whatever a chain of links connects may
/// share a person, or share events with one. The text that comes first by its bytes represents all of them.
package struct LinkedSubjects: Sendable {
  // Users that too many subjects name connect subjects too, although they are no person: their number must be known to the
  // fold, and so must all of their subjects.

  /// The hash of the text that represents a linked text, by the hash of the linked text. A text that represents itself is absent.
  private let representatives: [Hash128: Hash128]

  /// Reads the links of link files.
  ///
  /// - Throws: `noInput` or `inputOutput` if a file can't be read, `unusableInput` if it is not a link file.
  package init(readingFiles paths: [String]) throws(FunnelError) {
    var builder = Builder()
    for path in paths {
      try LinkFileReader.read(path) { link in builder.connect(link) }
    }
    representatives = builder.representatives
  }

  /// Returns the hash of the text that represents a subject or a user with a hash.
  func representative(of hash: Hash128) -> Hash128 { representatives[hash] ?? hash }
}

extension LinkedSubjects {
  /// Disjoint sets of texts. The first text of a set, by its bytes, is the root of the set's tree.
  private struct Builder {
    private var numberOfHash: [Hash128: Int] = [:]
    private var hashes: [Hash128] = []
    /// The number of another text of the same set that comes earlier, or of the text itself if it is the root.
    private var parents: [Int] = []
    private var texts: [UInt8] = []
    /// The offset in ``texts`` after each text.
    private var ends: [Int] = []

    /// Puts the subject and the user of a link into one set.
    mutating func connect(_ link: LinkFileReader.Link) {
      let subject = root(of: number(of: link.subject, app: link.app))
      let user = root(of: number(of: link.user, app: link.app))
      guard subject != user else { return }
      if text(of: subject).lexicographicallyPrecedes(text(of: user)) {
        parents[user] = subject
      } else {
        parents[subject] = user
      }
    }

    /// The hash of the root of each text that is not a root, by the hash of the text.
    var representatives: [Hash128: Hash128] {
      mutating get {
        var result: [Hash128: Hash128] = [:]
        for number in hashes.indices where parents[number] != number { result[hashes[number]] = hashes[root(of: number)] }
        return result
      }
    }

    /// Returns the number of a text, adding it if it is new.
    private mutating func number(of text: [UInt8], app: [UInt8]) -> Int {
      let hash = ShardNumber.hash(app: app.span, subject: text.span)
      if let known = numberOfHash[hash] { return known }
      let number = hashes.count
      numberOfHash[hash] = number
      hashes.append(hash)
      parents.append(number)
      texts += text
      ends.append(texts.count)
      return number
    }

    /// Returns the root of a text's tree, and shortens the path to it.
    private mutating func root(of number: Int) -> Int {
      var number = number
      while parents[number] != number {
        parents[number] = parents[parents[number]]
        number = parents[number]
      }
      return number
    }

    private func text(of number: Int) -> ArraySlice<UInt8> { texts[(number == 0 ? 0 : ends[number - 1])..<ends[number]] }
  }
}

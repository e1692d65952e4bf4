/// A place on the disk, in two parts that are trusted differently.
///
/// The `base` is what the user named: links on the way to it are followed, as everywhere else. What lies `inside` it is ours (a store's
/// files): there no link is followed, so that nobody who can plant one inside a store makes us read or write elsewhere.
public struct StoragePath: Hashable, Sendable, CustomStringConvertible {
  /// The path the user named; empty means the working directory.
  public let base: String
  /// Names below the base, parted by single slashes; empty for the base itself.
  public let inside: String

  /// A path the user named.
  public init(_ base: String) {
    self.base = base.isEmpty ? "." : base
    inside = ""
  }

  private init(base: String, inside: String) {
    self.base = base
    self.inside = inside
  }

  /// A place below this one, to which no link is followed. The names hold neither `.` nor `..`.
  public func inside(_ names: String) -> StoragePath {
    if names.isEmpty { return self }
    return StoragePath(base: base, inside: inside.isEmpty ? names : inside + "/" + names)
  }

  /// The folder this lies in.
  public var parent: StoragePath {
    if let slash = inside.utf8.lastIndex(of: UInt8(ascii: "/")) {
      return StoragePath(base: base, inside: String(inside[..<slash]))
    }
    return inside.isEmpty ? StoragePath(Self.parent(of: base)) : StoragePath(base: base, inside: "")
  }

  /// The last name.
  public var name: String {
    let path = inside.isEmpty ? Self.withoutTrailingSlashes(base) : inside[...]
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), path != "/" else { return String(path) }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// The file of that name beside this one.
  public func sibling(named name: String) -> StoragePath {
    if !inside.isEmpty { return parent.inside(name) }
    let folder = Self.parent(of: base)
    return StoragePath(folder.hasSuffix("/") ? folder + name : folder + "/" + name)
  }

  /// The whole path, for system calls that follow links and for people.
  public var description: String {
    if inside.isEmpty { return base }
    return base.hasSuffix("/") ? base + inside : base + "/" + inside
  }

  private static func parent(of path: String) -> String {
    let trimmed = withoutTrailingSlashes(path)
    guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  private static func withoutTrailingSlashes(_ path: String) -> Substring {
    var trimmed = path[...]
    while trimmed.utf8.count > 1, trimmed.utf8.last == UInt8(ascii: "/") { trimmed.removeLast() }
    return trimmed
  }
}

/// Inflates gzip files from any source (RFC 1952): any number of consecutive members, in pieces of any size. Not thread-safe.
///
/// The caller passes the bytes it has read and receives the inflated bytes. Memory is bounded at any compression
/// ratio, because no more is inflated than fits into the output buffer. Damage is reported only after everything
/// before it that could be inflated has been returned.
///
/// A member's checksum follows its data: bytes that were already returned may turn out to be wrong.
///
/// Zero bytes after the last member are padding, as in `gzip`. Other bytes there are damage.
public final class Inflater {
  /// The library that inflates. All engines produce the same bytes and detect the same damage.
  public enum Engine: Hashable, Sendable, CaseIterable {
    case zlib
    #if FUNNEL_ISAL
      case isal
    #endif

    /// The fastest engine available.
    public static var fastest: Engine {
      #if FUNNEL_ISAL
        .isal
      #else
        .zlib
      #endif
    }
  }

  /// The damage of a gzip file, and its location.
  public struct Damage: Error, Hashable, Sendable {
    /// The kind of damage.
    public enum Kind: Hashable, Sendable {
      /// The file ends inside a member.
      case truncated
      /// A header or a deflate stream violates the format.
      case corrupt
      /// A member inflates, but its data does not match its checksum or length.
      case mismatch
      /// The bytes after the last member are not a member.
      case trailingBytes
      /// The file inflates by more than ``Limits/inflateRatioMax``.
      case ratio
    }

    public var kind: Kind
    /// The offset in the compressed file at which the damaged member, or the data that is not a member, begins.
    public var memberOffset: Int
    /// The offset in the compressed file at which the damage was detected.
    public var offset: Int
    /// The problem, as the end of a sentence: "the file ends inside a gzip member".
    public var reason: String
  }

  /// The result of one call.
  public struct Step: Sendable {
    /// The number of input bytes that were consumed.
    public var consumed: Int
    /// The number of output bytes that were written.
    public var produced: Int
    public var status: Status
  }

  /// The status after a call, which determines the next one.
  public enum Status: Hashable, Sendable {
    /// All input has been consumed; more is needed.
    case needsInput
    /// There may be more output for this input: call again with room for it.
    case outputFull
    /// The file ended correctly.
    case finished
    /// The file is damaged; there is no further output.
    case damaged(Damage)
  }

  /// The minimum size of the output buffer of a call, in bytes.
  public static let outputBytesMin = 1 << 17
  /// The minimum output buffer passed to an engine, in bytes. It exceeds ISA-L's internal buffer of 65 824.
  static let bodyRoomBytesMin = 70_000

  /// The first bytes of every gzip member.
  static let magic: [UInt8] = [0x1F, 0x8B]

  /// Returns whether a file that begins with these bytes is a gzip file.
  public static func isGzip(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: magic)
  }

  /// The element of the format that the next input byte belongs to.
  enum State {
    /// A member's header.
    case header(GzipHeaderParser)
    /// A member's deflate stream.
    case body
    /// A member's trailer, with the bytes of it that were read so far.
    case trailer([UInt8])
    /// The first byte after a member: another member, padding, or the end.
    case between
    /// Zero bytes after the last member.
    case padding
    /// No element: the file has ended, or is damaged.
    case done(Status)
  }

  let engine: any InflateEngine
  var state = State.header(GzipHeaderParser())
  /// The number of input bytes consumed so far.
  var compressedOffset = 0
  /// The offset at which the current member begins.
  var memberOffset = 0

  /// Creates an inflater for one file.
  public init(_ engine: Engine = .fastest) {
    switch engine {
    case .zlib: self.engine = ZlibInflateEngine()
    #if FUNNEL_ISAL
      case .isal: self.engine = IsalInflateEngine()
    #endif
    }
  }
}

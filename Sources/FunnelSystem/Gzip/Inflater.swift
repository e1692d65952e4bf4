/// Inflates gzip files that others wrote (RFC 1952): any number of members one after another, in pieces of any size.
///
/// The caller feeds what it has read and is handed what that inflates to. Memory is bounded whatever the ratio: no more is inflated
/// than the output buffer takes. What is damaged is reported only after all that could be inflated before it was handed out;
/// a member's checksum stands behind its data, so data that was handed out may turn out wrong.
///
/// Zero bytes after the last member are padding, as `gzip` has it; anything else there is damage.
public final class Inflater {
  /// Which library inflates. Both give the same bytes and find the same damage.
  public enum Engine: Hashable, Sendable, CaseIterable {
    case zlib
    #if FUNNEL_ISAL
      case isal
    #endif

    /// The fastest there is.
    public static var fastest: Engine {
      #if FUNNEL_ISAL
        .isal
      #else
        .zlib
      #endif
    }
  }

  /// What is wrong with a gzip file, and where.
  public struct Damage: Error, Hashable, Sendable {
    /// What kind of damage it is.
    public enum Kind: Hashable, Sendable {
      /// The file ends inside a member.
      case truncated
      /// A header or a deflate stream breaks the format's rules.
      case corrupt
      /// A member inflates, but not to what its checksum and length say.
      case mismatch
      /// What follows the last member is no member.
      case trailingBytes
      /// The file inflates to more than any log would.
      case ratio
    }

    public var kind: Kind
    /// Where the damaged member, or what is no member, begins in the compressed file.
    public var memberOffset: Int
    /// Where in the compressed file the damage was noticed.
    public var offset: Int
    /// What was noticed, as the end of a sentence: "the file ends inside a gzip member".
    public var reason: String
  }

  /// How far a call came.
  public struct Step: Sendable {
    /// Bytes of the input that are done with.
    public var consumed: Int
    /// Bytes of the output that were written.
    public var produced: Int
    public var status: Status
  }

  /// What comes next.
  public enum Status: Hashable, Sendable {
    /// All input is used up.
    case needsInput
    /// There may be more output for this input: call again with room.
    case outputFull
    /// The file ended as it should.
    case finished
    /// The file is damaged; nothing more comes.
    case damaged(Damage)
  }

  /// Least room for output in a call, in bytes.
  public static let outputBytesMin = 1 << 17
  /// Least room an engine is given, in bytes: more than ISA-L's own buffer of 65 824.
  static let bodyRoomBytesMin = 70_000

  /// Whether a file that begins with these bytes is a gzip file.
  public static func isGzip(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.starts(with: [0x1F, 0x8B])
  }

  enum State {
    /// Before or inside a member's header.
    case header(GzipHeaderParser)
    case body
    case trailer([UInt8])
    /// After a member: another one, padding, or the end.
    case between
    case padding
    case done(Status)
  }

  let engine: any InflateEngine
  var state = State.header(GzipHeaderParser())
  var compressedOffset = 0
  var memberOffset = 0

  /// Makes an inflater for one file.
  public init(_ engine: Engine = .fastest) {
    switch engine {
    case .zlib: self.engine = ZlibInflateEngine()
    #if FUNNEL_ISAL
      case .isal: self.engine = IsalInflateEngine()
    #endif
    }
  }
}

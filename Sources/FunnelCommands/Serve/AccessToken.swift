import FunnelKit

// The server is a package trait: without it, SwiftNIO is not built.
#if FUNNEL_SERVER
  import Crypto
  import FunnelModel
  import FunnelServer
  import FunnelSystem

  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// The access token of the server, read from a token file.
  struct AccessToken: Sendable {
    /// The token as the key of the session cookie.
    private let key: SymmetricKey
    /// The SHA-256 of the token.
    private let digest: [UInt8]

    /// The name of the session cookie.
    static let cookieName = "funnel_session"
    /// The permissions of users other than the owner.
    private static let othersMode: mode_t = 0o077
    /// The largest size of a token file, in bytes.
    private static let bytesMax = 4096

    /// Reads a token from the first line of a file.
    ///
    /// - Throws: `configuration` if other users can read the file or the token is empty, `noInput` if there is no file.
    init(file: String) throws(FunnelError) {
      var status = stat()
      guard stat(file, &status) == 0 else {
        throw FunnelError(
          .noInput, "there is no token file \(file.printable), write a long random token into one with mode 600")
      }
      guard status.st_mode & Self.othersMode == 0 else {
        throw FunnelError(
          .configuration, "other users can read the token file \(file.printable), run: chmod 600 \(CommandHint.quoted(file))")
      }
      let contents = try LocalFileSystem().readAll(StoragePath(file), bytesMax: Self.bytesMax)
      let line = contents.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
      guard !line.isEmpty else {
        throw FunnelError(.configuration, "the token file \(file.printable) is empty, write a long random token into it")
      }
      key = SymmetricKey(data: line)
      digest = Array(SHA256.hash(data: line))
    }

    /// Whether a text is the token. The comparison takes constant time.
    func isToken(_ text: String) -> Bool { Self.areEqual(Array(SHA256.hash(data: Array(text.utf8))), digest) }

    /// The value of the session cookie: an HMAC under the token, which does not reveal the token.
    var session: String {
      Hexadecimal.text(of: HMAC<SHA256>.authenticationCode(for: Array("funnel serve, session".utf8), using: key))
    }

    /// Whether a request has the token in its `Authorization` header, or the session cookie.
    func admits(_ request: ServerRequest) -> Bool {
      for value in request.headers(named: "authorization") where value.lowercased().hasPrefix("bearer ") {
        if isToken(String(value.dropFirst("bearer ".count))) { return true }
      }
      let session = Array(session.utf8)
      return request.headers(named: "cookie").flatMap { $0.split(separator: ";") }.contains { pair in
        let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        return sides.count == 2 && sides[0] == Self.cookieName && Self.areEqual(Array(sides[1].utf8), session)
      }
    }

    /// Returns whether two secrets are equal, in a time that depends only on their lengths.
    private static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
      guard a.count == b.count else { return false }
      return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }
#endif

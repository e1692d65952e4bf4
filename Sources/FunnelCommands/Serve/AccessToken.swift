// The server is a trait of the package: without it, SwiftNIO need not be built.
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

  /// The token of a token file, which opens the server's pages.
  struct AccessToken: Sendable {
    private let key: SymmetricKey
    private let digest: [UInt8]

    static let cookieName = "funnel_session"

    /// The length of the longest token, in bytes.
    private static let bytesMax = 4096

    /// Reads a token from the first line of a file.
    ///
    /// - Throws: `configuration` if others may read the file or the token is empty, `noInput` if there is no file.
    init(file: String) throws(FunnelError) {
      var status = stat()
      guard stat(file, &status) == 0 else {
        throw FunnelError(
          .noInput, "there is no token file \(file.printable), write a long random token into one with mode 600")
      }
      guard status.st_mode & 0o077 == 0 else {
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

    /// Returns whether a text is the token. The time it takes does not tell how much of it is right.
    func isToken(_ text: String) -> Bool { HashComparison.areEqual(Array(SHA256.hash(data: Array(text.utf8))), digest) }

    /// The value of the cookie of somebody who gave the token. It does not tell the token.
    var session: String {
      HMAC<SHA256>.authenticationCode(for: Array("funnel serve, session".utf8), using: key).map { byte in
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
      }.joined()
    }

    /// Returns whether a request carries the token or the cookie.
    func admits(_ request: ServerRequest) -> Bool {
      for value in request.headers(named: "authorization") where value.lowercased().hasPrefix("bearer ") {
        if isToken(String(value.dropFirst("bearer ".count))) { return true }
      }
      let session = Array(session.utf8)
      return request.headers(named: "cookie").flatMap { $0.split(separator: ";") }.contains { pair in
        let sides = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        return sides.count == 2 && sides[0] == Self.cookieName && HashComparison.areEqual(Array(sides[1].utf8), session)
      }
    }
  }

  /// Compares secrets.
  private enum HashComparison {
    /// Returns whether two texts are the same, in a time that depends on their lengths only.
    static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
      guard a.count == b.count else { return false }
      return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }
#endif

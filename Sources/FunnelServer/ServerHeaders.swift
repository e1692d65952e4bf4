/// The headers of every response, as the OWASP Secure Headers Project recommends them for pages that load nothing.
enum ServerHeaders {
  static let common: [(name: String, value: String)] = [
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ("X-Permitted-Cross-Domain-Policies", "none"),
  ]

  /// The policy of responses that have none of their own.
  static let policy = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

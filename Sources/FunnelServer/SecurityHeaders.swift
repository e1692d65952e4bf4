/// The security headers of every response.
///
/// The values are those that the OWASP Secure Headers Project recommends, for pages that load no external resources.
enum SecurityHeaders {
  /// The headers that every response has.
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

  /// The default `Content-Security-Policy`, for responses that do not set one.
  static let contentPolicy = "default-src 'none'; frame-ancestors 'none'"
}

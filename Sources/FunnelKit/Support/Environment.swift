#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The process's environment and the machine it runs on.
package enum Environment {
  /// Returns the value of an environment variable, or `nil` if it is not set.
  package static subscript(name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The number of available processors, at least one.
  package static var processorCount: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

  /// The path of the store that a command uses if none is named: `$FUNNEL_STORE`, or `funnel-store` if that is not set.
  package static var storePath: String {
    guard let path = Self["FUNNEL_STORE"], !path.isEmpty else { return "funnel-store" }
    return path
  }
}

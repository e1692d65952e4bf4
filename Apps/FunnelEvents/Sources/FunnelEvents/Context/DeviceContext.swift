import Foundation

#if canImport(Darwin)
  import Darwin
#endif

/// The context that the recorder fills in: `app_version`, `app_build`, `os`, `os_version`, `device`, `locale`, `country`.
///
/// The device is a model such as `iPhone16,2`, not the name that its owner gave it. The country is that of the region in the settings, so
/// no location is asked for.
enum DeviceContext {
  /// Returns the context of this process.
  static func current() -> [String: EventValue] {
    let version = ProcessInfo.processInfo.operatingSystemVersion
    let patch = version.patchVersion > 0 ? ".\(version.patchVersion)" : ""
    let bundle = Bundle.main.infoDictionary
    let values: [String: String?] = [
      "app_version": bundle?["CFBundleShortVersionString"] as? String,
      "app_build": bundle?["CFBundleVersion"] as? String,
      "os": system,
      "os_version": "\(version.majorVersion).\(version.minorVersion)\(patch)",
      "device": device,
      "locale": locale(Locale.current.identifier),
      "country": country,
    ]
    return values.compactMapValues { text in text.flatMap { $0.isEmpty ? nil : .string($0) } }
  }

  private static var system: String {
    #if targetEnvironment(macCatalyst) || os(macOS)
      "macos"
    #elseif os(iOS)
      "ios"
    #elseif os(tvOS)
      "tvos"
    #elseif os(watchOS)
      "watchos"
    #elseif os(visionOS)
      "visionos"
    #else
      "linux"
    #endif
  }

  /// The model of the device, or `nil` if the system does not tell it.
  private static var device: String? {
    #if targetEnvironment(simulator)
      return ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"]
    #elseif canImport(Darwin)
      // On a Mac, `hw.machine` is the processor.
      #if os(macOS) || targetEnvironment(macCatalyst)
        return systemText("hw.model")
      #else
        return systemText("hw.machine")
      #endif
    #else
      return nil
    #endif
  }

  #if canImport(Darwin)
    private static func systemText(_ name: String) -> String? {
      var size = 0
      guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: size)
      guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  #endif

  /// Returns the language and region of an identifier such as `de_DE@currency=EUR`, as `de-DE`.
  static func locale(_ identifier: String) -> String {
    String(identifier.prefix { $0 != "@" }.map { $0 == "_" ? "-" : $0 })
  }

  private static var country: String? {
    // `region` would need iOS 16.
    (Locale.current as NSLocale).object(forKey: .countryCode) as? String
  }
}
